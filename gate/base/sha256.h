/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4) and Base64 (RFC 4648): what a page's content security policy names its script and style by. */
#ifndef GATE_BASE_SHA256_H
#define GATE_BASE_SHA256_H

#include "gate/base/buf.h"

enum { GATE_SHA256_BYTES = 32 };

/** Digest of `bytes`. O(len). */
void gate_sha256(uint8_t digest[GATE_SHA256_BYTES], struct gate_str bytes);

/** Base64 with padding. */
void gate_base64(struct gate_buf *out, const uint8_t *bytes, size_t len);

#endif
