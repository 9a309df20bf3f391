/* SPDX-License-Identifier: Apache-2.0 */
/* What a function is called in JavaScript's or TypeScript's text, where it begins: for functions that a minifier took
 * the name of. Used by symbols/script_names.h */
#ifndef GATE_SYMBOLS_SOURCE_TEXT_H
#define GATE_SYMBOLS_SOURCE_TEXT_H

#include "gate/base/str.h"

enum { GATE_SOURCE_COLUMNS_MAX = 4096 }; /* behind them no name is looked for */

/** A source's text, and where its lines begin. Arena memory. */
struct gate_source_text {
    struct gate_str text;
    size_t *lines;
    uint32_t line_count;
};

/** Find the lines of `text`. False: the arena is full. O(len). */
GATE_MUST_CHECK
bool gate_source_text_open(struct gate_source_text *out, struct gate_str text, struct gate_arena *arena);

/** Where a line and column are, both from 0, the column in UTF-16 units; SIZE_MAX: nowhere, or too far. O(column). */
size_t gate_source_text_place(const struct gate_source_text *text, uint32_t line, uint32_t column);

/**
 * The name of the function that begins at `at`: at "function", at "async", at the "(" of its parameters or at the first
 * parameter of an arrow function. It is what is declared ("function total"), assigned ("const total = ", "this.total =
 * "), a key ("{ total: ") or a method ("total("). Empty: it has none, or this is no such place. A view of `text`.
 *
 * O(what is looked at): at most GATE_SOURCE_COLUMNS_MAX bytes.
 */
struct gate_str gate_source_text_name(struct gate_str text, size_t at);

#endif
