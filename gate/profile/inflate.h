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

/**
 * Inflate a gzip file of one member that says that it is small, four megabytes at most, all at once. False, with
 * nothing kept in the arena, where it is another one, or larger than that or than `cap`, or damaged: gate_inflate says
 * what it is. O(inflated bytes), of which there are no more than it says.
 */
GATE_MUST_CHECK
bool gate_inflate_small(struct gate_str *out, struct gate_str bytes, size_t cap, struct gate_arena *arena);

/**
 * What a gzip file of `packed_len` bytes says that it inflates to: `tail` are its last four bytes. 0 where it says
 * nothing that can be true or is allowed, or not much.
 */
size_t gate_inflate_told(const uint8_t tail[4], size_t packed_len, size_t cap);

/** Bytes beside those of gate_inflate_told that a block has to have for gate_inflate_over. */
size_t gate_inflate_margin(size_t packed_len);

/**
 * Inflate a gzip file over itself: `packed` are the last bytes of a block of `size` bytes and gate_inflate_margin, and
 * what they inflate to, `size` bytes exactly, stands at the block's beginning then. Where false, the block holds
 * nothing that is of use: several members, damage, or a part that packs so badly that it was overwritten too early.
 */
GATE_MUST_CHECK bool gate_inflate_over(uint8_t *block, size_t size, struct gate_str packed);

enum { GATE_INFLATE_HEAD_BYTES = 68 * 1024 }; /* more than any format looks at */

/**
 * The first bytes of what `bytes` inflate to, at most `room`: what is no profile is known by them, at a cost that does
 * not depend on what the rest would inflate to. Returns how many; fewer also where the bytes are damaged, which
 * gate_inflate tells of.
 */
size_t gate_inflate_head(char *out, size_t room, struct gate_str bytes);

#endif
