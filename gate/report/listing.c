/* SPDX-License-Identifier: Apache-2.0 */
/* What a report lists (see listing.h). */
#include "gate/report/listing.h"

enum { SHOWN_OF_A_BUDGET = 3 };

const enum gate_outcome gate_listing_outcomes[GATE_LISTING_OUTCOMES] = {GATE_OUTCOME_FAIL, GATE_OUTCOME_INCONCLUSIVE,
                                                                        GATE_OUTCOME_WARN};

const enum gate_measure gate_listing_measures[GATE_MEASURES] = {GATE_CHARGED, GATE_SELF, GATE_CUMULATIVE};

void gate_listing_frames(uint32_t *out, const struct gate_comparison *comparison) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++)
        if (comparison->frames[comparison->order[GATE_CHARGED][i]].evidence[GATE_CHARGED]->delta != 0.0)
            out[count++] = comparison->order[GATE_CHARGED][i];
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++)
        if (comparison->frames[comparison->by_self[i]].evidence[GATE_CHARGED]->delta == 0.0)
            out[count++] = comparison->by_self[i];
}

const struct gate_finding *gate_listing_next(const struct gate_verdict *verdict, enum gate_outcome outcome,
                                             uint32_t *budget, uint32_t *at) {
    for (; *budget < verdict->budget_count; (*budget)++, *at = 0) {
        const struct gate_budget_result *result = &verdict->budgets[*budget];
        while (*at < result->finding_count) {
            const struct gate_finding *finding = &result->findings[(*at)++];
            if (finding->outcome == outcome)
                return finding;
        }
    }
    return NULL;
}

bool gate_listing_has(const struct gate_budget_result *result, uint32_t at) {
    if (gate_cause_tells(&result->findings[at]))
        return false;
    if (at < SHOWN_OF_A_BUDGET && gate_listing_is_over(&result->findings[at]))
        return true;
    return at == 0 && (result->outcome == GATE_OUTCOME_INCONCLUSIVE || result->outcome == GATE_OUTCOME_WARN);
}

uint32_t gate_listing_left_out(const struct gate_verdict *verdict) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < verdict->budget_count; b++)
        for (uint32_t f = 0; f < verdict->budgets[b].finding_count; f++)
            count += verdict->budgets[b].findings[f].outcome >= GATE_OUTCOME_WARN &&
                     !gate_cause_tells(&verdict->budgets[b].findings[f]) && !gate_listing_has(&verdict->budgets[b], f);
    return count;
}

bool gate_listing_is_over(const struct gate_finding *finding) {
    return finding->reason != GATE_REASON_TOO_FEW_SAMPLES && finding->reason != GATE_REASON_WITHIN;
}

bool gate_listing_is_blind(const struct gate_finding *finding) {
    return finding->outcome == GATE_OUTCOME_WARN && !gate_listing_is_over(finding);
}

const struct gate_frame *gate_listing_cause_frame(const struct gate_verdict *verdict, const struct gate_cause *cause) {
    if (cause->frame == GATE_NO_INDEX)
        return NULL;
    return &verdict->comparisons[cause->comparison].pair.frames[cause->frame];
}

const struct gate_frame *gate_listing_frame(const struct gate_verdict *verdict, const struct gate_budget_result *result,
                                            const struct gate_finding *finding) {
    if (finding->frame == GATE_NO_INDEX || result->comparison >= verdict->comparison_count)
        return NULL;
    return &verdict->comparisons[result->comparison].pair.frames[finding->frame];
}
