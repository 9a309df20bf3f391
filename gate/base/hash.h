/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of 64 bits, and one of 128: of bytes, of a number, and the secret that keys a table, so that no file can aim
 * at one slot. Used by base/table.h and wherever something is looked up by what a file says. */
#ifndef GATE_BASE_HASH_H
#define GATE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/** Hash of bytes; the same on every machine of one byte order. `key` is a secret's, or a constant where a digest is
 * meant. */
uint64_t gate_hash_bytes(const void *bytes, size_t len, uint64_t key);

/** A digest of 128 bits, for what is told apart by its hash alone; read once. */
void gate_hash_wide(uint64_t out[2], const void *bytes, size_t len);

/** Bijective mix of 64 bits (splitmix64's finaliser): a cheap random-looking id from a counter. */
static inline uint64_t gate_hash_mix(uint64_t x) {
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/** Hash of a number under a secret key: mixed twice, so that what differs in the key differs in every bit. */
static inline uint64_t gate_hash_number(uint64_t number, uint64_t key) {
    return gate_hash_mix(gate_hash_mix(number ^ key) + key);
}

/**
 * A new key from the system's randomness; from clocks, process and addresses where there is none. No order of slots may
 * reach an output: keys differ from run to run.
 */
uint64_t gate_hash_secret(void);

#endif
