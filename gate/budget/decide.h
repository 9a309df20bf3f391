/* SPDX-License-Identifier: Apache-2.0 */
/* Decides one hypothesis: one limit on one frame. */
#ifndef GATE_BUDGET_DECIDE_H
#define GATE_BUDGET_DECIDE_H

#include "gate/budget/outcome.h"
#include "gate/compare/comparison.h"
#include "gate/compare/evidence.h"
#include "gate/rules/rules.h"

/* ---- tests against a limit --------------------------------------------------------------------------------------- */

/* Compares an upper bound of compare/evidence.h with a limit by one test instead of about ten. */

/** Return whether gate_evidence_upper at `level` is at most `limit`. */
bool gate_within_growth(const struct gate_evidence *evidence, double limit, double level);

/** Return whether gate_evidence_ratio_upper at `level` is at most `limit`. */
bool gate_within_ratio(const struct gate_evidence *evidence, double limit, double level);

/** Return whether gate_evidence_share_upper at `level` is at most `limit`. */
bool gate_within_share(const struct gate_evidence *evidence, double limit, double level);

/* ---- hypothesis -------------------------------------------------------------------------------------------------- */

/* One limit on one frame, from evidence to an outcome. It depends on other frames only through the size of the
 * family. */

enum { GATE_SHIFT_SOURCES = 3 };

/** Where the growth of a frame came from. */
struct gate_shift {
    uint32_t within; /* the nearest frame above the grown frame and `sources` that did not grow. GATE_NO_INDEX: none,
                        but the growth minus what callers or callees lost is not significantly over the limit */
    uint32_t sources[GATE_SHIFT_SOURCES]; /* frames whose cost shrank, largest decrease first */
    uint32_t source_count;
    uint32_t library; /* frame of a system library that most of the growth ends in, and whose caller may be missing from
                         the stacks (gate_charge_tree_lost_caller); or GATE_NO_INDEX */
    const uint8_t *beneath; /* a byte per frame: 1 if it is on stacks beneath `within`, and is not the grown frame */
    double moved;           /* sum of their decreases (cumulative cost: the largest), in the scale of own cost */
    bool is_pause; /* all of the moved cost may be Python's garbage collector, which runs in any function that allocates
                    */
};

/** A (budget, frame, limit) to be decided. */
struct gate_hypothesis {
    struct gate_str name;
    const struct gate_limit *limit;
    const struct gate_evidence *evidence; /* the comparison's evidence, if the budget measures the same samples */
    const struct gate_evidence *own;      /* evidence on own cost; NULL: does not apply */
    const struct gate_shift *shift;       /* where the cost came from, if it moved; else NULL */
    const struct gate_reading *reading;   /* what contradicts the decision (budget/readings.h); else NULL */
    uint64_t set_id;
    uint32_t budget;             /* index in the rules */
    uint32_t comparison;         /* index in the verdict */
    uint32_t frame;              /* index in the pair; GATE_NO_INDEX: a group or the total */
    uint32_t family;             /* number of hypotheses in its Holm family */
    enum gate_severity severity; /* the milder one of budget and limit */
    enum gate_measure measure;
    enum gate_outcome outcome;
    enum gate_reason reason;
    bool is_cost;      /* cost per unit of work, per second or per run, not share */
    bool is_total;     /* the total, not a frame or a group */
    bool is_runtime;   /* a frame of the runtime */
    bool is_bystander; /* a runtime or library frame that the budget does not name; if undecided, the run can still pass
                        */
    bool is_callerless;    /* only growth on stacks without own code counts (select.no_own_caller) */
    bool is_new_code;      /* of all own functions that only one side has (select.one_sided) */
    bool is_path;          /* an own function with all that it calls (measure path) */
    bool has_one_function; /* the hypothesis is on a path, and one function has most of its growth, but its own budget
                              needs more runs */
    bool is_named;         /* the budget selects its frames, by name or as a group */
    bool is_restrained;    /* cannot fail, at most inconclusive: delays of one run per side */
    bool is_tested;        /* enough counts */
    bool is_broken; /* growth is significant and over the limit; own cost and other readings are not yet considered */
    bool has_next_look;    /* another look may follow */
    bool is_in_family;     /* some split of its counts between the sides could break the limit */
    double limit_value;    /* in the scale of the limit's quantity */
    double least_share;    /* canary share below which the limit ignores a frame that grew */
    double log_p;          /* log of the p value of this look alone */
    double log_p_adjusted; /* log_p corrected for the family and for earlier looks */
    double log_attainable; /* largest log_p at which the limit can be broken; 0: any; -INFINITY: never */
    double log_level;      /* level that log_p must reach in this family */
    double level_margin;   /* level of the limit itself, for `detectable` */
    double detectable;     /* detectable growth, once computed; 0: see gate_hypothesis_detectable */
    double settle_factor;  /* factor on the number of runs that would decide; 0: none, or does not apply
                              (gate_samples_needed_find) */
    double longer_factor;  /* factor on the length of each run that would decide; 0: none */
};

/** Return whether the limit bounds growth. A limit on a level, or on a decrease that must stay, can be broken without
 * growth. */
bool gate_hypothesis_bounds_growth(const struct gate_hypothesis *hypothesis);

/** Return the measured value that a limit bounds: growth in share points, canary / baseline (INFINITY: new), or canary
 * share. */
