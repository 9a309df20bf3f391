/* SPDX-License-Identifier: Apache-2.0 */
/* The last hypothesis of some hashes of counts (see known.h). */
#include "gate/budget/known.h"

/* Which frames a limit is milder to. */
static bool is_of_one_kind(const struct gate_hypothesis *a, const struct gate_hypothesis *b) {
    return a->is_cost == b->is_cost && a->is_runtime == b->is_runtime && a->is_bystander == b->is_bystander &&
           a->is_named == b->is_named && a->is_restrained == b->is_restrained && a->is_tested == b->is_tested &&
           a->is_in_family == b->is_in_family && a->measure == b->measure && a->severity == b->severity;
}

static bool is_of_one_limit(const struct gate_hypothesis *a, const struct gate_hypothesis *b) {
    return a->limit == b->limit && a->limit_value == b->limit_value && a->least_share == b->least_share &&
           a->log_level == b->log_level && a->detectable == b->detectable;
}

static bool is_of_one_evidence(const struct gate_evidence *a, const struct gate_evidence *b) {
    if (a == b)
        return true;
    for (int side = 0; side < GATE_SIDES; side++)
        if (a->share[side] != b->share[side] || a->sample_n[side] != b->sample_n[side])
            return false;
    return a->delta == b->delta && a->variation == b->variation && gate_evidence_is_alike(a, b);
}

const struct gate_hypothesis *gate_known_swap(struct gate_known *known, const struct gate_hypothesis *hypothesis) {
    const struct gate_hypothesis **slot = &known->slots[gate_evidence_key(hypothesis->evidence) % GATE_KNOWN_SLOTS];
    const struct gate_hypothesis *before = *slot, *h = hypothesis;
    *slot = h;
    bool is_same = before != NULL && before->own == NULL && h->own == NULL && is_of_one_limit(before, h) &&
                   before->log_p == h->log_p && before->log_p_adjusted == h->log_p_adjusted &&
                   is_of_one_kind(before, h) && is_of_one_evidence(before->evidence, h->evidence);
    return is_same ? before : NULL;
}

void gate_known_decide(struct gate_known *known, struct gate_hypothesis *hypothesis,
                       const struct gate_decision_rules *rules) {
    const struct gate_hypothesis *same = gate_known_swap(known, hypothesis);
    if (same == NULL) {
        gate_hypothesis_decide(hypothesis, rules);
        return;
    }
    hypothesis->outcome = same->outcome;
    hypothesis->reason = same->reason;
    hypothesis->level_margin = same->level_margin;
    hypothesis->detectable = same->detectable;
    hypothesis->settle_factor = same->settle_factor;
}
