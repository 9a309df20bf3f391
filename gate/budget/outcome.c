/* SPDX-License-Identifier: Apache-2.0 */
/* Names of outcomes and reasons (see outcome.h). */
#include "gate/budget/outcome.h"

static const char *const outcome_names[] = {"proven", "pass", "warn", "inconclusive", "fail"};

const char *gate_outcome_name(enum gate_outcome outcome) {
    return outcome_names[outcome];
}

const char *gate_reason_name(enum gate_reason reason) {
    static const char *const names[] = {
        "within_budget",    "over_budget",   "severity_warn", "unconfirmed",      "too_few_samples",
        "one_pair",         "others_shrank", "cost_shift",    "delay_replicates", "min_samples",
        "no_match",         "not_comparable", "expired",      "not_sustained",    "below_max_mde"};
    return names[reason];
}
