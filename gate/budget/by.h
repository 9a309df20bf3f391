/* SPDX-License-Identifier: Apache-2.0 */
/* --by LABEL: one more comparison per value of a label. */
#ifndef GATE_BUDGET_BY_H
#define GATE_BUDGET_BY_H

#include "gate/budget/plan.h"
#include "gate/compare/label_values.h"
#include "gate/compare/work.h"

enum gate_by_state {
    GATE_BY_COMPARED,
    GATE_BY_CANARY_ALONE, /* "new": the baseline has no cost */
    GATE_BY_BASELINE_ALONE,
    GATE_BY_NO_BUDGET /* no budget applies; the output name "unasked" is kept for compatibility */
};

/** A sample type that budgets need, but in which a side has no cost with the value. These budgets judge only the whole.
 */
struct gate_by_lack {
    struct gate_str name; /* "alloc_space", "cpu{tenant=a}" */
    bool is_without[GATE_SIDES];
};

struct gate_by_value {
    struct gate_label_value of;
    enum gate_by_state state;
    struct gate_by_lack *lacks;
    uint32_t lack_count;
};

/** The label values of one input. */
struct gate_by {
    struct gate_str key;
    struct gate_str pair;         /* the input's label; empty if there is one input */
    struct gate_by_value *values; /* heaviest first */
    uint32_t count;
    uint32_t left_out;                /* number of values left out: too many, or too small */
    double covered[GATE_SIDES];       /* share of the cost in values that are compared */
    double unlabelled[GATE_SIDES];    /* share of the cost without the label */
    double left_out_cost[GATE_SIDES]; /* share of the cost in values left out */
};

struct gate_by_list {
    struct gate_by *items; /* one per input that has the label */
    uint32_t count;
};

struct gate_by_options {
    struct gate_str key;
    uint32_t limit;                        /* maximum number of compared values per input; 0: GATE_BY_VALUES */
    struct gate_str sample_type;           /* sample type that ranks the values; empty: the default */
    const struct gate_label_filter *where; /* filter on all samples */
};

/** Return "compared", "new", "gone" or "unasked", as in reports and JSON. Static text. */
const char *gate_by_state_name(enum gate_by_state state);

/** Return the largest share of a side's cost outside all compared values; `*worst` is its entry. O(entries). */
double gate_by_uncovered(const struct gate_by_list *list, const struct gate_by **worst);

/**
 * Append to the inputs one input per compared value: the runs in which the value has cost, with the work given for that
 * value only. Append to the rules the budgets for these inputs, each named "NAME (KEY=VALUE)".
 *
 * Compared are the heaviest values with cost on both sides and at least 1% of either side. Not repeated for a value
 * are: budgets on levels and decreases; budgets on totals and costs if the value's work is unknown; budgets with a
 * filter on that label. A budget whose sample type or further labels have no cost within the value on some side is not
 * repeated either; it is recorded in the value's `lacks`.
 *
 * inputs, rules  as gate_plan_spread made them; replaced by longer copies
 * err            GATE_ERR_INPUT no input has the label, or no value is on both sides; GATE_ERR_LIMIT
 *
 * O(samples * labels + values * (runs + budgets)); finding a lack reads all samples of a run.
 */
GATE_MUST_CHECK
bool gate_by_spread(struct gate_by_list *out, struct gate_rules *rules, struct gate_plan_input **inputs,
                    uint32_t *input_count, const struct gate_by_options *options, struct gate_arena *arena,
                    struct gate_error *err);

#endif
