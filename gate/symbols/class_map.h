/* SPDX-License-Identifier: Apache-2.0 */
/* ProGuard and R8 mapping files (mapping.txt), which map obfuscated Java names to original names. */
#ifndef GATE_SYMBOLS_CLASS_MAP_H
#define GATE_SYMBOLS_CLASS_MAP_H

#include "gate/base/error.h"
#include "gate/base/table.h"
#include "gate/symbols/symbol_lines.h"

enum { GATE_CLASS_ROWS_MAX = 100000 }; /* of one method name in one class; further rows are ignored */

/**
 * One line of a method: its line range in the obfuscated program, and the original method and lines. Views of the text.
 */
struct gate_class_row {
    struct gate_str class_name; /* original class, if the code was inlined from another class; else empty */
    struct gate_str method;
    int64_t first, last;               /* line range in the obfuscated program; 0: any line */
    int64_t source_first, source_last; /* original line range; 0: unchanged */
    uint32_t next;                     /* next row of the same method name and class; GATE_TABLE_NONE: none */
    bool is_caller;                    /* the row before this one was inlined into this one */
};

struct gate_class {
    struct gate_str name; /* original name, with dots */
    struct gate_str file; /* "Cart.java", if a comment gives it; else empty */
};

/** A mapping file. Arena memory, and views of the text. */
struct gate_class_map {
    struct gate_table class_keys;  /* obfuscated class names, with dots; indices of `classes` */
    struct gate_table method_keys; /* obfuscated class name, newline, method name; indices of `heads` and `tails` */
    struct gate_class *classes;
    uint32_t *heads, *tails; /* first and last row of each method name */
    struct gate_class_row *rows;
    size_t class_capacity, head_capacity, tail_capacity, row_count, row_capacity;
};

/** Return whether a text that starts with `head` is a mapping file. */
bool gate_class_map_sniff(struct gate_str head);

/** Parse the mapping file `text`, which must outlive the map. Lines that describe neither class nor method are ignored,
 * as ReTrace does. O(bytes). */
GATE_MUST_CHECK
bool gate_class_map_read(struct gate_class_map *out, struct gate_str text, struct gate_arena *arena,
                         struct gate_error *err);

/** Return the class with the obfuscated name `name`, with dots, or NULL. O(length). */
const struct gate_class *gate_class_map_class(const struct gate_class_map *map, struct gate_str name);

/**
 * Return the first row of the obfuscated `method` in the class with the obfuscated name `name`, or GATE_TABLE_NONE.
 * Allocates a key from `arena`; also returns GATE_TABLE_NONE if the arena is full. O(length).
 */
uint32_t gate_class_map_method(const struct gate_class_map *map, struct gate_str name, struct gate_str method,
                               struct gate_arena *arena);

/* ---- frames of the JVM: the original names of classes and methods that ProGuard or R8 renamed -------------------- */

/** A frame of the JVM. Its name may be "a.b.c", "a/b.c" or "La/b;::c", followed by ":12", "(B.java:12)" or "_[j]". */
struct gate_class_place {
    struct gate_str name;
    struct gate_str file; /* may be empty */
    int64_t line;         /* 0: unknown, unless the name contains a line */
    bool has_slashes;     /* the profile writes class names with slashes; used for classes without a package */
};

/**
 * Find the original calls of a frame, innermost first. There are several if calls were inlined at the frame's line.
 * Without a known line, only the method is found. If several methods are possible, only the class gets its original
 * name. `out->count` is 0 if the map does not contain the class.
 *
 * "_[j]" after the name is kept, ":12" becomes the original line, and parameters or "(B.java:12)" are removed.
 *
 * O(rows of the name in that class), at most GATE_CLASS_ROWS_MAX.
 */
GATE_MUST_CHECK
bool gate_class_names_find(struct gate_symbol_answer *out, const struct gate_class_map *map,
                           const struct gate_class_place *place, struct gate_arena *arena, struct gate_error *err);

#endif
