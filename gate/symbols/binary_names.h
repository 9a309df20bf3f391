/* SPDX-License-Identifier: Apache-2.0 */
/* The names that one binary has for its addresses: of DWARF in it or beside it (by build id, .gnu_debuglink, dwz), of
 * Go's table, of the symbol table, and of the compressed one in .gnu_debugdata. By libdw, in a process of its own.
 * Pipeline: symbols/code_index.h + symbols/go_table.h -> symbols/binary_names.h -> symbols/symbolise.h */
#ifndef GATE_SYMBOLS_BINARY_NAMES_H
#define GATE_SYMBOLS_BINARY_NAMES_H

#include "gate/symbols/asking.h"
#include "gate/symbols/symbol_lines.h"

/** Whether this program was built with libdw. */
bool gate_binary_names_is_built(void);

/**
 * The work of a process (symbols/asking.h): `question` is a struct gate_symbol_question; writes an answer an address
 * (symbols/symbol_lines.h).
 *
 * err   GATE_ERR_FORMAT not an ELF file that libdw reads; GATE_ERR_USAGE built without libdw
 */
gate_asking_work gate_binary_names_write;

#endif
