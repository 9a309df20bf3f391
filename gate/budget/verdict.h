/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict: decides all budgets, over repeated looks, and derives the outcome of the run. */
#ifndef GATE_BUDGET_VERDICT_H
#define GATE_BUDGET_VERDICT_H

#include "gate/budget/by.h"
#include "gate/budget/call_trees.h"
#include "gate/budget/cause.h"
#include "gate/budget/decide.h"
#include "gate/budget/finding.h"
#include "gate/budget/hypotheses.h"
#include "gate/budget/replaced.h"
#include "gate/compare/comparison.h"
#include "gate/compare/error_spending.h"
#include "gate/guards/guard_check.h"
#include "gate/rules/rules.h"

/* ---- K of the last N runs ---------------------------------------------------------------------------------------- */

/* A budget may require that K of the last N canaries agree before it fails. */

/** The decided hypotheses of an earlier canary. */
struct gate_sustain_run {
    const struct gate_hypothesis *hypotheses;
    size_t count;
};

/**
 * Turn failures that too few runs agree on into warnings (GATE_REASON_NOT_SUSTAINED), for budgets with a sustain
 * setting.
 *
 * history  earlier canaries decided by the same rules, oldest first; the last N - 1 count in addition to this run.
 *          A run agrees if the same budget failed on a frame of the same name (or on the same group).
 *
 * O(failures * history * hypotheses).
 */
void gate_sustain_apply(struct gate_hypothesis_list *list, const struct gate_rules *rules,
                        const struct gate_sustain_run *history, uint32_t history_count);

/* ---- repeated looks ---------------------------------------------------------------------------------------------- */

/** Looks at the same change, for reports (compare/error_spending.h). Zeroed: there is only one look. */
struct gate_verdict_looks {
    uint32_t count;                /* looks so far, including this one; 0: only one look, all fields are 0 */
    uint32_t planned;              /* maximum number of looks; 0: unknown */
    double fraction;               /* information so far / maximum information */
    double fail_total, fail_spent; /* levels of "fail" over the whole family: total, and spent so far */
    double held_total, held_spent;
    double margin, proof;   /* nominal levels of this look: "growth exceeds the limit", "growth is within the limit" */
    uint32_t runs;          /* runs per side so far, on the side with more */
    uint32_t one_look_runs; /* runs per side at the last planned look; a test with a single look would need as many */
    struct gate_str stands; /* decision of an earlier look, if it is the verdict; else empty */
};

/** Fill `out` from the looks so far and the levels of this look; `runs` is the maximum over the comparisons. */
void gate_verdict_looks_fill(struct gate_verdict_looks *out, const struct gate_looks *looks,
                             const struct gate_looks_now *now, const struct gate_rules *rules,
                             const struct gate_comparison *comparisons, uint32_t comparison_count);

/* ---- outcome of a run -------------------------------------------------------------------------------------------- */

/**
 * Return the worst outcome of the budgets, ignoring warnings. `is_raised`: the rules raised a guard to an error, so the
 * sides cannot be compared. `on_inconclusive` is the outcome that an inconclusive run gets.
 */
enum gate_outcome gate_verdict_outcome(const struct gate_budget_result *budgets, uint32_t count,
                                       enum gate_on_inconclusive on_inconclusive, bool is_raised);

/* ---- verdict ----------------------------------------------------------------------------------------------------- */

/* All budgets on all frames, as findings and one outcome: the input of every report. */

/** Acceptance of what a verdict fails on. Empty texts: none. */
struct gate_acceptance {
    struct gate_str commit, by, reason;
};

struct gate_verdict {
    enum gate_outcome outcome; /* PASS, INCONCLUSIVE or FAIL, after on_inconclusive; never WARN */
    const struct gate_rules *rules;
    struct gate_comparison *comparisons;
    uint32_t comparison_count;
    struct gate_budget_result *budgets; /* in order of the rules; budgets that are off only if their waiver expired */
    uint32_t budget_count;
    struct gate_cause_list causes;      /* causes of the findings, worst first */
    struct gate_replaced_list replaced; /* functions that are gone and new, by caller */
    struct gate_warning *warnings;
    uint32_t warning_count;
    struct gate_str command;                  /* command that reproduces the verdict */
    bool guard_raised;                        /* the rules raise a warning to an error: the sides cannot be compared */
    const struct gate_hypothesis *hypotheses; /* all decided hypotheses, for `explain` (budget/decide.h) */
    size_t hypothesis_count;
    double settle_runs; /* runs per side that would decide it; 0: none would, or it is decided */
    struct gate_verdict_looks looks;
    struct gate_by_list by;          /* label values that were also compared; empty: not requested */
    struct gate_acceptance accepted; /* then `outcome` is pass, and budgets and causes still fail */
};

