/* SPDX-License-Identifier: Apache-2.0 */
/* Debug information by libdw: the function at an address and the calls inlined there. Built only with libdw
 * (GATE_HAS_DW). Runs in a child process (binary_names.c). */
#ifndef GATE_SYMBOLS_DWARF_H
#define GATE_SYMBOLS_DWARF_H

#if GATE_HAS_DW
#include "gate/base/arena.h"
#include "gate/base/str.h"
#include "gate/base/table.h"
#include "gate/symbols/symbol_lines.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/** Addresses [low, high) of unit or function `index`. */
struct gate_code_range {
    Dwarf_Addr low, high;
    uint32_t index;
};

/** Ranges sorted by start address. */
struct gate_code_ranges {
    struct gate_code_range *items;
    size_t count, capacity;
};

/** A compilation unit. Its functions are read when an address in it is first looked up. */
struct gate_code_unit {
    Dwarf_Die die;
    const char *folder; /* base of relative file names; may be NULL */
    bool is_read;
    struct gate_code_ranges ranges;
    Dwarf_Die *functions;
    size_t function_count, function_capacity;
};

/** All units of one binary. Arena memory. */
struct gate_code_index {
    struct gate_arena *arena;
    struct gate_code_unit *units;
    size_t unit_count, unit_capacity;
    struct gate_code_ranges ranges;
    struct gate_table local_keys; /* DWARF offsets of functions without a linkage name */
    struct gate_str *local_names; /* qualified name of each of them */
    size_t local_capacity;
};

/** Index the units of `dwarf`. Returns false if the arena is full. O(units log units). */
GATE_MUST_CHECK bool gate_code_index_open(struct gate_code_index *out, Dwarf *dwarf, struct gate_arena *arena);

/**
 * Find the calls at `address`, innermost first, and return their number. Returns 0 if no function is known there.
 *
 * out      if there are more calls, the outermost are left out
 * address  in the address space of the debug information
 *
 * Names are demangled. Views point into the arena or into `dwarf`. O(log functions + size of the function), plus O(size
 * of the unit) for the first address in a unit.
 */
uint32_t gate_code_index_find(struct gate_symbol_line out[GATE_SYMBOL_LINES_MAX], struct gate_code_index *index,
                              Dwarf_Addr address);

#endif

#endif
