/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls DWARF knows at an address: the function that is there, and the functions that were inlined into it. By
 * libdw; built where that is (GATE_HAS_DW). Runs in a process of its own (symbols/asking.h).
 * Pipeline: symbols/code_index.h -> symbols/binary_names.h */
#ifndef GATE_SYMBOLS_CODE_INDEX_H
#define GATE_SYMBOLS_CODE_INDEX_H

#include "gate/base/table.h"
#include "gate/symbols/symbol_lines.h"

#if GATE_HAS_DW
#include <elfutils/libdw.h>

/** Addresses [low, high) of the `index`-th thing. */
struct gate_code_range {
    Dwarf_Addr low, high;
    uint32_t index;
};

/** Ranges by their beginning. */
struct gate_code_ranges {
    struct gate_code_range *items;
    size_t count, capacity;
};

/** The functions of one unit, found when they are first asked for. */
struct gate_code_unit {
    Dwarf_Die die;
    const char *folder; /* that its files are relative to, or NULL */
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
    struct gate_table local_keys; /* places of functions without a name for the linker */
    struct gate_str *local_names; /* of each */
    size_t local_capacity;
};

/** Index the units of `dwarf`. False: the arena is full. O(units log units). */
GATE_MUST_CHECK bool gate_code_index_open(struct gate_code_index *out, Dwarf *dwarf, struct gate_arena *arena);

/**
 * The calls at `address` of the debug information, innermost first: at most `room` of them, outer ones go first.
 * Returns how many; 0: no function is known there. Names are demangled; views live in the arena or in `dwarf`. O(log
 * functions + size of the function), and once a unit O(its size).
 */
uint32_t gate_code_index_find(struct gate_symbol_line *out, uint32_t room, struct gate_code_index *index,
                              Dwarf_Addr address);
#endif

#endif
