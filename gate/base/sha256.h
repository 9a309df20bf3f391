/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4) and Base64 (RFC 4648): names of bytes: of files in a manifest and a store, and of a
 * page's script and style in its content security policy. */
#ifndef GATE_BASE_SHA256_H
#define GATE_BASE_SHA256_H

#include "gate/base/buf.h"

enum { GATE_SHA256_BYTES = 32 };

/** Digest of `bytes`. O(len). */
void gate_sha256(uint8_t digest[GATE_SHA256_BYTES], struct gate_str bytes);

/** The same as 64 lower-case hexadecimal digits, a NUL behind them. `.ptr` NULL: the arena is full. */
struct gate_str gate_sha256_hex(struct gate_str bytes, struct gate_arena *arena);

/** Such digits, as many as there have to be. */
bool gate_sha256_is_hex(struct gate_str text);

/** Base64 with padding. */
void gate_base64(struct gate_buf *out, const uint8_t *bytes, size_t len);

#endif
