/* SPDX-License-Identifier: Apache-2.0 */
/* The language of the rules file: its keys as a table, places in it, dates. The data it becomes is budget/budget.h.
 * Used by cli/ (errors, `validate`) and by the tests that hold rules/README.md and rules/schema.json to the parser. */
#ifndef GATE_BUDGET_RULES_H
#define GATE_BUDGET_RULES_H

#include "gate/base/buf.h"
#include "gate/budget/budget.h"

/** One key that the parser knows. */
struct gate_rules_key {
    const char *section; /* "", "defaults", "budgets[]", "budgets[].select.not", ... */
    const char *name;    /* "min_share" */
};

/** Key number `index`, section by section; false past the last. */
bool gate_rules_key_at(uint32_t index, struct gate_rules_key *out);

/**
 * The source line of a place and a caret under it, as a terminal may show them:
 *
 *      14 |       share_incraese: "+5pp"
 *         |       ^
 *
 * Nothing when `line` is 0 or past the end. Controls are replaced, long lines are cut around the place. O(text).
 */
void gate_rules_caret(struct gate_buf *out, struct gate_str text, uint32_t line, uint32_t column);

/** Whether `text` is a day of the Gregorian calendar as YYYY-MM-DD. Such days compare as text. */
bool gate_rules_date_is_valid(struct gate_str text);

/**
 * Whether every waiver still holds on `today` (YYYY-MM-DD, handed in: there is no hidden clock), also those of
 * budgets that are off.
 *
 * err   GATE_ERR_CONFIG at the first that has run out, with its reason and owner; for a budget of an extended file
 *       without line and column, and with its place in the message
 */
GATE_MUST_CHECK
bool gate_rules_check_expiry(const struct gate_rules *rules, struct gate_str today, struct gate_error *err);

/** Whether the budget is a waiver whose day lies before `today` (YYYY-MM-DD); on the day itself it still holds. */
bool gate_budget_is_expired(const struct gate_budget *budget, struct gate_str today);

#endif
