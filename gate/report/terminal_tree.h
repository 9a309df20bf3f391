/* SPDX-License-Identifier: Apache-2.0 */
/* The picture in the terminal report: the callers and callees of one function that changed. */
#ifndef GATE_REPORT_TERMINAL_TREE_H
#define GATE_REPORT_TERMINAL_TREE_H

#include "gate/report/report.h"

/** Return the cause that the picture shows: the worst that is broken or warns about a cost, else the first undecided
 * one that grew. NULL if there is none. O(causes). */
const struct gate_cause *gate_terminal_tree_cause(const struct gate_verdict *verdict);

/** Append the call path to the box of that cause, and its significant callees. Without a cause, use the significant
 * frame that changed most; append nothing if there is none. At most 12 rows and options->columns. */
GATE_MUST_CHECK
bool gate_terminal_tree(struct gate_buf *out, const struct gate_verdict *verdict,
                        const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err);

#endif
