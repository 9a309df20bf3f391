/* SPDX-License-Identifier: Apache-2.0 */
/* `limit:` of a budget: one amount, one for each kind, or a warn and an error level of it.
 * Pipeline: rules/limit.h + rules/rules_value.h -> rules/rules_limit.h -> rules/rules_budget.h */
#ifndef GATE_RULES_RULES_LIMIT_H
#define GATE_RULES_RULES_LIMIT_H

#include "gate/rules/rules_value.h"

/** Replaces the limits of the gate_budget that `field` is. */
gate_rules_value_fn gate_rules_limit_read;

/** "warn", "error": the levels of a kind, in the order of their severity, NULL-terminated. */
extern const char *const gate_rules_limit_levels[];

#endif
