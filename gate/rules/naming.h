/* SPDX-License-Identifier: Apache-2.0 */
/* Words for how frames are named, shared by rules files and noise models. */
#ifndef GATE_RULES_NAMING_H
#define GATE_RULES_NAMING_H

#include "gate/compare/pair.h"

/** "function", "line", ...: in the order of enum gate_granularity, NULL-terminated. */
extern const char *const gate_naming_granularities[];

/** "stable", "exact", NULL-terminated. The index is `exact_names`. */
extern const char *const gate_naming_modes[];

#endif
