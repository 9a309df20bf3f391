/* SPDX-License-Identifier: Apache-2.0 */
/* `budgets:` of a rules file, while files are still being laid over each other, and what a whole budget must be.
 * Pipeline: rules/rules_limit.h + rules/rules_select.h -> rules/rules_budget.h -> rules/rules_parse.h */
#ifndef GATE_RULES_RULES_BUDGET_H
#define GATE_RULES_RULES_BUDGET_H

#include "gate/rules/rules_value.h"

/** A budget that a later file may still change. A limit's severity is OFF until its budget's is known. */
struct gate_rules_draft {
    struct gate_budget budget;
    bool severity_is_given;
    uint32_t file; /* number of the file that wrote it last */
};

struct gate_rules_drafts {
    struct gate_rules_draft *items; /* by first appearance */
    size_t count, capacity;
};

/** Lays a list of budgets over the gate_rules_drafts that `field` is. */
gate_rules_value_fn gate_rules_budget_read;

/** Checks that need a whole budget, for those that the current file wrote. */
GATE_MUST_CHECK bool gate_rules_budget_check(struct gate_rules_state *state, const struct gate_rules_drafts *drafts);

/** Resolve the severities of every draft and move the budgets into the rules. */
GATE_MUST_CHECK bool gate_rules_budget_settle(struct gate_rules_state *state, const struct gate_rules_drafts *drafts);

extern const struct gate_rules_row gate_rules_budget_keys[];

#endif
