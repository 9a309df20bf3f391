/* SPDX-License-Identifier: Apache-2.0 */
/* The section `try` of a rules file: its keys, and what they must be together.
 * Pipeline: rules/rules_value.h -> rules/rules_try.h -> rules/rules_parse.h */
#ifndef GATE_RULES_RULES_TRY_H
#define GATE_RULES_RULES_TRY_H

#include "gate/rules/rules_value.h"

/** `field` is the gate_rules that the section belongs to. */
gate_rules_value_fn gate_rules_try_read;

/**
 * What only all files together can tell: the preset has what it needs, and no key that it does not take.
 *
 * err   GATE_ERR_CONFIG at the section, or without a place where another file has it
 */
GATE_MUST_CHECK bool gate_rules_try_settle(struct gate_rules_state *state);

extern const struct gate_rules_row gate_rules_try_keys[];

#endif
