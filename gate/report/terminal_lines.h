/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the terminal report: colour where it was asked for, names escaped, broken at the terminal's width.
 * Pipeline: base/wrap.h + base/escape.h -> report/terminal_lines.h -> report/terminal.c, report/terminal_causes.h */
#ifndef GATE_REPORT_TERMINAL_LINES_H
#define GATE_REPORT_TERMINAL_LINES_H

#include "gate/report/report.h"

/** What every part of the terminal report is given. */
struct gate_terminal {
    struct gate_buf *out;
    const struct gate_verdict *verdict;
    const struct gate_report_options *options;
    struct gate_arena *arena;
};

/** `text`, bold and in the colour of `outcome` where the options ask for colour. */
void gate_terminal_lines_paint(const struct gate_terminal *t, enum gate_outcome outcome, const char *text);

/** `text`, escaped, broken at the terminal's width; every line starts `indent` columns in, the ones broken off `hang`
 * more. */
void gate_terminal_lines_hang(const struct gate_terminal *t, struct gate_str text, size_t indent, size_t hang);

/** The same where all lines start alike. */
static inline void gate_terminal_lines_wrap(const struct gate_terminal *t, struct gate_str text, size_t indent) {
    gate_terminal_lines_hang(t, text, indent, 0);
}

/** The same of a buffer, hanging by two columns; it is emptied and freed; nothing where it is empty. */
void gate_terminal_lines_take(const struct gate_terminal *t, struct gate_buf *text, size_t indent);

#endif