/** Options of a verdict. Zeroed: no work given, no earlier warnings. */
struct gate_verdict_options {
    double work[GATE_SIDES];       /* work done on each side; 0: as in the rules */
    const uint32_t *comparison_of; /* comparison index of each budget of the rules, or GATE_NO_INDEX. NULL: match by
                                      name or type, else use the first */
    const struct gate_warning *warnings; /* earlier warnings; the guards of the rules apply to them too */
    uint32_t warning_count;
    const struct gate_verdict *const *history; /* earlier canaries decided by the same rules, oldest first */
    uint32_t history_count;
    bool is_history;                  /* this run is part of a history itself: every failure counts */
    bool draws_trees;                 /* reports draw call trees, which are built in parallel (budget/call_trees.h) */
    bool is_last_walk;                /* reports need only these trees, so memory for stack walks may be freed */
    struct gate_background_task task; /* runs in parallel if trees are built */
    struct gate_looks looks;          /* the looks at this change so far */
    bool awaits_types;                /* later rounds may have values of sample types that the inputs lack now */
    struct gate_str today;            /* YYYY-MM-DD, for waivers that expire; empty: none does */
    struct gate_str command;          /* command that reproduces the verdict */
    struct gate_by_list by;           /* label values of the comparisons that cover a part */
};

/**
 * Decide every budget of `rules` on `comparisons`.
 *
 * comparisons  name, pair, deltas, noise and same_input are set; the other fields are filled here. The comparisons
 *              and the rules must outlive the verdict
 * err          GATE_ERR_CONFIG a pattern is too hard, or a limit's unit does not convert; GATE_ERR_OVERFLOW,
 *              GATE_ERR_LIMIT; errors of gate_looks_begin
 *
 * Holm's correction covers all budgets together. Findings are in a total order, so equal inputs give equal verdicts.
 * O(budgets * frames * runs + stack slots of budgets with a group or `under`).
 */
GATE_MUST_CHECK
bool gate_verdict_reach(struct gate_verdict *out, const struct gate_rules *rules, struct gate_comparison *comparisons,
                        uint32_t comparison_count, const struct gate_verdict_options *options, struct gate_arena *arena,
                        struct gate_error *err);

/* ---- decidability ------------------------------------------------------------------------------------------------ */

/* How often runs like these can decide a budget, and what would decide it if they cannot. */

/** One budget over many pairs. `undecided` is the number of pairs that gate_decidability_note counts as undecided. */
struct gate_decidability {
    uint32_t pairs; /* pairs to which the budget was applied */
    uint32_t undecided;
    enum gate_reason reason; /* of the last undecided pair */
    bool has_model;          /* the noise model applies to the budget's comparison */
    bool lacks_type;         /* the runs lack the budget's sample type; these are not counted as pairs */
    double *mde;             /* per undecided pair: the max_mde that would decide it */
    uint32_t mde_count;
    double *factor; /* per undecided pair: factor on the number of runs that would decide it */
    uint32_t factor_count;
    double *longer; /* per undecided pair: factor on the length of the runs that would decide it */
    uint32_t longer_count;
};

/** The most pairs of runs that are judged. */
enum { GATE_DECIDABILITY_PAIRS_MAX = 200 };

/** Allocate `*out`, one item per budget of `rules`. */
GATE_MUST_CHECK
bool gate_decidability_begin(struct gate_decidability **out, const struct gate_rules *rules, struct gate_arena *arena,
                             struct gate_error *err);

/**
 * Add the verdict on one pair. A budget is undecided if a hypothesis is undecided, except for
 * gate_hypothesis.is_bystander, or if there is nothing to compare. Severity makes no difference. Leak budgets are left
 * out, because a pair has no rounds. O(budgets * hypotheses).
 */
void gate_decidability_note(struct gate_decidability *list, const struct gate_verdict *verdict);

/** Return the 90th percentile of `values`, or 0 for an empty list. Sorts `values`. */
double gate_decidability_most(double *values, uint32_t count);

#endif
