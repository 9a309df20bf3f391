/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict's one line (see headline.h). */
#include "gate/report/headline.h"

uint32_t gate_headline_tally(const struct gate_verdict *verdict, enum gate_outcome outcome) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < verdict->budget_count; i++)
        count += verdict->budgets[i].outcome == outcome;
    return count;
}

/* "2 of 5 budgets VERB"; behind the first part only "2 VERB". */
static void headline_part_of(struct gate_buf *out, uint32_t count, uint32_t all, bool first, const char *verb) {
    if (all == 1)
        gate_buf_printf(out, "the only budget %s", verb);
    else if (first)
        gate_buf_printf(out, "%u of %u budgets %s", count, all, verb);
    else
        gate_buf_printf(out, ", %u %s", count, verb);
}

static const char *headline_on_inconclusive(enum gate_on_inconclusive what) {
    static const char *const words[] = {
        [GATE_ON_INCONCLUSIVE_INCONCLUSIVE] = "inconclusive",
        [GATE_ON_INCONCLUSIVE_PASS] = "pass",
        [GATE_ON_INCONCLUSIVE_WARN] = "warn",
        [GATE_ON_INCONCLUSIVE_FAIL] = "fail",
    };
    return words[what];
}

/* Budgets that somebody wrote for functions that are not there. */
static uint32_t headline_idle(const struct gate_verdict *verdict) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < verdict->warning_count; i++)
        count += gate_str_equal(verdict->warnings[i].code, GATE_STR("no_match"));
    return count;
}

static bool headline_is_same(const struct gate_verdict *verdict) {
    for (uint32_t i = 0; i < verdict->comparison_count; i++)
        if (!verdict->comparisons[i].same_input)
            return false;
    return verdict->comparison_count > 0;
}

void gate_headline_print(struct gate_buf *out, const struct gate_verdict *verdict) {
    uint32_t all = verdict->budget_count;
    uint32_t failed = gate_headline_tally(verdict, GATE_OUTCOME_FAIL);
    uint32_t undecided = gate_headline_tally(verdict, GATE_OUTCOME_INCONCLUSIVE);
    uint32_t warned = gate_headline_tally(verdict, GATE_OUTCOME_WARN);
    if (all == 0) {
        gate_buf_text(out, "no budget applies");
        return;
    }
    if (failed > 0)
        headline_part_of(out, failed, all, true, failed == 1 ? "is broken" : "are broken");
    if (undecided > 0) {
        headline_part_of(out, undecided, all, failed == 0, "cannot be decided");
        if (verdict->outcome != GATE_OUTCOME_INCONCLUSIVE && failed == 0)
            gate_buf_printf(out, " (on_inconclusive: %s)", headline_on_inconclusive(verdict->rules->on_inconclusive));
    }
    if (warned > 0)
        headline_part_of(out, warned, all, failed + undecided == 0, warned == 1 ? "warns" : "warn");
    uint32_t idle = headline_idle(verdict);
    bool all_hold = failed + undecided + warned == 0;
    if (all_hold && all == 1)
        gate_buf_text(out, idle > 0 ? "the only budget selects nothing" : "the only budget holds");
    else if (all_hold && idle > 0)
        gate_buf_printf(out, "%u of %u budgets hold", all - idle, all);
    else if (all_hold)
        gate_buf_printf(out, "all %u budgets hold", all);
    if (idle > 0 && all > 1)
        gate_buf_printf(out, ", %u %s nothing", idle, idle == 1 ? "selects" : "select");
    if (all_hold && headline_is_same(verdict))
        gate_buf_text(out, ", but both sides are the same capture");
    if (verdict->guard_raised)
        gate_buf_text(out, ", but the sides are not comparable (a guard of severity error)");
}
