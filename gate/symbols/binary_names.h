/* SPDX-License-Identifier: Apache-2.0 */
/* Names for the addresses of one ELF file, from DWARF, symbol tables and Go's function table. Uses libdw. */
#ifndef GATE_SYMBOLS_BINARY_NAMES_H
#define GATE_SYMBOLS_BINARY_NAMES_H

#include "gate/base/str.h"
#include "gate/base/table.h"
#include "gate/symbols/subprocess.h"
#include "gate/symbols/symbol_files.h"

/* ---- symbol table ------------------------------------------------------------------------------------------------ */

/* Functions by address, from .symtab, .dynsym and .gnu_debugdata, which libdwfl merges. Built only with libdw
 * (GATE_HAS_DW). */

#if GATE_HAS_DW
#include <elfutils/libdwfl.h>

/** A function of the symbol table. */
struct gate_symbol_row {
    GElf_Addr start, end; /* addresses as libdwfl loads the file */
    const char *name;     /* view of the file's string table */
    uint32_t rank;        /* 0: global, 1: weak, 2: local; orders symbols of the same address */
};

/** Functions by address. Of several at one address, the first one is used. Arena memory. */
struct gate_symbol_table {
    struct gate_symbol_row *rows;
    size_t count, capacity;
};

/** Read the functions of `module`. Returns false if the arena is full. O(symbols log symbols). */
GATE_MUST_CHECK bool gate_symbol_table_open(struct gate_symbol_table *out, Dwfl_Module *module,
                                            struct gate_arena *arena);

/**
 * Return the function at `address` without its version ("memcpy@@GLIBC_2.14" becomes "memcpy"), or an empty view. A
 * symbol without a size extends to the next symbol. O(log symbols).
 */
struct gate_str gate_symbol_table_find(const struct gate_symbol_table *table, GElf_Addr address);
#endif

/* ---- DWARF: the function at an address and the calls inlined there ----------------------------------------------- */

/* Uses libdw; built only with it (GATE_HAS_DW). Runs in a child process (symbols/subprocess.h). */

#if GATE_HAS_DW
#include <elfutils/libdw.h>

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
    const char *folder; /* base folder of relative file names; may be NULL */
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
 * out      at most `room` calls; if there are more, the outermost are left out
 * address  in the address space of the debug information
 *
 * Names are demangled. Views point into the arena or into `dwarf`. O(log functions + size of the function), plus O(size
 * of the unit) for the first address in a unit.
 */
uint32_t gate_code_index_find(struct gate_symbol_line *out, uint32_t room, struct gate_code_index *index,
                              Dwarf_Addr address);
#endif

/* ---- names of one binary ----------------------------------------------------------------------------------------- */

/* DWARF comes first, in the file or in a separate file (by build id, .gnu_debuglink or dwz). Go's function table is
 * next, then the symbol tables, including the compressed one in .gnu_debugdata. A child process reads them with
 * libdw. */

/** Return whether this program was built with libdw. */
bool gate_binary_names_is_built(void);

/* The names of one binary are kept, so that the next profile need not look the same addresses up again. */

/** One binary. `path` must outlive it. */
struct gate_symbol_binary {
    const char *path;
    struct gate_table addresses; /* the eight bytes of each address looked up */
    struct gate_symbol_answer *answers;
    size_t answer_capacity;
    struct gate_str unused; /* what of its debug information was not used and why; may be empty */
};

/** Initialise a binary without answers. `path` must outlive it. */
void gate_symbol_binary_init(struct gate_symbol_binary *binary, const char *path, struct gate_arena *arena);

/**
 * Look up `count` addresses of the file, unless they are known. They may be in any order and repeated; the array is
 * sorted in place.
 *
 * files  files that may contain debug information
 * err    GATE_ERR_FORMAT, GATE_ERR_LIMIT, GATE_ERR_IO, GATE_ERR_MEMORY as from gate_subprocess_do, with the path;
 *        GATE_ERR_LIMIT if the arena is full; GATE_ERR_USAGE if built without libdw
 */
GATE_MUST_CHECK
bool gate_symbol_binary_learn(struct gate_symbol_binary *binary, const struct gate_symbol_files *files,
                              uint64_t *addresses, size_t count, struct gate_arena *arena, struct gate_error *err);

/** Return the calls at an address, or NULL if it was not looked up or nothing is known. O(1) expected. */
const struct gate_symbol_answer *gate_symbol_binary_find(const struct gate_symbol_binary *binary, uint64_t address);

#endif
