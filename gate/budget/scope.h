/* SPDX-License-Identifier: Apache-2.0 */
/* One budget on one comparison: whether they fit, and what its costs are divided by.
 * Pipeline: rules/rules.h + compare/comparison.h -> budget/scope.h -> budget/hypotheses.h */
#ifndef GATE_BUDGET_SCOPE_H
#define GATE_BUDGET_SCOPE_H

#include "gate/compare/comparison.h"
#include "gate/compare/cost.h"
#include "gate/compare/looks.h"
#include "gate/rules/rules.h"

/** One budget on one comparison. */
struct gate_budget_scope {
    const struct gate_rules *rules;
    uint32_t budget;
    const struct gate_comparison *comparison;
    uint32_t comparison_index;
    double work[GATE_SIDES];       /* 0: not known */
    struct gate_exposure exposure; /* of cost measures */
    struct gate_looks_now now;     /* the levels of this look */
};

/**
 * Fill in the comparison at comparison_index and the exposure of a scope whose rules, budget, levels and index are set;
 * GATE_NO_INDEX stands for a sample type that the profiles do not have. What is wrong with the budget as such, before
 * any number is looked at: a static phrase, or NULL where nothing is. O(runs).
 */
const char *gate_budget_scope_fill(struct gate_budget_scope *scope, const struct gate_comparison *comparisons);

#endif
