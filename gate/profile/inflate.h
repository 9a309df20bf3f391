/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed bytes to plain ones, under a cap. gzip with any number of members, zstd with any number of frames.
 * Pipeline: profile/load.h -> profile/inflate.h -> profile/pprof.h */
#ifndef GATE_PROFILE_INFLATE_H
#define GATE_PROFILE_INFLATE_H

#include "gate/base/str.h"

/**
 * Inflate `bytes`; raw bytes are returned as they are, without a copy.
 *
 * out   `bytes` itself or arena memory
 * cap   largest inflated size, 0: none
 * err   GATE_ERR_FORMAT cut, damaged, a bad checksum, trailing garbage: four messages, with the offset;
 *       GATE_ERR_LIMIT past `cap`; the message names --max-size
 *
 * O(inflated bytes). Memory: the result, at most `cap`, and the decoder's window (32 KiB; zstd up to 32 MiB).
 */
GATE_MUST_CHECK
bool gate_inflate(struct gate_str *out, struct gate_str bytes, size_t cap, struct gate_arena *arena,
                  struct gate_error *err);

enum { GATE_INFLATE_HEAD_BYTES = 68 * 1024 }; /* more than any format looks at */

/**
 * The first bytes of what `bytes` inflate to, at most `room`: what is no profile is known by them, at a cost that does
 * not depend on what the rest would inflate to. Returns how many; fewer also where the bytes are damaged, which
 * gate_inflate tells of.
 */
size_t gate_inflate_head(char *out, size_t room, struct gate_str bytes);

#endif
