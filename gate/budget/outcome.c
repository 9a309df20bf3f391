/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/outcome.h"

#include "gate/base/error.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *capitals, *budget;
} outcomes[] = {
    [GATE_OUTCOME_PROVEN] = {"proven", "PROVEN", "holds"},
    [GATE_OUTCOME_PASS] = {"pass", "PASS", "holds"},
    [GATE_OUTCOME_WARN] = {"warn", "WARN", "warns"},
    [GATE_OUTCOME_INCONCLUSIVE] = {"inconclusive", "INCONCLUSIVE", "undecided"},
    [GATE_OUTCOME_FAIL] = {"fail", "FAIL", "broken"},
};

static const char *const reasons[] = {
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
    [GATE_REASON_RUNTIME] = "runtime_load",
    [GATE_REASON_TOLERATED] = "below_max_mde",
    [GATE_REASON_SMALL] = "below_min_growth",
    [GATE_REASON_OWN_CALLERS] = "own_callers",
    [GATE_REASON_FILLS] = "fills_up",
    [GATE_REASON_SLOWER] = "grows_more_slowly",
    [GATE_REASON_UNTIMED] = "untimed",
    [GATE_REASON_OTHERS_CHEAPER] = "others_cheaper",
    [GATE_REASON_TOTAL_FELL] = "total_fell",
    [GATE_REASON_TOTAL_GREW] = "total_grew",
    [GATE_REASON_WAITING_MOVED] = "waiting_moved",
    [GATE_REASON_SINCE_START] = "since_start",
    [GATE_REASON_START_UP] = "start_up",
    [GATE_REASON_ONE_START] = "one_start",
    [GATE_REASON_REPLACED] = "replaced",
    [GATE_REASON_SLOWED] = "moved_or_slowed",
    [GATE_REASON_OTHER_WAY] = "other_way",
    [GATE_REASON_ONE_FUNCTION] = "one_function",
    [GATE_REASON_INTERPRETED] = "interpreted",
    [GATE_REASON_INLINED] = "inlined",
    [GATE_REASON_INLINED_TOGETHER] = "inlined_together",
    [GATE_REASON_MISPLACED] = "misplaced",
    [GATE_REASON_UPGRADED] = "upgraded",
    [GATE_REASON_UNEQUAL_LOAD] = "unequal_load",
    [GATE_REASON_PREEMPTED] = "preempted",
    [GATE_REASON_SLOWER_MACHINE] = "slower_machine",
    [GATE_REASON_THREADS] = "threads",
};

const char *gate_outcome_name(enum gate_outcome outcome) {
    return outcomes[outcome].name;
}

const char *gate_outcome_capitals(enum gate_outcome outcome) {
    return outcomes[outcome].capitals;
}

const char *gate_outcome_of_budget(enum gate_outcome outcome) {
    return outcomes[outcome].budget;
}

const char *gate_reason_name(enum gate_reason reason) {
    return reasons[reason];
}

/* ---- exit codes -------------------------------------------------------------------------------------------------- */

enum gate_exit gate_exit_code_of(enum gate_outcome outcome) {
    switch (outcome) {
    case GATE_OUTCOME_FAIL:
        return GATE_EXIT_FAIL;
    case GATE_OUTCOME_INCONCLUSIVE:
        return GATE_EXIT_INCONCLUSIVE;
    case GATE_OUTCOME_PROVEN:
    case GATE_OUTCOME_PASS:
    case GATE_OUTCOME_WARN:
        return GATE_EXIT_PASS;
    }
    return GATE_EXIT_BUG;
}
