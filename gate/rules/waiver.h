/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets that excuse something until a day: whether they still hold.
 * Pipeline: rules/rules.h -> rules/waiver.h -> budget/verdict.h, `pprofgate validate` */
#ifndef GATE_RULES_WAIVER_H
#define GATE_RULES_WAIVER_H

#include "gate/rules/rules.h"

/** Whether `text` is a day of the Gregorian calendar as YYYY-MM-DD. Such days compare as text. */
bool gate_waiver_date_is_valid(struct gate_str text);

/**
 * Whether the budget is a waiver whose day lies before `today` (YYYY-MM-DD, handed in: there is no hidden clock; empty:
 * not known). On the day itself it still holds. A budget that is off can expire too: that is the usual waiver.
 *
 * What it means is the same everywhere: the budget is reported as expired, and no run passes until somebody renewed or
 * removed it, whatever its severity and `on_inconclusive` are.
 */
bool gate_waiver_is_expired(const struct gate_budget *budget, struct gate_str today);

/** What to say of an expired waiver, and what to do about it; arena memory, `.ptr` NULL when it is full. */
struct gate_str gate_waiver_sentence(const struct gate_budget *budget, struct gate_arena *arena);
struct gate_str gate_waiver_advice(const struct gate_budget *budget, struct gate_arena *arena);

#endif
