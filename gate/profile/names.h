/* SPDX-License-Identifier: Apache-2.0 */
/* What stays the same across builds: a function's name without the parts that compilers number anew each time.
 * Numbers carry no meaning across builds; text does. Used by compare/pair.h, shown by `pprofgate inspect`. */
#ifndef GATE_PROFILE_NAMES_H
#define GATE_PROFILE_NAMES_H

#include "gate/base/str.h"

/** One rule, for `inspect` and the documentation. */
struct gate_name_rule {
    const char *language;    /* "Go", "Rust", "JVM", "C++", "V8", "Python" */
    const char *name;        /* "closure number" */
    const char *from, *to;   /* an example */
};

/** All rules, in the order of application; a NULL language ends the table. */
extern const struct gate_name_rule gate_name_rules[];

/**
 * The stable form of a function's name: itself (no copy) when no rule applies. `.ptr` is NULL when the arena is full.
 * Idempotent: the stable form of a stable form is itself. O(len).
 */
struct gate_str gate_name_stable(struct gate_arena *arena, struct gate_str name);

/** Whether a leaf of this name is signal skid, whose samples belong to its caller (Go's runtime.asyncPreempt). */
bool gate_name_is_skid(struct gate_str name);

/** Go, Java, Rust, C++, Python: the package, module or namespace of a function; empty when the name does not tell. */
struct gate_str gate_name_package(struct gate_str name);

/** Garbage collection, scheduler, allocator, JIT and interpreter internals: a cost the code causes but does not contain. */
bool gate_name_is_runtime(struct gate_str name);

#endif
