/* SPDX-License-Identifier: Apache-2.0 */
/* Which comparisons a rules file needs, each made once: a sample type and a label filter on one set of inputs.
 * Pipeline: rules/rules.h + loaded runs -> budget/plan.h -> budget/verdict.h */
#ifndef GATE_BUDGET_PLAN_H
#define GATE_BUDGET_PLAN_H

#include "gate/compare/comparison.h"
#include "gate/compare/work.h"
#include "gate/rules/rules.h"

/** The runs of one `--pair LABEL=BASELINE,CANARY`, or of the two positional sides (label empty). */
struct gate_plan_input {
    struct gate_str label;
    const struct gate_run_input *runs[GATE_SIDES];
    uint32_t counts[GATE_SIDES];
    const struct gate_label_match *part; /* only these samples (budget/by.h); NULL: all */
    bool same;                           /* byte-identical sides */
    bool is_growth;                      /* of two moments of a heap: what was in use has no meaning in it */
    double work[GATE_SIDES];             /* of these runs alone; 0: what is told of all inputs counts */
    const struct gate_work *told;        /* of them, also by label; or NULL */
};

struct gate_plan_options {
    struct gate_str sample_type;    /* of budgets that name none; empty: the baseline's default */
    struct gate_label_filter where; /* applies to every comparison, before a budget's own */
    struct gate_frame_options frames;
    struct gate_counts_options counts;
};

/** Whether both sides have a sample type that can be compared; `type` as gate_sample_type_find takes it. */
bool gate_plan_holds(const struct gate_plan_input *input, struct gate_str type);

/** What `budget` asks the runs of `input` for, empty: their default; false: the input does not hold it. */
bool gate_plan_type(struct gate_str *out, const struct gate_rules *rules, const struct gate_budget *budget,
                    const struct gate_plan_input *input, struct gate_str asked);

/** What was made; budget i of the rules looks at comparisons[budget_comparison[i]], GATE_NO_INDEX: no input holds it.
 */
struct gate_plan {
    struct gate_comparison *comparisons;
    uint32_t comparison_count;
    uint32_t *budget_comparison;
};

/**
 * Make every comparison that a budget with a severity other than off needs; at least one, so that a report has
 * something to show. Fills name, pair, deltas and same_input of each.
 *
 * err   what gate_pair_make and gate_delta_fold say
 *
 * O(comparisons * bytes of samples).
 */
GATE_MUST_CHECK
bool gate_plan_make(struct gate_plan *out, const struct gate_rules *rules, const struct gate_plan_input *inputs,
                    uint32_t input_count, const struct gate_plan_options *options, struct gate_arena *arena,
                    struct gate_error *err);

/**
 * Give every budget the pairs it is about: those that its sample type names, or that hold it; all where it names none.
 * With several, each becomes a budget a pair, named "NAME (LABEL)". A copy is written to `out`; patterns stay those of
 * `rules`. Inputs without a label (a run that is no list of pairs) change nothing.
 *
 * err   GATE_ERR_CONFIG a pair that no budget looks at: it would pass unseen
 */
GATE_MUST_CHECK
bool gate_plan_spread(struct gate_rules *out, const struct gate_rules *rules, const struct gate_plan_input *inputs,
                      uint32_t input_count, struct gate_arena *arena, struct gate_error *err);

#endif
