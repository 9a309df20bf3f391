/* SPDX-License-Identifier: Apache-2.0 */
/* What stays the same across builds: a function's name without the parts that compilers number anew each time.
 * Numbers carry no meaning across builds; text does. Used by compare/frames.h, shown by `pprofgate inspect`. */
#ifndef GATE_PROFILE_NAME_STABLE_H
#define GATE_PROFILE_NAME_STABLE_H

#include "gate/base/str.h"

/** One rule, for `inspect` and the documentation. */
struct gate_name_stable_rule {
    const char *language;  /* "Go", "Rust", "JVM", "C++", "V8", "Python" */
    const char *name;      /* "closure number" */
    const char *from, *to; /* an example */
};

/** All rules, in the order of application; a NULL language ends the table. */
extern const struct gate_name_stable_rule gate_name_stable_rules[];

/**
 * The stable form of a function's name: itself (no copy) when no rule applies. `.ptr` is NULL when the arena is full.
 * Idempotent: the stable form of a stable form is itself. O(len).
 */
struct gate_str gate_name_stable(struct gate_arena *arena, struct gate_str name);

#endif
