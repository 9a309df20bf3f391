/* SPDX-License-Identifier: Apache-2.0 */
/* Line breaking for terminal text. */
#ifndef GATE_BASE_WRAP_H
#define GATE_BASE_WRAP_H

#include "gate/base/buf.h"

enum { GATE_WRAP_COLUMNS = 80 };

/**
 * Break the text that was written to `buf` since the offset `from`, the start of a line, into lines of at most
 * `columns`.
 *
 * Lines break at spaces; only a word longer than `columns` makes a longer line. New lines start with `indent` spaces.
 * Existing spaces and newlines stay. A number stays with its unit, and an interval stays on one line.
 *
 * The text must already be escaped (gate_escape_terminal). No line that is started here begins with "::", which CI
 * runners would execute even after white space. O(len - from) lines of `columns`.
 *
 * columns  0: break nothing
 */
void gate_wrap_since(struct gate_buf *buf, size_t from, size_t indent, size_t columns);

#endif
