/* SPDX-License-Identifier: Apache-2.0 */
/* `mapping.txt`: what ProGuard or R8 wrote of the names that it took from classes and methods (ProGuard's manual,
 * "ReTrace"; R8's doc/retrace.md). Pipeline: symbols/symbol_files.h -> symbols/class_map.h -> symbols/class_names.h */
#ifndef GATE_SYMBOLS_CLASS_MAP_H
#define GATE_SYMBOLS_CLASS_MAP_H

#include "gate/base/table.h"

enum { GATE_CLASS_ROWS_MAX = 100000 }; /* of one name in one class, more are not looked at */

/** One line of a method: lines of the program as it is, and what is there of the source. Views of the text. */
struct gate_class_row {
    struct gate_str class_name; /* of what was inlined from elsewhere; empty: the class it stands in */
    struct gate_str method;
    int64_t first, last;               /* 0: any line */
    int64_t source_first, source_last; /* 0: as it is */
    uint32_t next;                     /* row of the same name in the same class, GATE_TABLE_NONE: none */
    bool is_caller;                    /* the row before it was inlined into this one */
};

struct gate_class {
    struct gate_str name; /* with dots */
    struct gate_str file; /* "Cart.java", where a comment says so; or empty */
};

/** Arena memory, and views of the text that was read. */
struct gate_class_map {
    struct gate_table class_keys;  /* names as they are, with dots: indices of `classes` */
    struct gate_table method_keys; /* class, a newline and the method: indices of `heads` and `tails` */
    struct gate_class *classes;
    uint32_t *heads, *tails; /* first and last row */
    struct gate_class_row *rows;
    size_t class_capacity, head_capacity, tail_capacity, row_count, row_capacity;
};

/** Whether a text that begins like `head` is one. */
bool gate_class_map_sniff(struct gate_str head);

/**
 * Read `text`, which has to outlive the map. Lines that say nothing of classes and methods are passed over, as ReTrace
 * does.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(bytes).
 */
GATE_MUST_CHECK
bool gate_class_map_read(struct gate_class_map *out, struct gate_str text, struct gate_arena *arena,
                         struct gate_error *err);

/** The class that is called `name` now, with dots; NULL: none is. O(length). */
const struct gate_class *gate_class_map_class(const struct gate_class_map *map, struct gate_str name);

/** The first row of `method` in the class that is called `name` now; GATE_TABLE_NONE: none. The key is put together in
 * `arena`, which, full, has none. O(length). */
uint32_t gate_class_map_method(const struct gate_class_map *map, struct gate_str name, struct gate_str method,
                               struct gate_arena *arena);

#endif
