/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets with an expiry date (waivers). */
#ifndef GATE_RULES_WAIVER_H
#define GATE_RULES_WAIVER_H

#include "gate/rules/rules.h"

/**
 * Return whether `text` is a date of the Gregorian calendar from 1970 on, as YYYY-MM-DD. Such dates can be compared as
 * text.
 */
bool gate_waiver_date_is_valid(struct gate_str text);

/**
 * Return whether the budget's expiry date is before `today` (YYYY-MM-DD). It is still valid on the date itself. A
 * budget with severity off, the usual waiver, can expire too.
 *
 * An expired budget is reported, and no run passes until it is renewed or removed, whatever its severity and
 * `on_inconclusive`.
 *
 * today  passed by the caller, so that results do not depend on a clock; empty: unknown, nothing expires
 */
bool gate_waiver_is_expired(const struct gate_budget *budget, struct gate_str today);

/**
 * Return the message about an expired waiver, and the advice what to do, in arena memory. `.ptr` is NULL if the arena
 * is full.
 */
struct gate_str gate_waiver_sentence(const struct gate_budget *budget, struct gate_arena *arena);

struct gate_str gate_waiver_advice(const struct gate_budget *budget, struct gate_arena *arena);

#endif
