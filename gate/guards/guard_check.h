/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between guards and their caller: input, warnings. */
#ifndef GATE_GUARDS_GUARD_CHECK_H
#define GATE_GUARDS_GUARD_CHECK_H

#include "gate/compare/comparison.h"
#include "gate/rules/guard_rules.h"
#include "gate/rules/rules.h"

/* ---- warnings ---------------------------------------------------------------------------------------------------- */

/* A warning states something odd about a run that is not a finding. The guards of the rules silence or raise it. */

struct gate_warning {
    enum gate_guard guard;
    struct gate_str message;
    bool may_end; /* further runs may end it, unlike others of its guard (gate_guard_passes) */
};

/** A growing list in arena memory. */
struct gate_warning_list {
    struct gate_warning *items;
    size_t count, capacity;
};

/** Append a warning, unless the rules turn its guard off. Sets `*raised` if the rules make it an error. err:
 * GATE_ERR_LIMIT the arena is full, or the message is NULL. */
GATE_MUST_CHECK
bool gate_warning_add(struct gate_warning_list *list, const struct gate_rules *rules, struct gate_warning warning,
                      bool *raised, struct gate_arena *arena, struct gate_error *err);

/* ---- one guard --------------------------------------------------------------------------------------------------- */

struct gate_unseen;

struct gate_guard_check {
    const struct gate_comparison *comparison;
    const struct gate_pair *pair; /* pair of `comparison` */
    const struct gate_rules *rules;
    struct gate_arena *arena;
    struct gate_error *err;
    struct gate_warning *items; /* room for one warning per guard */
    uint32_t count;
    const struct gate_unseen *unseen; /* measured by the first guard that needs it; NULL: not yet (guards_unseen.c) */
};

/** A guard: records what it finds with gate_guard_check_warn. Returns false only on an error. */
typedef bool gate_guard_check_fn(struct gate_guard_check *check, double limit);

/** Record a warning. Returns false if the arena is full. */
GATE_MUST_CHECK
bool gate_guard_check_warn(struct gate_guard_check *check, enum gate_guard guard, const char *format, ...)
    GATE_PRINTF(3, 4);

#endif
