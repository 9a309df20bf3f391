/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a set of rules (see rules.h). */
#include "gate/rules/rules.h"

void gate_rules_free(struct gate_rules *rules) {
    for (uint32_t i = 0; i < rules->regex_count; i++)
        gate_regex_free(rules->regexes[i]);
    rules->regexes = NULL;
    rules->regex_count = 0;
}
