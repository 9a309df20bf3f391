/* SPDX-License-Identifier: Apache-2.0 */
/* Demangles C++ and Rust names. */
#ifndef GATE_SYMBOLS_DEMANGLE_H
#define GATE_SYMBOLS_DEMANGLE_H

#include "gate/base/str.h"

enum { GATE_DEMANGLE_BYTES = 16 * 1024 }; /* maximum length of a name before and after demangling */

/** Return whether this program was built with libiberty. Otherwise names are not demangled. */
bool gate_demangle_is_built(void);

/** Return whether `name` starts like a mangled name. O(1). */
bool gate_demangle_is_mangled(struct gate_str name);

/**
 * Demangle `name` without parameters, as perf does: "ns::Stack<int>::push", "shop::cart::total".
 *
 * Compiler suffixes (".isra.0", Rust's hash) are removed. A name that is not mangled, is malformed, or is longer than
 * GATE_DEMANGLE_BYTES before or after demangling is returned unchanged. `.ptr` is NULL if the arena is full.
 *
 * Uses arena memory. The time is bounded by the length of the result.
 */
struct gate_str gate_demangle(struct gate_arena *arena, struct gate_str name);

#endif
