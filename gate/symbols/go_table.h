/* SPDX-License-Identifier: Apache-2.0 */
/* Go's function table (pclntab). */
/* Go's runtime uses this table for its traces. It survives stripping and contains functions, files and lines.
 * Layout: Go's runtime/symtab.go and internal/abi, Go 1.18 and later. */
#ifndef GATE_SYMBOLS_GO_TABLE_H
#define GATE_SYMBOLS_GO_TABLE_H

#include "gate/base/str.h"

/** An open table. All parts are views of `bytes`. */
struct gate_go_table {
    struct gate_str bytes;
    struct gate_str names, units, files, values, functions;
    uint64_t text; /* base address of the function entries */
    uint32_t function_count;
    uint8_t pointer_bytes, quantum;
    bool has_start_lines; /* Go 1.20 and later */
    bool is_big_endian;   /* as the binary's machine, such as s390x */
};

/** Function at an address. For inlined calls, the table only gives the function that contains them. */
struct gate_go_place {
    struct gate_str name, file; /* views of the table */
    int64_t line;               /* 0: unknown, or the address is in an inlined function from another file */
    int64_t start_line;
};

/**
 * Open the table in `bytes`, the contents of a section. Returns false if there is no table, or if it is of another byte
 * order or an older Go version, or is damaged.
 *
 * text  address of the section .text, used if the table does not contain it
 */
GATE_MUST_CHECK bool gate_go_table_open(struct gate_go_table *out, struct gate_str bytes, uint64_t text);

/**
 * Find the function at `address`. Returns false if it is not in a Go function. O(log functions + size of the function).
 */
GATE_MUST_CHECK bool gate_go_table_find(struct gate_go_place *out, const struct gate_go_table *table, uint64_t address);

#endif
