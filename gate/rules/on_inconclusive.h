/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a verdict that cannot be reached: `defaults.on_inconclusive`, `check --on-inconclusive`.
 * Part of rules/rules.h; its words are those of the rules file, of the command line and of every report. */
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
