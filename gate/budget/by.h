/* SPDX-License-Identifier: Apache-2.0 */
/* --by LABEL: beside all samples, the samples of each value of a label are compared, by the budgets that bound growth.
 * What and why: docs/labels.md.
 * Pipeline: compare/label_values.h + budget/plan.h -> budget/by.h -> budget/plan.h, budget/verdict.h, report/ */
#ifndef GATE_BUDGET_BY_H
#define GATE_BUDGET_BY_H

#include "gate/budget/plan.h"
#include "gate/compare/label_values.h"
#include "gate/compare/work.h"

/** Values compared where the command line does not say how many. */
enum { GATE_BY_VALUES = 8, GATE_BY_VALUES_MAX = 64 };

enum gate_by_state {
    GATE_BY_COMPARED,
    GATE_BY_CANARY_ALONE, /* new, or gone: within it there is nothing to compare with */
    GATE_BY_BASELINE_ALONE,
    GATE_BY_UNASKED /* on both sides, and no budget can look within it */
};

/** What budgets ask of a value in which it has no cost on some side: they look at it within the whole alone. */
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

/** One input by the values of the label. */
struct gate_by {
    struct gate_str key;
    struct gate_str pair;         /* the input's label; empty where there is one */
    struct gate_by_value *values; /* the heaviest, in that order */
    uint32_t count;
    uint32_t left_out;                /* values: too many, or too small */
    double covered[GATE_SIDES];       /* share of the cost in values that are compared */
    double unlabelled[GATE_SIDES];    /* share without the label */
    double left_out_cost[GATE_SIDES]; /* share in values that were left out */
};

struct gate_by_list {
    struct gate_by *items; /* of the inputs that have the label */
    uint32_t count;
};

struct gate_by_options {
    struct gate_str key;
    uint32_t limit;                        /* values of an input that are compared at most; 0: GATE_BY_VALUES */
    struct gate_str sample_type;           /* whose cost says which values are the heaviest; empty: the default */
    const struct gate_label_filter *where; /* of all samples */
};

/** "compared", "new", "gone", "unasked": as reports and JSON write it. Static text. */
const char *gate_by_state_name(enum gate_by_state state);

/** The largest share of a side's cost that is in no value that was compared; `*worst` names the entry. O(entries). */
double gate_by_uncovered(const struct gate_by_list *list, const struct gate_by **worst);

/**
 * Append to the inputs one for each value that is compared: the runs in which it has cost, with the work that was told
 * of it and no other; and to the rules the budgets for them, each named
 * "NAME (KEY=VALUE)". Compared are the heaviest values with cost on both sides, of those that hold 1 % of either side.
 * Not repeated are budgets of levels, of decreases, of totals and costs where the value's work is not told, and those
 * that look at that label already. A budget of a sample type, or of further labels, in which a value has no cost on
 * some side is not repeated for it either, and what it asked for is told in the value's `lacks`.
 *
 * inputs, rules  replaced by longer copies; what gate_plan_spread made
 * err            GATE_ERR_INPUT no input has the label, or no value of it is on both sides; GATE_ERR_LIMIT
 *
 * O(samples * labels + values * (runs + budgets)), and for a lack all samples of a run.
 */
GATE_MUST_CHECK
bool gate_by_spread(struct gate_by_list *out, struct gate_rules *rules, struct gate_plan_input **inputs,
                    uint32_t *input_count, const struct gate_by_options *options, struct gate_arena *arena,
                    struct gate_error *err);

#endif
