/* SPDX-License-Identifier: Apache-2.0 */
/* The table of guards, and the guards on runs, origin, load, idle time and verdict. */
#ifndef GATE_GUARDS_GUARDS_H
#define GATE_GUARDS_GUARDS_H

#include "gate/compare/comparison.h"
#include "gate/compare/cost.h"
#include "gate/guards/guard_check.h"
#include "gate/rules/guard_rules.h"

/* ---- trend budgets in other commands ----------------------------------------------------------------------------- */

/** Append a warning if the rules contain budgets of measure trend, which only `pprofgate trend` decides. err:
 * GATE_ERR_CONFIG all budgets that are on are of that measure, so there is nothing to decide; GATE_ERR_LIMIT. */
GATE_MUST_CHECK
bool gate_guards_trends_check(struct gate_warning_list *out, const struct gate_rules *rules, bool *raised,
                              struct gate_arena *arena, struct gate_error *err);

/* ---- guards ------------------------------------------------------------------------------------------------------ */

/* Guards warn of comparisons that are not meaningful. The rules can raise each named warning to an error. */

/** When a guard can check a comparison. */
enum gate_guard_stage {
    GATE_GUARDS_LATER,    /* raised with the budgets, or not about profiles: gate_guards_check skips them */
    GATE_GUARDS_AS_MADE,  /* pair and deltas are filled */
    GATE_GUARDS_AS_JUDGED /* work and noise model are known, too */
};

/**
 * Run the guards of `stage` on both sides of a comparison.
 *
 * out    arena memory, in order of enum gate_guard, without guards whose severity is off. A message gives the
 *        numbers and the next step. Comparisons made of the same files repeat the warnings about those files.
 *        Empty for a value of --by
 * err    GATE_ERR_OVERFLOW, GATE_ERR_LIMIT
 *
 * O(stack slots + frames).
 */
GATE_MUST_CHECK
bool gate_guards_check(struct gate_warning **out, uint32_t *count, enum gate_guard_stage stage,
                       const struct gate_comparison *comparison, const struct gate_rules *rules,
                       struct gate_arena *arena, struct gate_error *err);

/**
 * Return whether the CPU time per second of simultaneous runs is over `limit` as measured, and grew significantly
 * (one-sided, 5%). O(1).
 */
bool gate_guards_time_grew(const struct gate_total_cost *total, double limit);

#endif
