/* SPDX-License-Identifier: Apache-2.0 */
/* Names as programmers wrote them, from those that linkers have: C++ (Itanium ABI) and Rust (v0 and older), by
 * libiberty. Used by symbols/binary_names.h and symbols/symbolise.h */
#ifndef GATE_SYMBOLS_DEMANGLE_H
#define GATE_SYMBOLS_DEMANGLE_H

#include "gate/base/str.h"

enum { GATE_DEMANGLE_BYTES = 16 * 1024 }; /* no name is longer, in or out */

/** Whether this program was built with libiberty. Without it names stay as they are. */
bool gate_demangle_is_built(void);

/** Whether a name begins as mangled ones do. O(1). */
bool gate_demangle_is_mangled(struct gate_str name);

/**
 * The name without parameters, as perf has it: "ns::Stack<int>::push", "shop::cart::total". A name that is not mangled,
 * malformed, or longer than GATE_DEMANGLE_BYTES either way is returned as it is. What a compiler appended (".isra.0",
 * Rust's hash) goes. `.ptr` NULL: the arena is full.
 *
 * Memory of the arena; the time is bounded by the length of what comes out.
 */
struct gate_str gate_demangle(struct gate_arena *arena, struct gate_str name);

#endif
