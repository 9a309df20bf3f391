/* SPDX-License-Identifier: Apache-2.0 */
/* One limit on one frame: from evidence to one of the outcomes. Knows nothing of other frames but how many there are.
 * Pipeline: compare/evidence.h -> budget/decide.h -> budget/verdict.h */
#ifndef GATE_BUDGET_DECIDE_H
#define GATE_BUDGET_DECIDE_H

#include "gate/budget/outcome.h"
#include "gate/compare/comparison.h"
#include "gate/rules/rules.h"

enum { GATE_SHIFT_SOURCES = 3 };

/** Where the growth of a frame came from. */
struct gate_shift {
    uint32_t within;                      /* the nearest frame that holds both and did not grow */
    uint32_t sources[GATE_SHIFT_SOURCES]; /* frames whose own cost shrank, largest first */
    uint32_t source_count;
    double moved; /* what they lost together, in the scale of the finding's own cost */
};

/** A (budget, frame, limit) to be decided. */
struct gate_hypothesis {
    struct gate_str name;
    const struct gate_limit *limit;
    const struct gate_evidence *evidence; /* the comparison's, where the budget looks at the same */
    const struct gate_evidence *own;      /* of the own cost; NULL: does not apply */
    const struct gate_shift *shift;       /* of reason GATE_REASON_SHIFT, else NULL */
    uint64_t set_id;
    uint32_t budget;             /* index in the rules */
    uint32_t comparison;         /* index in the verdict */
    uint32_t frame;              /* of the pair; GATE_NO_INDEX: a group or the total */
    uint32_t family;             /* hypotheses in its Holm family */
    enum gate_severity severity; /* of the budget and the limit, the milder one */
    enum gate_measure measure;
    enum gate_outcome outcome;
    enum gate_reason reason;
    bool is_cost;       /* cost per unit of work, not share */
    bool is_runtime;    /* a frame of the runtime */
    bool is_bystander;  /* a frame of the runtime or of a library that the budget does not name: open, it holds nothing
                           up, as long as there is code of the program's own that does */
    bool is_named;      /* the budget says which frames it means, by name or as a group */
    bool is_restrained; /* broken, it is inconclusive: delays of one pair */
    bool is_tested;     /* enough counts */
    bool is_in_family;  /* its counts, however they were split, could break the limit */
    double limit_value; /* in the scale of `quantity` */
    double least_share; /* of the canary: below it the limit does not look at a frame that grew */
    double log_p;       /* of this look alone */
    double log_p_adjusted; /* for the family, and for what was looked at before */
    double log_attainable; /* the largest log_p with which the limit is broken; 0: any; -INFINITY: with none */
    double log_level;      /* what log_p has to be at most, in this family */
    double level_margin;   /* of the limit itself, for what would have been detected */
    double detectable;     /* where it was worked out; 0: gate_hypothesis_detectable does */
    double settle_factor;  /* times the runs of now that would decide; 0: none, or does not apply (budget/settle.h) */
    double longer_factor;  /* times the length of each run that would; 0: no length */
};

/** Whether the limit is about growth: one on a level, or on a decrease that must stay, can be broken without any. */
bool gate_hypothesis_bounds_growth(const struct gate_hypothesis *hypothesis);

/** The measured value that a limit bounds: growth in share points, canary / baseline (INFINITY: new), canary share. */
double gate_quantity_of(const struct gate_evidence *evidence, enum gate_quantity quantity);

/**
 * First half, before the family is known: `is_tested`, `is_in_family`, `log_p` of the family-wise hypothesis and
 * `log_attainable`. Growth limits test growth > 0; decrease, share and absolute limits test the limit itself.
 *
 * margin  level of "more than the limit"
 *
 * A growth hypothesis fails only when its limit is broken too, so only at a p as small as that of the mildest split of
 * its counts that breaks it, and never where no split does: what cannot be rejected needs no correction (Tarone,
 * Biometrics 46 (1990)), what can be rejected at small p only needs that much, and small frames cost no power.
 */
void gate_hypothesis_test(struct gate_hypothesis *hypothesis, double margin);

/** What decisions need besides the hypothesis. */
struct gate_decision_rules {
    double alpha, alpha_margin; /* of all looks together */
    double margin, proof;       /* of this look: "more than the limit", "no more than" (compare/looks.h) */
    double turn;                /* of this look: see compare/looks.h */
    double margin_own;          /* of the own cost: `margin`, or more where the work is estimated */
    double min_samples;
    double max_mde;     /* of the budget; 0: twice the limit */
    bool is_intolerant; /* something of the comparison is known to have grown: what is over its limit is open */
    bool is_part;       /* of a value of --by: with fewer than min_samples, when nothing fails, nothing passes */
    double samples[GATE_SIDES]; /* effective samples of the comparison */
};

/**
 * Level of "own cost over the limit". An estimated work ratio is as noisy as the shares are: asked at the full level a
 * second time, it would lose a twentieth of the real regressions. It still has to put the own cost over the limit, at
 * .25, with the growth as significant as before.
 */
double gate_own_cost_margin(double margin, bool work_is_known);

/**
 * Second half: outcome, reason, detectable where it is told, and settle_factor where `min_samples` says it all. Needs
 * log_p_adjusted and family.
 */
void gate_hypothesis_decide(struct gate_hypothesis *hypothesis, const struct gate_decision_rules *rules);

/** Growth that would have been found at 80 % power, as a fraction; INFINITY: none. Of a decided hypothesis. It takes as
 * long as all the rest of a decision, and only what is told needs it. */
double gate_hypothesis_detectable(const struct gate_hypothesis *hypothesis);

/** Whether growth of that size would have been: gate_hypothesis_detectable is at most `growth`. Two tests. */
bool gate_hypothesis_detects(const struct gate_hypothesis *hypothesis, double growth);

/** The outcome and its reason alone. Also needs log_level, and log_p of the evidence. */
void gate_hypothesis_outcome(struct gate_hypothesis *hypothesis, const struct gate_decision_rules *rules);

/** z of the hypothesis that the family-wise correction is over, of share or own cost: before gate_evidence_log_p. */
double gate_hypothesis_family_z(const struct gate_hypothesis *hypothesis, const struct gate_evidence *evidence);

/* ---- the numbers behind a decision, for `explain` ---- */

/** log p of "more than the limit", and of the hypothesis that the family-wise correction is over, of share or own cost.
 */
double gate_hypothesis_margin_log_p(const struct gate_hypothesis *hypothesis, const struct gate_evidence *evidence);
double gate_hypothesis_family_log_p(const struct gate_hypothesis *hypothesis, const struct gate_evidence *evidence);

/** Upper bound at `level` of what the limit bounds, in the limit's scale: at most the limit means proven. */
double gate_hypothesis_upper(const struct gate_hypothesis *hypothesis, double level);

/** Largest detectable growth with which a frame within its limit passes. */
double gate_hypothesis_mde_ceiling(const struct gate_hypothesis *hypothesis, double max_mde);

#endif
