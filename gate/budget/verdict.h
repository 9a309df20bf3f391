/* SPDX-License-Identifier: Apache-2.0 */
/* Rule times frame to finding; findings to one verdict. The input of every report.
 * Pipeline: budget/budget.h + compare/evidence.h -> budget/verdict.h -> report/ */
#ifndef GATE_BUDGET_VERDICT_H
#define GATE_BUDGET_VERDICT_H

#include "gate/budget/budget.h"

struct gate_hypothesis;

/** Worst last, so that the larger one wins. */
enum gate_outcome {
    GATE_OUTCOME_PROVEN,       /* the 95 % upper bound of the growth is within the limit */
    GATE_OUTCOME_PASS,         /* the estimate is within, and twice the limit would have been seen */
    GATE_OUTCOME_WARN,         /* broken, and only a warning: `reason` says why */
    GATE_OUTCOME_INCONCLUSIVE, /* cannot be decided: `reason` says why and what would settle it */
    GATE_OUTCOME_FAIL
};

/** Why a finding is what it is. */
enum gate_reason {
    GATE_REASON_WITHIN,            /* within the limit */
    GATE_REASON_OVER,              /* over the limit, confirmed */
    GATE_REASON_SEVERITY_WARN,     /* over the limit; the budget or level says warn */
    GATE_REASON_UNCONFIRMED,       /* over the limit, not significant: measure again */
    GATE_REASON_TOO_FEW_SAMPLES,   /* within the limit, but more could have hidden */
    GATE_REASON_ONE_PAIR,          /* over, but one pair without a noise model may only warn here */
    GATE_REASON_OTHERS_SHRANK,     /* the share grew, the own cost did not */
    GATE_REASON_SHIFT,             /* the cost moved between frames */
    GATE_REASON_DELAY_REPLICATES,  /* delay profile: needs replicates to fail */
    GATE_REASON_MIN_SAMPLES,       /* fewer than defaults.min_samples on a side */
    GATE_REASON_NO_MATCH,          /* the budget selects no frame */
    GATE_REASON_NOT_COMPARABLE,    /* total without work or duration, guard raised to error, ... */
    GATE_REASON_EXPIRED,           /* the waiver's day has passed */
    GATE_REASON_NOT_SUSTAINED,     /* over, but fewer than K of the last N runs agree */
    GATE_REASON_TOLERATED          /* over, but no growth is significant, and it is less than max_mde lets pass unseen */
};

struct gate_finding {
    uint32_t frame; /* of the comparison's pair; GATE_NO_INDEX for a group or the total */
    struct gate_str function; /* the frame's name, or the group's */
    enum gate_outcome outcome;
    enum gate_reason reason;
    const struct gate_limit *limit; /* the one that decided; NULL when none did */
    enum gate_measure measure;
    struct gate_evidence evidence;
    double log_p_adjusted;   /* Holm */
    double detectable;       /* growth that would be seen at 80 % power, as a fraction; NAN: none */
    double own_cost_ratio;   /* canary / baseline per unit of work; NAN: not known */
    double samples_to_settle; /* effective samples a side that would decide; 0: does not apply */
    struct gate_str text;    /* one sentence: function, numbers, limit, budget */
    struct gate_str advice;  /* what to do next; may be empty */
};

struct gate_budget_result {
    const struct gate_budget *budget;
    uint32_t comparison; /* index */
    enum gate_outcome outcome;
    struct gate_finding *findings; /* fail, inconclusive and warn, worst first; if none, the nearest to its limit */
    uint32_t finding_count;
    uint32_t matched, tested, proven, passed; /* frames */
    double detectable;                        /* largest over the tested frames; NAN: none tested */
};

/** Evidence of each frame for the tables, with Benjamini-Hochberg over the list. */
struct gate_frame_judgement {
    struct gate_evidence evidence[GATE_MEASURES];
    double log_p_bh[GATE_MEASURES];
    bool is_suspect[GATE_MEASURES]; /* two-sided, BH at 1 %; or a budget found it broken */
    bool is_broken;                 /* a budget did, on either measure */
};

/** One sample type (and label filter) of the run, compared. */
struct gate_comparison {
    struct gate_str name; /* "cpu" */
    struct gate_pair pair;
    struct gate_delta_list deltas;
    struct gate_frame_judgement *frames; /* one per frame */
    const struct gate_noise *noise;
    uint32_t *by_self; /* frame indices by |self delta| descending, then name */
    double work_ratio; /* canary / baseline work used for own cost */
    bool work_is_known;
    bool work_is_estimated; /* from enough frames; neither: work_ratio is that of the totals */
    bool same_input;   /* byte-identical sides */
    bool is_filtered;  /* by labels: a noise model of whole profiles does not apply */
};

struct gate_warning {
    struct gate_str code; /* "same_file", "few_samples", ... */
    struct gate_str message;
};

struct gate_verdict {
    enum gate_outcome outcome; /* PASS, INCONCLUSIVE or FAIL after on_inconclusive; WARN never */
    const struct gate_rules *rules;
    struct gate_comparison *comparisons;
    uint32_t comparison_count;
    struct gate_budget_result *budgets; /* in the order of the rules; severity off is left out */
    uint32_t budget_count;
    struct gate_warning *warnings;
    uint32_t warning_count;
    struct gate_str command; /* how to reproduce */
    bool guard_raised; /* a warning that the rules raise to an error: the sides are not comparable */
    const struct gate_hypothesis *hypotheses; /* all that was decided, for `explain` (budget/decide.h) */
    size_t hypothesis_count;
};

/** What a verdict needs besides rules and comparisons. Zero-initialised: nothing told, nothing found before. */
struct gate_verdict_options {
    double work[GATE_SIDES];       /* work done on each side, 0: as the rules say */
    const uint32_t *comparison_of; /* per budget of the rules the comparison it is about, GATE_NO_INDEX: none; NULL:
                                      the one whose name or type is the budget's sample_type, the first for none */
    const struct gate_warning *warnings; /* found before: the rules' guards apply to them as well */
    uint32_t warning_count;
    const struct gate_verdict *const *history; /* of earlier canaries by the same rules, oldest first (budget/sustain.h) */
    uint32_t history_count;
    bool is_history;         /* this run is one of those itself: every failure counts */
    struct gate_str today;   /* YYYY-MM-DD, for budgets that expire; empty: none does */
    struct gate_str command; /* how to reproduce */
};

/**
 * Decide every budget of `rules` on `comparisons`.
 *
 * comparisons  name, pair, deltas, noise and same_input are set; frames, by_self, work_ratio and work_is_known are
 *              filled here. They and the rules must outlive the verdict.
 * err          GATE_ERR_CONFIG a pattern that is too hard, a limit whose unit does not convert; GATE_ERR_OVERFLOW,
 *              GATE_ERR_LIMIT
 *
 * Budgets decide together: Holm's correction is over all of them. Findings are in a total order, so equal inputs give
 * equal verdicts. O(budgets * frames * runs + stack slots of budgets with a group or `under`).
 */
GATE_MUST_CHECK
bool gate_verdict_reach(struct gate_verdict *out, const struct gate_rules *rules, struct gate_comparison *comparisons,
                        uint32_t comparison_count, const struct gate_verdict_options *options,
                        struct gate_arena *arena, struct gate_error *err);

const char *gate_outcome_name(enum gate_outcome outcome); /* "proven", "pass", "warn", "inconclusive", "fail" */
const char *gate_reason_name(enum gate_reason reason);    /* "over_budget", ... stable in JSON */

#endif
