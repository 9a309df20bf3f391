/* SPDX-License-Identifier: Apache-2.0 */
/* How much a budget, one of its levels or a guard weighs.
 * Part of rules/rules.h; its words are those of the rules file and of every report. */
#ifndef GATE_RULES_SEVERITY_H
#define GATE_RULES_SEVERITY_H

#include "gate/base/error.h"

/** Milder first, so that the smaller of two is the milder one. */
enum GATE_ONE_BYTE gate_severity { GATE_SEVERITY_OFF, GATE_SEVERITY_WARN, GATE_SEVERITY_ERROR };

/** "off", "warn", "error": in the order of the enum, NULL-terminated. */
extern const char *const gate_severity_words[];

const char *gate_severity_name(enum gate_severity severity);

#endif
