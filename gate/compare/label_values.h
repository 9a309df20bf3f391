/* SPDX-License-Identifier: Apache-2.0 */
/* Which values a label has in the runs of both sides, and how much of the cost each of them holds.
 * Pipeline: profile/where.h + loaded runs -> compare/label_values.h -> budget/by.h */
#ifndef GATE_COMPARE_LABEL_VALUES_H
#define GATE_COMPARE_LABEL_VALUES_H

#include "gate/compare/pair_types.h"

struct gate_label_value {
    struct gate_label_match match; /* as --where takes it: a number with its unit */
    double share[GATE_SIDES];      /* of a side's cost: the mean over its runs; 0: none of it */
};

struct gate_label_values {
    struct gate_label_value *items; /* by the larger of both shares, descending; then by text */
    uint32_t count;
    double unlabelled[GATE_SIDES]; /* share of the cost that has no such label */
};

/** Whether a run has cost under `match`, as gate_label_values_find counts it; false where it cannot be read. */
bool gate_label_values_has(const struct gate_run_input *run, struct gate_str sample_type,
                           const struct gate_label_filter *where, const struct gate_label_match *match);

/**
 * The values of `key` among the samples that pass `where` and have a stack, by their cost in the column that
 * `sample_type` names (gate_sample_type_find). A sample with several values of the key counts for each of them.
 *
 * err   GATE_ERR_INPUT no such column, samples that cannot be read; GATE_ERR_LIMIT
 *
 * O(samples * labels + values log values).
 */
GATE_MUST_CHECK
bool gate_label_values_find(struct gate_label_values *out, const struct gate_run_input *const runs[GATE_SIDES],
                            const uint32_t counts[GATE_SIDES], struct gate_str key, struct gate_str sample_type,
                            const struct gate_label_filter *where, struct gate_arena *arena, struct gate_error *err);

#endif
