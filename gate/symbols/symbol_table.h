/* SPDX-License-Identifier: Apache-2.0 */
/* The symbol table of one binary by address: of .symtab, .dynsym and .gnu_debugdata, as libdwfl joins them. Built where
 * libdw is (GATE_HAS_DW). Pipeline: symbols/symbol_table.h -> symbols/binary_names.h */
#ifndef GATE_SYMBOLS_SYMBOL_TABLE_H
#define GATE_SYMBOLS_SYMBOL_TABLE_H

#include "gate/base/str.h"

#if GATE_HAS_DW
#include <elfutils/libdwfl.h>

/** One function. */
struct gate_symbol_row {
    GElf_Addr start, end; /* as libdwfl loads it */
    const char *name;     /* of the table */
    uint32_t rank;        /* global before weak before local, where several are at one place */
};

/** Functions by address; of one place the first counts. Arena memory. */
struct gate_symbol_table {
    struct gate_symbol_row *rows;
    size_t count, capacity;
};

/** Read the functions of `module`. False: the arena is full. O(symbols log symbols). */
GATE_MUST_CHECK bool gate_symbol_table_open(struct gate_symbol_table *out, Dwfl_Module *module,
                                            struct gate_arena *arena);

/** The function at `address`, without a version ("memcpy@@GLIBC_2.14"); empty: none. A symbol without a size reaches to
 * the next one. O(log symbols). */
struct gate_str gate_symbol_table_find(const struct gate_symbol_table *table, GElf_Addr address);
#endif

#endif
