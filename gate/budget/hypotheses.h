/* SPDX-License-Identifier: Apache-2.0 */
/* Every (budget, frame, limit) of a run: which frames a budget selects and what it measures. */
#ifndef GATE_BUDGET_HYPOTHESES_H
#define GATE_BUDGET_HYPOTHESES_H

#include "gate/budget/decide.h"
#include "gate/compare/comparison.h"
#include "gate/compare/cost.h"
#include "gate/compare/error_spending.h"
#include "gate/rules/rules.h"

/* ---- frame selection --------------------------------------------------------------------------------------------- */

/** Mark the frames of `pair` that match `select`: one byte per frame, 1 if it matches. `*matched` is their number.
 * O(frames * patterns). err: GATE_ERR_CONFIG a pattern reached its match limit (names pattern and frame);
 * GATE_ERR_LIMIT. */
GATE_MUST_CHECK
bool gate_select_frames(uint8_t **marks, uint32_t *matched, const struct gate_select *select,
                        const struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err);

/**
 * Mark the frames whose name matches `select->under`. `*marks` is NULL if there is no such pattern. err: as
 * gate_select_frames.
 */
GATE_MUST_CHECK
bool gate_select_under(uint8_t **marks, const struct gate_select *select, const struct gate_pair *pair,
                       struct gate_arena *arena, struct gate_error *err);

/* ---- a budget on a comparison ------------------------------------------------------------------------------------ */

/** One budget on one comparison. */
struct gate_budget_scope {
    const struct gate_rules *rules;
    uint32_t budget;
    const struct gate_comparison *comparison;
    uint32_t comparison_index;
    double work[GATE_SIDES];         /* 0: unknown */
    struct gate_exposure exposure;   /* divisor of cost measures */
    double min_growth;               /* the budget's, in the unit of the sample type, per `amount_units`; 0: none */
    double amount_units[GATE_SIDES]; /* seconds of each side, or profiles if a duration is not known or `per` is run */
    bool is_untimed;           /* costs per second are compared per profile, because the profiles have no duration */
    struct gate_looks_now now; /* the levels of this look */
};

/**
 * Fill the comparison and the exposure of a scope whose rules, budget, levels and comparison_index are set. A
 * comparison_index of GATE_NO_INDEX means that the profiles lack the sample type. Returns NULL, or a static phrase with
 * the reason why the budget cannot be applied. O(runs).
 */
const char *gate_budget_scope_fill(struct gate_budget_scope *scope, const struct gate_comparison *comparisons);

/* ---- hypotheses -------------------------------------------------------------------------------------------------- */

/** Minimum canary share for a ratio limit on all frames, if the budget sets none: of hundreds of tiny frames some
 * always double. A budget that selects frames has no minimum. Nor has one on waiting with min_growth, because threads
 * that are idle make every share small. */
#define GATE_RATIO_MIN_SHARE 0.005

/**
 * Hypotheses in order of budgets, then frames, then limits. Arena memory.
 *
 * `unseen` holds hypotheses on frames that a limit ignores only because of how their counts are split between the sides
 * (too small in the canary, not new). They are neither decided nor reported, but the correction includes them.
 * Otherwise it would cover only the frames that grew by chance.
 */
struct gate_hypothesis_list {
    struct gate_hypothesis *items;
    size_t count, capacity;
    struct gate_hypothesis *unseen;
    size_t unseen_count, unseen_capacity;
};

/** Append the hypotheses of one budget, including untested ones. `*matched` is the number of selected frames; a group
 * counts once. Frames below min_share on both sides and limits that do not apply to a frame are left out. err:
 * GATE_ERR_CONFIG a pattern is too hard, or a limit's unit does not convert; GATE_ERR_OVERFLOW, GATE_ERR_LIMIT. */
GATE_MUST_CHECK
bool gate_hypotheses_collect(struct gate_hypothesis_list *list, uint32_t *matched,
                             const struct gate_budget_scope *scope, struct gate_arena *arena, struct gate_error *err);

#endif
