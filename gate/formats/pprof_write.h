/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a profile as a pprof file, raw or compressed. */
#ifndef GATE_FORMATS_PPROF_WRITE_H
#define GATE_FORMATS_PPROF_WRITE_H

#include "gate/base/buf.h"
#include "gate/formats/builder.h"
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

/* ---- pprof bytes of a builder ------------------------------------------------------------------------------------ */

/**
 * Append the pprof bytes to `out`. Samples whose values are all 0 are left out. Returns false if memory is
 * exhausted, now or while building.
 */
GATE_MUST_CHECK
bool gate_builder_write(struct gate_buf *out, const struct gate_builder *builder, struct gate_error *err);

/** As gate_builder_write, but write compressed parts to `to`. Errors of the sink are returned, too. */
GATE_MUST_CHECK
bool gate_builder_pack(struct gate_sink to, const struct gate_builder *builder, enum gate_container container,
                       struct gate_error *err);

#endif
