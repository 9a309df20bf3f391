/* SPDX-License-Identifier: Apache-2.0 */
/* The compression of SHA-256 (FIPS 180-4, 6.2.2): with the processor's instructions for it where it has some. Nine
 * tenths of a digest's time. For base/sha256.h alone. */
#ifndef GATE_BASE_SHA256_BLOCK_H
#define GATE_BASE_SHA256_BLOCK_H

#include <stddef.h>
#include <stdint.h>

enum { GATE_SHA256_BLOCK_BYTES = 64 };

/** Take `count` blocks at `at` into `state`. O(count): about 0.6 ns a byte with instructions, 5 ns without. */
void gate_sha256_block_add(uint32_t state[8], const uint8_t *at, size_t count);

/** The same without instructions: what other processors run, and what tests hold the fast one against. */
void gate_sha256_block_add_plain(uint32_t state[8], const uint8_t *at, size_t count);

#endif
