/* SPDX-License-Identifier: Apache-2.0 */
/* All keys of the rules file as one table, for the tests that hold rules/README.md and rules/schema.json to the parser.
 * Pipeline: rules/rules_parse.h and all below it -> rules/rules_keys.h -> tests */
#ifndef GATE_RULES_RULES_KEYS_H
#define GATE_RULES_RULES_KEYS_H

#include "gate/base/error.h"

/** One key that the parser knows. */
struct gate_rules_key {
    const char *section; /* "", "defaults", "budgets[]", "budgets[].select.not", ... */
    const char *name;    /* "min_share" */
};

/** Key number `index`, section by section; false past the last. */
bool gate_rules_keys_at(uint32_t index, struct gate_rules_key *out);

#endif
