/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression under a size limit: gzip with any number of members, zstd with any number of frames. */
#ifndef GATE_FORMATS_INFLATE_H
#define GATE_FORMATS_INFLATE_H

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/str.h"
#include "gate/model/profile.h"

/** Return "raw", "gzip" or "zstd": static text. */
const char *gate_container_name(enum gate_container container);

/** Return the container by the first bytes: gzip, zstd (also a frame without data), else raw. O(1). */
enum gate_container gate_container_sniff(struct gate_str bytes);

/**
 * Decompress `bytes`. Raw bytes are returned without a copy.
 *
 * out   `bytes` itself or memory of `arena`
 * cap   largest decompressed size; 0: no limit
 * err   GATE_ERR_FORMAT: truncated, damaged, wrong checksum, or trailing garbage (with the offset); GATE_ERR_LIMIT:
 *       larger than `cap` (the message names --max-size), or `arena` is full; GATE_ERR_MEMORY
 *
 * O(decompressed bytes). Memory: the result, at most `cap`, and the decoder's window (32 KiB; zstd up to 32 MiB).
 */
GATE_MUST_CHECK
bool gate_inflate(struct gate_str *out, struct gate_str bytes, size_t cap, struct gate_arena *arena,
                  struct gate_error *err);

/**
 * Decompress a gzip file of one member that declares a size of at most 4 MiB, in one step. Returns false, without
 * using `arena`, for other files, files above `cap`, and damaged ones; use gate_inflate for those. O(decompressed
 * bytes), which do not exceed the declared size.
 */
GATE_MUST_CHECK
bool gate_inflate_small(struct gate_str *out, struct gate_str bytes, size_t cap, struct gate_arena *arena);

/**
 * Return the decompressed size that a gzip file of `packed_len` bytes declares. `tail` is its last four bytes.
 * Returns 0 if the declared size is impossible, 0, or above `cap`.
 */
size_t gate_inflate_stated_size(const uint8_t tail[4], size_t packed_len, size_t cap);

/** Return the extra bytes that a block for gate_inflate_over needs besides the decompressed size. */
size_t gate_inflate_margin(size_t packed_len);

/**
 * Decompress a gzip file over itself. `packed` is at the end of a block of `size` + gate_inflate_margin bytes. The
 * result has exactly `size` bytes at the start of the block. Returns false for files with several members, damaged
 * files, and data that compresses so badly that it is overwritten before it is read. Then the block contains nothing
 * useful.
 */
GATE_MUST_CHECK bool gate_inflate_over(uint8_t *block, size_t size, struct gate_str packed);

/**
 * Decompress the first bytes of `bytes`, at most `room`. This rejects a file that is not a profile at a cost that
 * does not depend on its decompressed size. Returns the number of bytes; fewer than `room` if the file is shorter or
 * damaged, which gate_inflate reports.
 */
size_t gate_inflate_head(char *out, size_t room, struct gate_str bytes);

#endif
