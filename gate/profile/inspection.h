/* SPDX-License-Identifier: Apache-2.0 */
/* What one profile is: who wrote it, what it measures, and what about it is odd. Facts as data, for `inspect`.
 * Pipeline: profile/load.h -> profile/inspection.h -> cli/cmd_inspect.c */
#ifndef GATE_PROFILE_INSPECTION_H
#define GATE_PROFILE_INSPECTION_H

#include "gate/base/table.h"
#include "gate/profile/counts.h"
#include "gate/profile/mapping_names.h"
#include "gate/profile/short_names.h"

enum { GATE_INSPECTION_ODDITIES = 20, GATE_INSPECTION_EXAMPLES = 5, GATE_INSPECTION_VALUES = 8 };

/** One sample type. */
struct gate_inspected_type {
    struct gate_value_type type;
    struct gate_counts_model counts;
    int64_t total;     /* saturates at the ends of int64_t */
    double events;     /* effective: what the statistics work with */
    uint64_t non_zero; /* samples with a value here */
    double symbolised; /* share of the total whose leaf has a name */
};

/** One label key, with its first values. */
struct gate_inspected_label {
    struct gate_str key;
    uint64_t sample_count;
    bool is_number;
    struct gate_table values;
    bool has_more; /* than GATE_INSPECTION_VALUES values */
};

/** A name that the stable form changes. */
struct gate_inspected_name {
    struct gate_str from, to;
};

/** Something that a reader of this profile's numbers should know. */
struct gate_oddity {
    const char *code;
    uint64_t count; /* how often */
    const char *text;
};

struct gate_inspection {
    struct gate_str language; /* "Go", ..., or empty */
    struct gate_str producer; /* a guess, or empty */
    struct gate_inspected_type *types;
    uint32_t default_type;
    struct gate_inspected_label *labels;
    uint32_t label_count;
    struct gate_inspected_name names[GATE_INSPECTION_EXAMPLES];
    struct gate_mapping_names mappings;
    struct gate_short_names shorts;
    uint32_t renamed; /* functions whose stable name differs */
    struct gate_oddity oddities[GATE_INSPECTION_ODDITIES];
    uint32_t oddity_count;
};

/**
 * Look through `profile` once.
 *
 * err    GATE_ERR_LIMIT the arena is full
 *
 * O(bytes of samples + functions).
 */
GATE_MUST_CHECK
bool gate_profile_inspect(struct gate_inspection *out, const struct gate_profile *profile,
                          const struct gate_counts_options *options, struct gate_arena *arena, struct gate_error *err);

#endif
