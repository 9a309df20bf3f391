/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the pprof decoder share; not for anyone else.
 * Used by profile/pprof.h (top level), profile/decoder_tables.h (messages) and profile/decoder_samples.h (checks). */
#ifndef GATE_PROFILE_DECODER_H
#define GATE_PROFILE_DECODER_H

#include "gate/profile/limits.h"
#include "gate/profile/location_packing.h"
#include "gate/profile/profile.h"
#include "gate/profile/wire.h"

#include <protobuf-c/protobuf-c.h>

/** Numbers of the top-level fields (pprof.proto). */
enum gate_pprof_field {
    GATE_PPROF_SAMPLE_TYPE = 1,
    GATE_PPROF_SAMPLE = 2,
    GATE_PPROF_MAPPING = 3,
    GATE_PPROF_LOCATION = 4,
    GATE_PPROF_FUNCTION = 5,
    GATE_PPROF_STRING = 6,
    GATE_PPROF_DROP_FRAMES = 7,
    GATE_PPROF_KEEP_FRAMES = 8,
    GATE_PPROF_TIME = 9,
    GATE_PPROF_DURATION = 10,
    GATE_PPROF_PERIOD_TYPE = 11,
    GATE_PPROF_PERIOD = 12,
    GATE_PPROF_COMMENT = 13,
    GATE_PPROF_DEFAULT_TYPE = 14,
    GATE_PPROF_DOC_URL = 15
};

/** One decoding. `scratch` is emptied after each message and freed at the end. */
struct gate_decoder {
    struct gate_profile *out;
    uint8_t *own; /* the profile's bytes where they may be rewritten, or NULL */
    const struct gate_limits *limits;
    struct gate_arena *arena;
    struct gate_arena tables;  /* ids, until they are indexed */
    struct gate_arena scratch; /* what protobuf-c unpacks one message into */
    ProtobufCAllocator allocator;
    struct gate_wire *runs; /* where fields stand that are not samples; short gaps of samples are left in */
    size_t run_count;
    size_t run_capacity;
    uint32_t counts[GATE_PPROF_DOC_URL + 1];
    uint64_t *mapping_ids;
    uint64_t *function_ids;
    uint64_t *location_ids; /* NULL: 1, 2, 3 */
    size_t held_capacity, line_capacity;
    struct gate_location_packing packing;
};

/** A walk over the fields that are not samples, and the few samples between them. */
struct gate_decoder_walk {
    const struct gate_decoder *decoder;
    size_t run;
    struct gate_wire wire;
    const uint8_t *from; /* where the last field begins */
};

/** False at the end. The bytes were walked before, so that nothing is malformed here. */
static inline bool gate_decoder_next(struct gate_decoder_walk *walk, struct gate_wire_field *field) {
    while (walk->wire.at == walk->wire.end) {
        if (walk->run == walk->decoder->run_count)
            return false;
        walk->wire = walk->decoder->runs[walk->run++];
    }
    walk->from = walk->wire.at;
    return gate_wire_next(&walk->wire, field);
}

/** The string at `index`, which names `what` for the message. */
GATE_MUST_CHECK bool gate_decoder_string(struct gate_str *out, const struct gate_decoder *decoder, uint64_t index,
                                         const char *what, struct gate_error *err);

#endif
