/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets that excuse something until a day: whether they still hold.
 * Pipeline: rules/rules.h -> rules/waiver.h -> budget/verdict.h, `pprofgate validate` */
#ifndef GATE_RULES_WAIVER_H
#define GATE_RULES_WAIVER_H

#include "gate/rules/rules.h"

/** Whether `text` is a day of the Gregorian calendar as YYYY-MM-DD. Such days compare as text. */
bool gate_waiver_date_is_valid(struct gate_str text);

/**
 * Whether every waiver still holds on `today` (YYYY-MM-DD, handed in: there is no hidden clock), also those of
 * budgets that are off.
 *
 * err   GATE_ERR_CONFIG at the first that has run out, with its reason and owner; for a budget of an extended file
 *       without line and column, and with its place in the message
 */
GATE_MUST_CHECK
bool gate_waiver_check(const struct gate_rules *rules, struct gate_str today, struct gate_error *err);

/** Whether the budget is a waiver whose day lies before `today` (YYYY-MM-DD); on the day itself it still holds. */
bool gate_waiver_is_expired(const struct gate_budget *budget, struct gate_str today);

#endif
