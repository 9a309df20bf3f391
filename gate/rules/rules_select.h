/* SPDX-License-Identifier: Apache-2.0 */
/* `select:` of a budget: which frames it means, by patterns over what is known of a frame.
 * Pipeline: rules/rules_value.h -> rules/rules_select.h -> rules/rules_budget.h */
#ifndef GATE_RULES_RULES_SELECT_H
#define GATE_RULES_RULES_SELECT_H

#include "gate/rules/rules_value.h"

/** Replaces the gate_select that `field` is. */
gate_rules_value_fn gate_rules_select_read;

/** Whether any pattern is given: without one every frame is meant. */
bool gate_rules_select_is_given(const struct gate_select *select);

extern const struct gate_rules_row gate_rules_select_keys[];
extern const struct gate_rules_row gate_rules_select_not_keys[];

#endif
