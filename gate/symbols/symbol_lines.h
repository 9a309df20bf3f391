/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that are found at an address, and their exchange between two processes. */
#ifndef GATE_SYMBOLS_SYMBOL_LINES_H
#define GATE_SYMBOLS_SYMBOL_LINES_H

#include "gate/base/buf.h"
#include "gate/base/str.h"

enum { GATE_SYMBOL_LINES_MAX = 256, GATE_SYMBOL_NAME_BYTES = 16 * 1024 };

/** One call: a function, and the place in it. Unknown numbers are 0, and unknown texts other than `name` are empty. */
struct gate_symbol_line {
    struct gate_str name;        /* demangled */
    struct gate_str system_name; /* linkage name */
    struct gate_str file;
    int64_t line, start_line;
    uint32_t column; /* 0 for binaries */
};

/** The calls at one address, innermost first; empty if no name is known. */
struct gate_symbol_answer {
    const struct gate_symbol_line *lines;
    uint32_t count;
};

/** Append one answer to `out`. Names longer than GATE_SYMBOL_NAME_BYTES are cut. */
void gate_symbol_lines_write(struct gate_buf *out, const struct gate_symbol_line *lines, uint32_t count);

/** Read `count` answers. Text is converted to valid UTF-8. Views point into `bytes` or the arena. err: GATE_ERR_FORMAT
 * if answers are missing. */
GATE_MUST_CHECK
bool gate_symbol_lines_read(struct gate_symbol_answer *out, size_t count, struct gate_str bytes,
                            struct gate_arena *arena, struct gate_error *err);

#endif
