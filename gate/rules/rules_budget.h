/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of `budgets:`: select, measure, limit. */
#ifndef GATE_RULES_RULES_BUDGET_H
#define GATE_RULES_RULES_BUDGET_H

#include "gate/rules/yaml.h"

/* ---- `limit:`: one amount, one per kind, or a warn and an error level -------------------------------------------- */

/** "warn", "error": the levels of a kind, mildest first, NULL-terminated. */
extern const char *const gate_rules_limit_levels[];

/* ---- `budgets:`: reading and merging budgets of several files ---------------------------------------------------- */

/** A budget that a later file may still change. The severity of a limit is OFF until the budget's severity is known. */
struct gate_rules_draft {
    struct gate_budget budget;
    bool severity_is_given;
    uint32_t file; /* number of the file that last wrote it */
};

struct gate_rules_drafts {
    struct gate_rules_draft *items; /* in order of first appearance */
    size_t count, capacity;
};

/**
 * Read a list of budgets. `field` is a struct gate_rules_drafts. A budget with the name of an earlier file's budget
 * overrides its keys.
 */
gate_rules_value_fn gate_rules_budget_read;

/** Check complete budgets: those that the current file wrote. err: GATE_ERR_CONFIG with line and column. */
GATE_MUST_CHECK bool gate_rules_budget_check(struct gate_rules_state *state, const struct gate_rules_drafts *drafts);

/** Keys of a budget. */
extern const struct gate_rules_row gate_rules_budget_keys[];

#endif
