/* SPDX-License-Identifier: Apache-2.0 */
/* The table by which Go's runtime names functions in its traces (pclntab): it stays in a binary that was stripped, and
 * knows functions, files and lines. Layout: Go's runtime/symtab.go and internal/abi, of Go 1.18 and later.
 * Used by symbols/binary_names.c */
#ifndef GATE_SYMBOLS_GO_TABLE_H
#define GATE_SYMBOLS_GO_TABLE_H

#include "gate/base/str.h"

/** The table's parts, views of its bytes. */
struct gate_go_table {
    struct gate_str bytes;
    struct gate_str names, units, files, values, functions;
    uint64_t text; /* address that entries count from */
    uint32_t function_count;
    uint8_t pointer_bytes, quantum;
    bool has_start_lines; /* Go 1.20 and later */
};

/** What the table says of an address: of inlined calls it knows only the function that they are in. */
struct gate_go_place {
    struct gate_str name, file; /* views of the table */
    int64_t line;               /* 0: not known, or of an inlined function in another file */
    int64_t start_line;
};

/**
 * Open the table in `bytes`, which are a section's. `text`: address of the section .text, where the table does not say.
 * False: no table, of another byte order, of an older Go, or damaged.
 */
GATE_MUST_CHECK bool gate_go_table_open(struct gate_go_table *out, struct gate_str bytes, uint64_t text);

/** What is at `address`. False: no function of Go's. O(log functions + size of the function). */
GATE_MUST_CHECK bool gate_go_table_find(struct gate_go_place *out, const struct gate_go_table *table, uint64_t address);

#endif
