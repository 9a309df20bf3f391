/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and numbers of text formats. */
#ifndef GATE_FORMATS_TEXT_LINE_H
#define GATE_FORMATS_TEXT_LINE_H

#include "gate/base/error.h"
#include "gate/base/str.h"

/** Read the next line, without surrounding white space. Returns false at the end. */
bool gate_text_line_next(struct gate_str *rest, struct gate_str *line);

/**
 * Skip blanks and read a decimal number, which may be negative. Returns false, and leaves `rest` unchanged, if there
 * is none or it exceeds 64 bits.
 */
bool gate_text_number(struct gate_str *rest, int64_t *value);

/** Return whether all of `text` is such a number, and set `*value`. */
bool gate_text_is_number(struct gate_str text, int64_t *value);

/**
 * Skip blanks and read a hexadecimal number, with or without 0x. Returns false, and leaves `rest` unchanged, if
 * there is none or it exceeds 64 bits.
 */
bool gate_text_hex(struct gate_str *rest, uint64_t *value);

/** Skip blanks and the character `mark`. Returns false, and leaves `rest` unchanged, if it is not there. */
bool gate_text_mark(struct gate_str *rest, char mark);

/** Skip blanks and return the text up to the next blank. Empty at the end. */
struct gate_str gate_text_word(struct gate_str *rest);

/** Return the place of the '(' that belongs to the ')' at the end of `text`, or its length if there is none. */
size_t gate_text_parenthesis(struct gate_str text);

/** Return "main.run" for "main.run+0x20". Other names are returned unchanged. */
struct gate_str gate_text_without_offset(struct gate_str name);

/** Set GATE_ERR_FORMAT: line `number` has `found` instead of `expected`. Returns false. */
bool gate_text_unexpected(uint64_t number, const char *expected, struct gate_str found, struct gate_error *err);

#endif
