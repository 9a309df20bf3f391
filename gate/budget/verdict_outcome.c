/* SPDX-License-Identifier: Apache-2.0 */
/* What a run comes to (see verdict_outcome.h). */
#include "gate/budget/verdict_outcome.h"

static bool has_expired(const struct gate_budget_result *budgets, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t f = 0; f < budgets[i].finding_count; f++)
            if (budgets[i].findings[f].reason == GATE_REASON_EXPIRED)
                return true;
    return false;
}

enum gate_outcome gate_verdict_outcome(const struct gate_budget_result *budgets, uint32_t count,
                                       enum gate_on_inconclusive on_inconclusive, bool is_raised) {
    enum gate_outcome worst = is_raised ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_PASS;
    for (uint32_t i = 0; i < count; i++)
        if (budgets[i].outcome > worst && budgets[i].outcome != GATE_OUTCOME_WARN)
            worst = budgets[i].outcome;
    if (worst != GATE_OUTCOME_INCONCLUSIVE)
        return worst;
    /* Sides that cannot be compared, or a waiver that expired, are no question of too few samples: what the rules pass
     * is not this. */
    if ((is_raised || has_expired(budgets, count)) && on_inconclusive != GATE_ON_INCONCLUSIVE_FAIL)
        return GATE_OUTCOME_INCONCLUSIVE;
    switch (on_inconclusive) {
    case GATE_ON_INCONCLUSIVE_FAIL:
        return GATE_OUTCOME_FAIL;
    case GATE_ON_INCONCLUSIVE_INCONCLUSIVE:
        return GATE_OUTCOME_INCONCLUSIVE;
    default:
        return GATE_OUTCOME_PASS;
    }
}
