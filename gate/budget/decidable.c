/* SPDX-License-Identifier: Apache-2.0 */
/* How often runs can decide a budget (see decidable.h). */
#include "gate/budget/decidable.h"

#include <math.h>
#include <stdlib.h>

/* As the proof of "no more than may go unseen" has it (budget/decide.c). */
static const double HELD_LEVEL = 0.05;

/* What the open hypotheses of one budget in one pair come to. */
struct opened {
    bool any;
    enum gate_reason reason;
    double mde, factor, longer; /* INFINITY: does not help */
};

bool gate_decidable_begin(struct gate_decidable **out, const struct gate_rules *rules, uint32_t pairs,
                          struct gate_arena *arena, struct gate_error *err) {
    struct gate_decidable *list = GATE_NEW_ARRAY(arena, struct gate_decidable, (size_t)rules->budget_count + 1);
    for (uint32_t i = 0; list != NULL && i < rules->budget_count; i++) {
        list[i].mde = GATE_NEW_ARRAY(arena, double, (size_t)pairs + 1);
        list[i].factor = GATE_NEW_ARRAY(arena, double, (size_t)pairs + 1);
        list[i].longer = GATE_NEW_ARRAY(arena, double, (size_t)pairs + 1);
        if (list[i].mde == NULL || list[i].factor == NULL || list[i].longer == NULL)
            return gate_arena_error(arena, err);
    }
    *out = list;
    return list != NULL || gate_arena_error(arena, err);
}

static bool is_open(const struct gate_hypothesis *h) {
    if (h->is_bystander || h->outcome == GATE_OUTCOME_FAIL)
        return false;
    switch (h->reason) {
    case GATE_REASON_UNCONFIRMED:
    case GATE_REASON_TOO_FEW_SAMPLES:
    case GATE_REASON_OWN_COST_OPEN:
    case GATE_REASON_DELAY_REPLICATES:
    case GATE_REASON_MIN_SAMPLES:
    case GATE_REASON_NOT_COMPARABLE:
        return true;
    default:
        return false;
    }
}

/* A larger max_mde decides what was left open for want of samples, in the limit's own direction. */
static double mde_of(const struct gate_hypothesis *h) {
    bool is_held_up = h->reason == GATE_REASON_TOO_FEW_SAMPLES || h->reason == GATE_REASON_UNCONFIRMED;
    double upper = is_held_up ? gate_evidence_upper(h->evidence, HELD_LEVEL) : INFINITY;
    return upper < 1.0 ? upper : INFINITY;
}

static void open_add(struct opened *opened, const struct gate_hypothesis *h) {
    double mde = mde_of(h), factor = h->settle_factor > 0.0 ? h->settle_factor : INFINITY;
    double longer = h->longer_factor > 0.0 ? h->longer_factor : INFINITY;
    bool is_first = !opened->any;
    if (is_first || factor > opened->factor) {
        opened->factor = factor;
        opened->reason = h->reason;
    }
    opened->longer = is_first || longer > opened->longer ? longer : opened->longer;
    opened->mde = is_first || mde > opened->mde ? mde : opened->mde;
    opened->any = true;
}

static void decidable_add(struct gate_decidable *at, const struct opened *opened) {
    at->undecided++;
    at->reason = opened->reason;
    if (isfinite(opened->mde))
        at->mde[at->mde_count++] = opened->mde;
    if (isfinite(opened->factor))
        at->factor[at->factor_count++] = opened->factor;
    if (isfinite(opened->longer))
        at->longer[at->longer_count++] = opened->longer;
}

void gate_decidable_note(struct gate_decidable *list, const struct gate_verdict *verdict) {
    for (uint32_t i = 0; i < verdict->budget_count; i++) {
        const struct gate_budget_result *result = &verdict->budgets[i];
        uint32_t budget = (uint32_t)(result->budget - verdict->rules->budgets);
        struct gate_decidable *at = &list[budget];
        struct opened opened = {
            .reason = GATE_REASON_NOT_COMPARABLE, .mde = INFINITY, .factor = INFINITY, .longer = INFINITY};
        for (size_t h = 0; h < verdict->hypothesis_count; h++)
            if (verdict->hypotheses[h].budget == budget && is_open(&verdict->hypotheses[h]))
                open_add(&opened, &verdict->hypotheses[h]);
        at->pairs++;
        at->has_model = result->comparison != GATE_NO_INDEX && verdict->comparisons[result->comparison].noise != NULL;
        bool has_nothing = result->finding_count > 0 && result->findings[0].reason == GATE_REASON_NOT_COMPARABLE;
        if (opened.any || has_nothing)
            decidable_add(at, &opened);
    }
}

static int by_size(const void *left, const void *right) {
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

double gate_decidable_most(double *values, uint32_t count) {
    if (count == 0)
        return 0.0;
    qsort(values, count, sizeof *values, by_size);
    return values[(uint32_t)ceil(0.9 * count) - 1];
}
