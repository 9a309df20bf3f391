/* SPDX-License-Identifier: Apache-2.0 */
/* Breaks lines of text that people read in a terminal: reports, help, messages. */
#ifndef GATE_BASE_WRAP_H
#define GATE_BASE_WRAP_H

#include "gate/base/buf.h"

enum { GATE_WRAP_COLUMNS = 80 };

/**
 * Break what was written to `buf` since the offset `from`, the beginning of a line, at spaces, so that no line is
 * wider than `columns` (0: nothing is broken) unless a word alone is. Lines that come of it begin with `indent` spaces;
 * spaces and newlines that are there stay. A number is not parted from its unit, nor the ends of an interval from each
 * other.
 *
 * The text is escaped already (gate_escape_terminal). A line that begins here never begins with "::", which CI runners
 * would take for a command even behind white space. O(len - from) lines of `columns`.
 */
void gate_wrap_since(struct gate_buf *buf, size_t from, size_t indent, size_t columns);

#endif
