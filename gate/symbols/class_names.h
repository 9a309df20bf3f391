/* SPDX-License-Identifier: Apache-2.0 */
/* What a frame of the JVM was called before ProGuard or R8 renamed it, however profilers spell such names.
 * Pipeline: symbols/class_map.h -> symbols/class_names.h -> symbols/renaming.h */
#ifndef GATE_SYMBOLS_CLASS_NAMES_H
#define GATE_SYMBOLS_CLASS_NAMES_H

#include "gate/symbols/class_map.h"
#include "gate/symbols/symbol_lines.h"

/** A frame: "a.b.c", "a/b.c", "La/b;::c", with ":12", "(B.java:12)" or "_[j]" behind it. */
struct gate_class_place {
    struct gate_str name;
    struct gate_str file; /* or empty */
    int64_t line;         /* 0: not known, but for what stands in the name */
    bool has_slashes;     /* how the profile spells classes, for those of no package */
};

/**
 * The calls that the frame was, innermost first: several where a line is known to which calls were inlined; without
 * one, the method. A method that may be one of several keeps its name, and its class gets its own. None: the map does
 * not have the class. What stands behind the name stays, a line in it becomes the source's, and parameters go.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(rows of the name in that class), at most GATE_CLASS_ROWS_MAX.
 */
GATE_MUST_CHECK
bool gate_class_names_find(struct gate_symbol_answer *out, const struct gate_class_map *map,
                           const struct gate_class_place *place, struct gate_arena *arena, struct gate_error *err);

#endif
