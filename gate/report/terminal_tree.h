/* SPDX-License-Identifier: Apache-2.0 */
/* The flame graph of one change, small enough for a terminal: the way down to it, with bars.
 * Pipeline: budget/verdict.h + report/layout.h -> report/terminal_tree.h -> report/terminal.c */
#ifndef GATE_REPORT_TERMINAL_TREE_H
#define GATE_REPORT_TERMINAL_TREE_H

#include "gate/report/report.h"

/**
 * Draw the path to the box of the worst cause that is broken or warned of (without one: of the significant frame that
 * moved most), and the significant callees. Nothing when nothing moved. At most 80 columns, at most 14 lines.
 *
 * err   GATE_ERR_LIMIT the arena is full
 */
GATE_MUST_CHECK
bool gate_terminal_tree(struct gate_buf *out, const struct gate_verdict *verdict,
                        const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err);

#endif
