/* SPDX-License-Identifier: Apache-2.0 */
/* 64-bit and 128-bit hashes for tables, and SHA-256 with Base64 for digests of files. */
#ifndef GATE_BASE_HASH_H
#define GATE_BASE_HASH_H

#include "gate/base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* ---- hashes of 64 and 128 bits ----------------------------------------------------------------------------------- */

/* Tables use a secret key, so that no input can be made to put all its keys into one slot. */

/**
 * Return a hash of `len` bytes. It is the same on all machines of one byte order. O(len).
 *
 * key  a key from gate_hash_secret for tables, or a constant for a reproducible digest
 */
uint64_t gate_hash_bytes(const void *bytes, size_t len, uint64_t key);

/** Compute a 128-bit digest, for values that are distinguished by their digest alone. O(len). */
void gate_hash_wide(uint64_t out[2], const void *bytes, size_t len);

/** Mix 64 bits bijectively (the finaliser of splitmix64): a cheap random-looking id from a counter. */
static inline uint64_t gate_hash_mix(uint64_t x) {
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/** Return a hash of a number under a secret key. It is mixed twice, so that each bit of `key` affects every bit. */
static inline uint64_t gate_hash_number(uint64_t number, uint64_t key) {
    return gate_hash_mix(gate_hash_mix(number ^ key) + key);
}

/**
 * Return a new key from the system's random numbers, or from clock, process id and addresses if there are none.
 *
 * Keys differ between runs, so the order of slots must not affect any output.
 */
uint64_t gate_hash_secret(void);

/* ---- compression function of SHA-256 (FIPS 180-4, 6.2.2) --------------------------------------------------------- */

/* The compression function takes 90% of the time of a digest, so it uses the processor's SHA instructions if there are
 * any. For hash.c and its tests only. */

enum { GATE_SHA256_BLOCK_BYTES = 64 };

/** Add `count` blocks at `at` to `state`. O(count): about 0.6 ns per byte with SHA instructions, 5 ns without. */
void gate_sha256_block_add(uint32_t state[8], const uint8_t *at, size_t count);

/** Like gate_sha256_block_add without SHA instructions: for other processors, and for tests to compare with. */
void gate_sha256_block_add_plain(uint32_t state[8], const uint8_t *at, size_t count);

/* ---- SHA-256 (FIPS 180-4) and Base64 (RFC 4648) ------------------------------------------------------------------ */

/* Digests of files in manifests and stores, and of a page's script and style for its content security policy. */

enum { GATE_SHA256_BYTES = 32 };

/** Compute the SHA-256 digest of `bytes`. O(len). */
void gate_sha256(uint8_t digest[GATE_SHA256_BYTES], struct gate_str bytes);

/**
 * Return the SHA-256 digest as 64 lower-case hexadecimal digits with a NUL after them. `.ptr` is NULL if the arena is
 * full. O(len).
 */
struct gate_str gate_sha256_hex(struct gate_str bytes, struct gate_arena *arena);

/** Return whether `text` is 64 lower-case hexadecimal digits. */
bool gate_sha256_is_hex(struct gate_str text);

/** Append `bytes` in Base64 with padding. */
void gate_base64(struct gate_buf *out, const uint8_t *bytes, size_t len);

#endif