double gate_quantity_of(const struct gate_evidence *evidence, enum gate_quantity quantity);

/**
 * First step, before the family is known: set `is_tested`, `is_in_family`, `log_p` and `log_attainable`. Growth limits
 * test growth > 0; decrease, share and absolute limits test the limit itself.
 *
 * margin  level of "growth exceeds the limit"
 *
 * A growth hypothesis fails only if its limit is broken too. The largest p at which that can happen belongs to the
 * mildest split of its counts that breaks the limit. If no split does, it needs no correction (Tarone, Biometrics 46
 * (1990)). So small frames cost no power.
 */
void gate_hypothesis_test(struct gate_hypothesis *hypothesis, double margin);

/** Levels and settings of a decision. */
struct gate_decision_rules {
    double alpha, alpha_margin; /* over all looks together */
    double margin, proof;  /* levels of this look, for "growth exceeds the limit" and "growth is within the limit" */
    double turn;           /* of this look: see gate_looks_now.turn in compare/error_spending.h */
    double margin_own;     /* level of the own cost: `margin`, or more if the work is estimated */
    bool work_is_known;    /* not estimated, so that the own cost is known like the share */
    bool counts_preempted; /* costs may include time in which other programs had the processor */
    double min_samples;
    double max_mde;           /* of the budget; 0: twice the limit */
    bool is_intolerant;       /* growth was found elsewhere in the comparison: tolerate no growth over a limit */
    bool excuses_unconfirmed; /* unconfirmed growth is excused on the same conditions as confirmed growth */
    bool needs_samples;       /* with fewer than min_samples it cannot fail; then it does not pass either */
    bool is_early;            /* another look may follow, so a pass may wait for the samples that a fail needs */
    bool may_idle; /* almost no samples on a side may mean that the program was idle, not that it was cheap */
    double samples[GATE_SIDES]; /* effective samples of the comparison */
    double rho_of_fail;         /* gate_evidence_rho_of_fail of the comparison */
};

/** Return whether a comparison with too few samples to fail does not pass either. True for a value of --by, and for all
 * types without limits on amounts, such as memory or waiting. */
bool gate_decision_needs_samples(const struct gate_comparison *comparison);

/** Return whether a pass at this look would mean nothing: it is early, and with fewer than min_samples on both sides
 * nothing can fail. */
bool gate_decision_is_vacuous(const struct gate_decision_rules *rules);

/** Return whether a side with almost no samples may have been idle. True for CPU time unless the work is known, and for
 * memory in use, because a process that just started holds almost none. */
bool gate_decision_may_idle(const struct gate_comparison *comparison);

/**
 * Return the level of "own cost exceeds the limit". If the work ratio is estimated, it is as noisy as the shares, and a
 * second test at `margin` would lose 5% of the real regressions. The level is then at least .25. The growth must be as
 * significant as before.
 */
double gate_own_cost_margin(double margin, bool work_is_known);

/**
 * Second step: set outcome, reason, `detectable` if it is reported, and settle_factor if `min_samples` determines it.
 * Needs log_p_adjusted, log_level and family.
 */
void gate_hypothesis_decide(struct gate_hypothesis *hypothesis, const struct gate_decision_rules *rules);

/**
 * Return the growth of a decided hypothesis that is detected with 80% power, as a fraction; INFINITY: none. It costs as
 * much as the rest of the decision, and only reports need it.
 */
double gate_hypothesis_detectable(const struct gate_hypothesis *hypothesis);

/** Return whether gate_hypothesis_detectable is at most `growth`. Two tests. */
bool gate_hypothesis_detects(const struct gate_hypothesis *hypothesis, double growth);

/** Like gate_hypothesis_decide, without `detectable`. Also needs log_p of the evidence. */
void gate_hypothesis_outcome(struct gate_hypothesis *hypothesis, const struct gate_decision_rules *rules);

/* ---- the numbers behind a decision, for `explain` ---------------------------------------------------------------- */

/** Return log p of "growth exceeds the limit", by `evidence` on the share or on own cost. */
double gate_hypothesis_margin_log_p(const struct gate_hypothesis *hypothesis, const struct gate_evidence *evidence);

/** Return the z value whose p value Holm's procedure corrects: of "growth is zero", or for limits that do not bound
 * growth, of the limit itself. */
double gate_hypothesis_family_z(const struct gate_hypothesis *hypothesis, const struct gate_evidence *evidence);

double gate_hypothesis_family_log_p(const struct gate_hypothesis *hypothesis, const struct gate_evidence *evidence);

/**
 * Return the uncorrected p value below which growth over the limit is not tolerated: half of `alpha` if the run-to-run
 * variation was measured. For the total it is the level of the margin, because the total is one hypothesis and not the
 * worst of hundreds.
 */
double gate_hypothesis_tolerance(const struct gate_hypothesis *hypothesis, double alpha, double alpha_margin);

/** Return the upper bound at `level` of the limited value, in the limit's scale. The limit is proven to hold if the
 * bound is at most the limit. */
double gate_hypothesis_upper(const struct gate_hypothesis *hypothesis, double level);

/** Return the maximum detectable growth at which a frame within its limit passes. With more, it is inconclusive. */
double gate_hypothesis_mde_ceiling(const struct gate_hypothesis *hypothesis, double max_mde);

#endif
