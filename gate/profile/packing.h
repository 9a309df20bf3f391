/* SPDX-License-Identifier: Apache-2.0 */
/* Packing what is written a part at a time: one gzip member or one zstd frame, whose parts are forgotten once they are
 * packed. Next to it: profile/container.h, for what is there as a whole.
 * Pipeline: profile/builder_write.h, profile/otlp_write.h -> profile/packing.h -> base/sink.h */
#ifndef GATE_PROFILE_PACKING_H
#define GATE_PROFILE_PACKING_H

#include "gate/base/sink.h"
#include "gate/profile/profile.h"

enum { GATE_PACKING_PART_BYTES = (2 << 20) - (64 << 10) }; /* with what comes behind it two megabytes, mostly */

/** A part on its way: what packs it, and what it became. */
struct gate_packing_lane {
    void *encoder; /* libdeflate's or zstd's; NULL before the first part */
    struct gate_buf packed;
    struct gate_str part;
    bool is_last, ok;
};

/** Bytes are put behind `plain`; gate_packing_flush takes them from there. */
struct gate_packing {
    struct gate_sink to;
    enum gate_container container;
    struct gate_buf plain;   /* not packed yet */
    struct gate_buf waiting; /* a part before it, which is packed at the same time; or nothing */
    struct gate_packing_lane lanes[2];
    uint64_t plain_len; /* of all parts so far */
    uint32_t checksum;
    bool is_begun;
};

/** Ends with gate_packing_free, whatever came of it. */
void gate_packing_begin(struct gate_packing *packing, enum gate_container container, struct gate_sink to);
void gate_packing_free(struct gate_packing *packing);

/**
 * Pack what `plain` holds, where it is a part; what is less waits. What gate_packing_end packs in one part is the same
 * as gate_container_write's.
 *
 * err   GATE_ERR_MEMORY; or the sink's
 *
 * Of gzip two parts are packed at a time, in two threads. Memory: four parts, and the encoders'.
 */
GATE_MUST_CHECK bool gate_packing_flush(struct gate_packing *packing, struct gate_error *err);

/** All of `bytes`, a part at a time. */
GATE_MUST_CHECK bool gate_packing_put(struct gate_packing *packing, struct gate_str bytes, struct gate_error *err);

/** The rest, and what ends the file. */
GATE_MUST_CHECK bool gate_packing_end(struct gate_packing *packing, struct gate_error *err);

#endif
