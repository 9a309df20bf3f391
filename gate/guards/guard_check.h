/* SPDX-License-Identifier: Apache-2.0 */
/* What one guard is given, and how it says what it found.
 * Pipeline: compare/comparison.h + rules/guard_rules.h -> guards/guard_check.h -> guards/guards_*.h */
#ifndef GATE_GUARDS_GUARD_CHECK_H
#define GATE_GUARDS_GUARD_CHECK_H

#include "gate/compare/comparison.h"
#include "gate/guards/warnings.h"
#include "gate/rules/guard_rules.h"

struct gate_unseen;

struct gate_guard_check {
    const struct gate_comparison *comparison;
    const struct gate_pair *pair; /* the comparison's */
    const struct gate_rules *rules;
    struct gate_arena *arena;
    struct gate_error *err;
    struct gate_warning *items; /* room for one of each guard */
    uint32_t count;
    const struct gate_unseen *unseen; /* measured for the first guard that asks; NULL: none did (guards_unseen.c) */
};

/** Returns false only on an error; what it finds it records with gate_guard_check_warn. */
typedef bool gate_guard_check_fn(struct gate_guard_check *check, double limit);

/** Record a warning; false when the arena is full. */
GATE_MUST_CHECK
bool gate_guard_check_warn(struct gate_guard_check *check, enum gate_guard guard, const char *format, ...)
    GATE_PRINTF(3, 4);

/** "baseline" or "canary". */
const char *gate_guard_check_side(uint32_t side);

#endif
