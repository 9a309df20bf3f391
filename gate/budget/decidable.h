/* SPDX-License-Identifier: Apache-2.0 */
/* How often runs like these can decide a budget at all, and what would help where they cannot.
 * Pipeline: verdicts on pairs of known-good runs -> budget/decidable.h -> report/calibration.h */
#ifndef GATE_BUDGET_DECIDABLE_H
#define GATE_BUDGET_DECIDABLE_H

#include "gate/budget/verdict.h"

/** One budget over many pairs. Where no more can be said of an undecided pair, it counts in `undecided` alone. */
struct gate_decidable {
    uint32_t pairs; /* in which the budget was looked at */
    uint32_t undecided;
    enum gate_reason reason; /* of the last undecided pair */
    bool has_model;          /* the noise model is about what the budget looks at */
    double *mde;             /* of undecided pairs, the max_mde with which they had been decided */
    uint32_t mde_count;
    double *factor; /* of undecided pairs, how many times the runs had decided them */
    uint32_t factor_count;
    double *longer; /* of undecided pairs, how many times as long the runs had to be */
    uint32_t longer_count;
};

/** One per budget of `rules`, with room for `pairs`. `*out` is arena memory. */
GATE_MUST_CHECK
bool gate_decidable_begin(struct gate_decidable **out, const struct gate_rules *rules, uint32_t pairs,
                          struct gate_arena *arena, struct gate_error *err);

/**
 * Count one more verdict on one pair. A budget is undecided where it has a hypothesis that its samples leave open, but
 * for those that hold nothing up (gate_hypothesis.is_bystander), or where there is nothing to compare; whether it warns
 * or fails makes no difference. O(budgets * hypotheses).
 */
void gate_decidable_note(struct gate_decidable *list, const struct gate_verdict *verdict);

/** The value that nine of ten are at most; 0 for an empty list. Sorts it. */
double gate_decidable_most(double *values, uint32_t count);

#endif
