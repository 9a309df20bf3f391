/* SPDX-License-Identifier: Apache-2.0 */
/* What --by found, at a terminal.
 * Pipeline: report/by_rows.h -> report/terminal_by.h -> report/terminal.c */
#ifndef GATE_REPORT_TERMINAL_BY_H
#define GATE_REPORT_TERMINAL_BY_H

#include "gate/report/terminal_lines.h"

/** A line a value, the worst first; nothing where nothing was compared by a label. */
GATE_MUST_CHECK
bool gate_terminal_by(const struct gate_terminal *t, struct gate_error *err);

#endif
