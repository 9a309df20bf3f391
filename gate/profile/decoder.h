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

/** Fields that stand close to each other. */
struct gate_decoder_run {
    struct gate_wire wire;
    uint32_t numbers; /* a bit each of the fields that are there, samples aside */
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
    struct gate_decoder_run *runs; /* where fields stand that are not samples; short gaps of samples are left in */
    size_t run_count;
    size_t run_capacity;
    uint32_t counts[GATE_PPROF_DOC_URL + 1];
    uint64_t *mapping_ids;
    uint64_t *function_ids;
    uint64_t *location_ids; /* NULL: 1, 2, 3 */
    size_t held_capacity, line_capacity;
    struct gate_location_packing packing;
};

/** A walk over all fields of some numbers. */
struct gate_decoder_walk {
    const struct gate_decoder *decoder;
    uint32_t numbers; /* a bit each */
    uint64_t left;
    size_t run;
    struct gate_wire wire;
    const uint8_t *from; /* where the last field begins */
};

/** Of fields that are not samples. */
struct gate_decoder_walk gate_decoder_walk_of(const struct gate_decoder *decoder, uint32_t numbers);

/** False at the end. The bytes were walked before, so that nothing is malformed here. */
static inline bool gate_decoder_next(struct gate_decoder_walk *walk, struct gate_wire_field *field) {
    const struct gate_decoder *decoder = walk->decoder;
    if (walk->left == 0)
        return false;
    do {
        while (walk->wire.at == walk->wire.end) {
            GATE_ASSERT(walk->run < decoder->run_count); /* each run was counted */
            const struct gate_decoder_run *run = &decoder->runs[walk->run++];
            if ((run->numbers & walk->numbers) != 0)
                walk->wire = run->wire;
        }
        walk->from = walk->wire.at;
        if (!gate_wire_next(&walk->wire, field))
            return false;
    } while (field->number > GATE_PPROF_DOC_URL || (walk->numbers >> field->number & 1) == 0);
    walk->left--;
    return true;
}

/** The string at `index`, which names `what` for the message. */
GATE_MUST_CHECK bool gate_decoder_string(struct gate_str *out, const struct gate_decoder *decoder, uint64_t index,
                                         const char *what, struct gate_error *err);

#endif
