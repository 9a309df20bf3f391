/* SPDX-License-Identifier: Apache-2.0 */
/* The words for how stacks become named frames, shared by `frames:` of a rules file and the noise model's file.
 * Pipeline: compare/pair.h -> rules/naming.h -> rules/rules_sections.h, rules/noise_file.h */
#ifndef GATE_RULES_NAMING_H
#define GATE_RULES_NAMING_H

#include "gate/compare/pair.h"

/** "function", "line", ...: in the order of enum gate_granularity, NULL-terminated. */
extern const char *const gate_naming_granularities[];

/** "stable", "exact": indexed by whether names are kept exact, NULL-terminated. */
extern const char *const gate_naming_modes[];

#endif
