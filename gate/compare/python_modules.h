/* SPDX-License-Identifier: Apache-2.0 */
/* Python modules that became packages between two builds: shop.py and shop/__init__.py are one module. */
#ifndef GATE_COMPARE_PYTHON_MODULES_H
#define GATE_COMPARE_PYTHON_MODULES_H

#include "gate/base/table.h"
#include "gate/compare/pair_types.h"

/** A module by its path without ".py" or "/__init__.py". */
struct gate_python_module {
    uint8_t sides[2]; /* a bit per side that has it as a file ([0]), and as a package ([1]) */
};

/** The modules in the names of functions. Zeroed: none. */
struct gate_python_modules {
    struct gate_table paths; /* stable: without the folders of releases */
    struct gate_python_module *items;
    size_t capacity;
    uint32_t count; /* modules that are a file on one side and a package on the other */
};

/**
 * Find the modules of Python that are a file on one side alone and a package on the other side alone, in names with
 * files as collapsed stacks have them: "parse (shop/__init__.py:12)".
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(bytes of names) for Python, else O(runs).
 */
GATE_MUST_CHECK
bool gate_python_modules_find(struct gate_python_modules *out, const struct gate_pair *pair, struct gate_arena *arena,
                              struct gate_error *err);

/**
 * Return a stable name with the canary's file, "parse (shop/__init__.py)" for "parse (shop.py)", if its module is one
 * of these; else the name. `.ptr` NULL: the arena is full. O(length).
 */
struct gate_str gate_python_modules_name(const struct gate_python_modules *modules, struct gate_str name,
                                         struct gate_arena *arena);

#endif
