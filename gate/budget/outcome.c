/* SPDX-License-Identifier: Apache-2.0 */
/* Names of outcomes and reasons (see outcome.h). */
#include "gate/budget/outcome.h"

static const char *const outcome_names[] = {
    [GATE_OUTCOME_PROVEN] = "proven",
    [GATE_OUTCOME_PASS] = "pass",
    [GATE_OUTCOME_WARN] = "warn",
    [GATE_OUTCOME_INCONCLUSIVE] = "inconclusive",
    [GATE_OUTCOME_FAIL] = "fail",
};

static const char *const reason_names[] = {
    [GATE_REASON_WITHIN] = "within_budget",
    [GATE_REASON_OVER] = "over_budget",
    [GATE_REASON_SEVERITY_WARN] = "severity_warn",
    [GATE_REASON_UNCONFIRMED] = "unconfirmed",
    [GATE_REASON_TOO_FEW_SAMPLES] = "too_few_samples",
    [GATE_REASON_OTHERS_SHRANK] = "others_shrank",
    [GATE_REASON_OWN_COST_OPEN] = "own_cost_open",
    [GATE_REASON_SHIFT] = "cost_shift",
    [GATE_REASON_DELAY_REPLICATES] = "delay_replicates",
    [GATE_REASON_MIN_SAMPLES] = "min_samples",
    [GATE_REASON_NO_MATCH] = "no_match",
    [GATE_REASON_NOT_COMPARABLE] = "not_comparable",
    [GATE_REASON_EXPIRED] = "expired",
    [GATE_REASON_NOT_SUSTAINED] = "not_sustained",
    [GATE_REASON_TOLERATED] = "below_max_mde",
};

const char *gate_outcome_name(enum gate_outcome outcome) {
    return outcome_names[outcome];
}

const char *gate_reason_name(enum gate_reason reason) {
    return reason_names[reason];
}
