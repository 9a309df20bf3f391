/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a label and the cost of each, to split a comparison by label. */
#ifndef GATE_COMPARE_LABEL_VALUES_H
#define GATE_COMPARE_LABEL_VALUES_H

#include "gate/compare/pair_types.h"

struct gate_label_value {
    struct gate_label_match match; /* in the syntax of --where: a number with its unit */
    double share[GATE_SIDES];      /* of a side's cost, averaged over its runs; 0: none */
};

struct gate_label_values {
    struct gate_label_value *items; /* by the larger of both shares, descending; then by text */
    uint32_t count;
    double unlabelled[GATE_SIDES]; /* share of the cost without such a label */
};

/** Return whether a run has cost under `match`, counted as in gate_label_values_find. False if its samples cannot be
 * read. */
bool gate_label_values_has(const struct gate_run_input *run, struct gate_str sample_type,
                           const struct gate_label_filter *where, const struct gate_label_match *match);

/** List the values of label `key` among the samples that pass `where` and have a stack, with their cost in the column
 * `sample_type` (gate_sample_type_find). A sample with several values of the key counts for each of them. O(samples *
 * labels + values log values). err: GATE_ERR_INPUT no such column, or unreadable samples; GATE_ERR_LIMIT. */
GATE_MUST_CHECK
bool gate_label_values_find(struct gate_label_values *out, const struct gate_run_input *const runs[GATE_SIDES],
                            const uint32_t counts[GATE_SIDES], struct gate_str key, struct gate_str sample_type,
                            const struct gate_label_filter *where, struct gate_arena *arena, struct gate_error *err);

#endif
