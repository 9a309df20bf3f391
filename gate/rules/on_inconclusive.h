/* SPDX-License-Identifier: Apache-2.0 */
/* Values of `on_inconclusive`: the result that an inconclusive verdict becomes. */
#ifndef GATE_RULES_ON_INCONCLUSIVE_H
#define GATE_RULES_ON_INCONCLUSIVE_H

enum gate_on_inconclusive {
    GATE_ON_INCONCLUSIVE_INCONCLUSIVE,
    GATE_ON_INCONCLUSIVE_PASS,
    GATE_ON_INCONCLUSIVE_WARN,
    GATE_ON_INCONCLUSIVE_FAIL
};

/** "inconclusive", "pass", "warn", "fail": in the order of the enum, NULL-terminated. */
extern const char *const gate_on_inconclusive_words[];

const char *gate_on_inconclusive_name(enum gate_on_inconclusive what);

#endif
