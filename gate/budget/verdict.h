/* SPDX-License-Identifier: Apache-2.0 */
/* Rule times frame to finding; findings to one verdict. The input of every report.
 * Pipeline: rules/rules.h + compare/evidence.h -> budget/verdict.h -> report/ */
#ifndef GATE_BUDGET_VERDICT_H
#define GATE_BUDGET_VERDICT_H

#include "gate/budget/by.h"
#include "gate/budget/cause.h"
#include "gate/budget/finding.h"
#include "gate/budget/tree_ahead.h"
#include "gate/budget/verdict_looks.h"
#include "gate/guards/warnings.h"
#include "gate/rules/rules.h"

struct gate_verdict {
    enum gate_outcome outcome; /* PASS, INCONCLUSIVE or FAIL after on_inconclusive; WARN never */
    const struct gate_rules *rules;
    struct gate_comparison *comparisons;
    uint32_t comparison_count;
    struct gate_budget_result *budgets; /* in the order of the rules; off only where a waiver expired */
    uint32_t budget_count;
    struct gate_cause_list causes; /* what the findings come down to, the worst first */
    struct gate_warning *warnings;
    uint32_t warning_count;
    struct gate_str command; /* how to reproduce */
    bool guard_raised;       /* a warning that the rules raise to an error: the sides are not comparable */
    const struct gate_hypothesis *hypotheses; /* all that was decided, for `explain` (budget/decide.h) */
    size_t hypothesis_count;
    double settle_runs; /* runs a side that would decide all that makes it inconclusive; 0: none would, or it is not */
    struct gate_verdict_looks looks;
    struct gate_by_list by; /* by which values of a label it was compared as well; none: it was not asked for */
};

/** What a verdict needs besides rules and comparisons. Zero-initialised: nothing told, nothing found before. */
struct gate_verdict_options {
    double work[GATE_SIDES];       /* work done on each side, 0: as the rules say */
    const uint32_t *comparison_of; /* per budget of the rules the comparison it is about, GATE_NO_INDEX: none; NULL:
                                      the one whose name or type is the budget's sample_type, the first for none */
    const struct gate_warning *warnings; /* found before: the rules' guards apply to them as well */
    uint32_t warning_count;
    const struct gate_verdict *const
        *history; /* of earlier canaries by the same rules, oldest first (budget/sustain.h) */
    uint32_t history_count;
    bool is_history;           /* this run is one of those itself: every failure counts */
    bool draws_trees;          /* reports will draw call trees: they are made beside (budget/tree_ahead.h) */
    bool is_last_walk;         /* and need no more than those: what only walks over stacks need may be given back */
    struct gate_errand errand; /* done beside, where trees are made */
    struct gate_looks looks;   /* which look at the change this is */
    struct gate_str today;     /* YYYY-MM-DD, for budgets that expire; empty: none does */
    struct gate_str command;   /* how to reproduce */
    struct gate_by_list by;    /* of the comparisons, those that are of a part */
};

/**
 * Decide every budget of `rules` on `comparisons`.
 *
 * comparisons  name, pair, deltas, noise and same_input are set; frames, by_self, work_ratio and work_is_known are
 *              filled here. They and the rules must outlive the verdict.
 * err          GATE_ERR_CONFIG a pattern that is too hard, a limit whose unit does not convert; GATE_ERR_OVERFLOW,
 *              GATE_ERR_LIMIT; what gate_looks_begin says
 *
 * Budgets decide together: Holm's correction is over all of them. Findings are in a total order, so equal inputs give
 * equal verdicts. O(budgets * frames * runs + stack slots of budgets with a group or `under`).
 */
GATE_MUST_CHECK
bool gate_verdict_reach(struct gate_verdict *out, const struct gate_rules *rules, struct gate_comparison *comparisons,
                        uint32_t comparison_count, const struct gate_verdict_options *options, struct gate_arena *arena,
                        struct gate_error *err);

#endif
