/* SPDX-License-Identifier: Apache-2.0 */
/* What is odd about a run without being a finding: warnings as data, silenced or raised by the rules' guards.
 * Pipeline: rules/rules.h -> guards/warnings.h -> guards/guards.h, budget/verdict.h */
#ifndef GATE_GUARDS_WARNINGS_H
#define GATE_GUARDS_WARNINGS_H

#include "gate/rules/rules.h"

struct gate_warning {
    struct gate_str code; /* "same_file", "few_samples", ... */
    struct gate_str message;
};

/** Grows in the arena. */
struct gate_warning_list {
    struct gate_warning *items;
    size_t count, capacity;
};

/** Append a warning unless a guard of the rules turns its code off. `*raised` is set when a guard makes it an error. */
GATE_MUST_CHECK
bool gate_warning_add(struct gate_warning_list *list, const struct gate_rules *rules, struct gate_warning warning,
                      bool *raised, struct gate_arena *arena, struct gate_error *err);

#endif
