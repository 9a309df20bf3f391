/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets of measure `trend` among those of a check: what is not judged is not passed in silence.
 * Pipeline: rules/rules.h -> guards/guards_trends.h -> budget/verdict.h */
#ifndef GATE_GUARDS_GUARDS_TRENDS_H
#define GATE_GUARDS_GUARDS_TRENDS_H

#include "gate/guards/warnings.h"

/**
 * Append a warning that budgets of measure trend are not looked at, where there are some.
 *
 * err   GATE_ERR_CONFIG all budgets that are on are of it, so that nothing would be judged; the arena is full
 */
GATE_MUST_CHECK
bool gate_guards_trends_check(struct gate_warning_list *out, const struct gate_rules *rules, bool *raised,
                              struct gate_arena *arena, struct gate_error *err);

#endif
