/* SPDX-License-Identifier: Apache-2.0 */
/* Lines, numbers and signs of profiles that are text, read from the front of a view. Each call O(what it reads).
 * Neighbours: profile/collapsed.h, profile/debug_text.h, profile/jemalloc.h, profile/memory_map.h, which read by it. */
#ifndef GATE_PROFILE_TEXT_LINE_H
#define GATE_PROFILE_TEXT_LINE_H

#include "gate/base/str.h"

/** The next line, without white space around it; false when there is none. */
bool gate_text_line_next(struct gate_str *rest, struct gate_str *line);

/** Behind blanks: a decimal number, which may be negative. False, and `rest` as it was, where there is none or where it
 * does not fit. */
bool gate_text_number(struct gate_str *rest, int64_t *value);

/** Behind blanks: a hexadecimal number, which may begin with 0x. False, and `rest` as it was, where there is none or
 * where it does not fit. */
bool gate_text_hex(struct gate_str *rest, uint64_t *value);

/** Behind blanks: `mark`. False, and `rest` as it was, where something else is. */
bool gate_text_mark(struct gate_str *rest, char mark);

/** Behind blanks: all up to the next blank; empty at the end. */
struct gate_str gate_text_word(struct gate_str *rest);

#endif
