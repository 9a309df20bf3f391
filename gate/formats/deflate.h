/* SPDX-License-Identifier: Apache-2.0 */
/* Compression with gzip and zstd, of whole buffers and in parts. */
#ifndef GATE_FORMATS_DEFLATE_H
#define GATE_FORMATS_DEFLATE_H

#include "gate/base/buf.h"
#include "gate/model/profile.h"

/** Append `bytes`, compressed as `container`, to `out`. Equal bytes give equal output. */
GATE_MUST_CHECK
bool gate_container_write(struct gate_buf *out, struct gate_str bytes, enum gate_container container,
                          struct gate_error *err);

/* ---- compression in parts -------------------------------------------------------------------------------------------
 *
 * One gzip member or one zstd frame. Parts are freed once they are compressed. */

/* with the message that exceeds the limit, a part is usually below 2 MiB */
enum { GATE_PACKING_PART_BYTES = (2 << 20) - (64 << 10) };

/** One part and its compressed bytes. */
struct gate_packing_lane {
    void *encoder; /* libdeflate's or zstd's; NULL before the first part */
    struct gate_buf packed;
    struct gate_str part;
    bool is_last, ok;
};

/** Append bytes to `plain`, then call gate_packing_flush. */
struct gate_packing {
    struct gate_sink to;
    enum gate_container container;
    size_t part_bytes;       /* GATE_PACKING_PART_BYTES; tests reduce it */
    struct gate_buf plain;   /* not compressed yet */
    struct gate_buf waiting; /* the part before `plain`, to be compressed at the same time; may be empty */
    struct gate_packing_lane lanes[2];
    uint64_t plain_len; /* bytes of all parts so far */
    uint32_t checksum;
    bool is_begun;
};

/** Start. Call gate_packing_free at the end, even after an error. */
void gate_packing_begin(struct gate_packing *packing, enum gate_container container, struct gate_sink to);

/** Free the encoders and buffers. */
void gate_packing_free(struct gate_packing *packing);

/**
 * Compress `plain` if it is large enough for a part. If everything fits into one part, the output equals that of
 * gate_container_write.
 *
 * err   GATE_ERR_MEMORY, or an error of the sink
 *
 * gzip compresses two parts at a time, in two threads. Memory: four parts, and the encoders.
 */
GATE_MUST_CHECK bool gate_packing_flush(struct gate_packing *packing, struct gate_error *err);

/** Add `bytes`, one part at a time. */
GATE_MUST_CHECK bool gate_packing_put(struct gate_packing *packing, struct gate_str bytes, struct gate_error *err);

/** Compress the rest and finish the file. */
GATE_MUST_CHECK bool gate_packing_end(struct gate_packing *packing, struct gate_error *err);

#endif
