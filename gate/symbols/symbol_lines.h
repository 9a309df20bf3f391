/* SPDX-License-Identifier: Apache-2.0 */
/* The calls at an address, as they come from a binary: what is asked, what is answered, and the bytes between the two
 * processes. Pipeline: symbols/binary_names.h -> symbols/symbol_lines.h -> symbols/asking.h -> symbols/symbolise.h */
#ifndef GATE_SYMBOLS_SYMBOL_LINES_H
#define GATE_SYMBOLS_SYMBOL_LINES_H

#include "gate/base/buf.h"
#include "gate/symbols/symbol_files.h"

enum { GATE_SYMBOL_LINES_MAX = 256, GATE_SYMBOL_NAME_BYTES = 16 * 1024 };

/** Which names are wanted. */
struct gate_symbol_question {
    const char *path;                      /* of the binary */
    const struct gate_symbol_files *files; /* where its debug information may lie */
    const uint64_t *addresses;             /* the file's own, ascending */
    size_t count;
};

/** One call: a function, and where it stood. Views may be empty but for the name; 0: not known. */
struct gate_symbol_line {
    struct gate_str name;        /* demangled */
    struct gate_str system_name; /* as the linker has it */
    struct gate_str file;
    int64_t line, start_line;
    uint32_t column; /* binaries have none */
};

/** The calls at one address, innermost first; none: no name is known. */
struct gate_symbol_answer {
    const struct gate_symbol_line *lines;
    uint32_t count;
};

/** Write one answer behind those in `out`; names longer than GATE_SYMBOL_NAME_BYTES are cut. */
void gate_symbol_lines_write(struct gate_buf *out, const struct gate_symbol_line *lines, uint32_t count);

/**
 * Read `count` answers. Text is made valid UTF-8; views are of `bytes` or of the arena.
 *
 * err   GATE_ERR_FORMAT they are not whole; GATE_ERR_LIMIT the arena is full
 */
GATE_MUST_CHECK
bool gate_symbol_lines_read(struct gate_symbol_answer *out, size_t count, struct gate_str bytes,
                            struct gate_arena *arena, struct gate_error *err);

#endif
