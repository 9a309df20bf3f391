/* SPDX-License-Identifier: Apache-2.0 */
/* K of the last N runs (see sustain.h). */
#include "gate/budget/sustain.h"

static bool agrees(const struct gate_sustain_run *earlier, const struct gate_hypothesis *h) {
    for (size_t i = 0; i < earlier->count; i++) {
        const struct gate_hypothesis *other = &earlier->hypotheses[i];
        if (other->budget == h->budget && other->outcome == GATE_OUTCOME_FAIL && gate_str_equal(other->name, h->name))
            return true;
    }
    return false;
}

void gate_sustain_apply(struct gate_hypothesis_list *list, const struct gate_rules *rules,
                        const struct gate_sustain_run *history, uint32_t history_count) {
    for (size_t i = 0; i < list->count; i++) {
        struct gate_hypothesis *h = &list->items[i];
        const struct gate_budget *budget = &rules->budgets[h->budget];
        if (h->outcome != GATE_OUTCOME_FAIL || budget->sustain_k == 0)
            continue;
        uint32_t counted = budget->sustain_n - 1 < history_count ? budget->sustain_n - 1 : history_count;
        uint32_t agreeing = 1; /* this run */
        for (uint32_t e = history_count - counted; e < history_count; e++)
            agreeing += agrees(&history[e], h);
        if (agreeing >= budget->sustain_k)
            continue;
        h->outcome = GATE_OUTCOME_WARN;
        h->reason = GATE_REASON_NOT_SUSTAINED;
    }
}
