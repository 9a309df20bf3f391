/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of the section `try`. */
#ifndef GATE_RULES_RULES_TRY_H
#define GATE_RULES_RULES_TRY_H

#include "gate/rules/yaml.h"

/** Read the section `try`. `field` is the struct gate_rules to fill. */
gate_rules_value_fn gate_rules_try_read;

/**
 * Check the section after all files were read: it has the keys that its preset needs, and no others.
 *
 * err   GATE_ERR_CONFIG at the section, or without line and column if an extended file contains it
 */
GATE_MUST_CHECK bool gate_rules_try_settle(struct gate_rules_state *state);

/** Keys of the section. */
extern const struct gate_rules_row gate_rules_try_keys[];

#endif
