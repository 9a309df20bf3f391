/* SPDX-License-Identifier: Apache-2.0 */
/* The table of functions that are gone and new, with the renames that would judge them as one. */
#ifndef GATE_REPORT_REPLACED_TABLE_H
#define GATE_REPORT_REPLACED_TABLE_H

#include "gate/budget/verdict.h"

/**
 * Append the table as text for a fixed-width font, at most 78 columns wide, and a `frames.rename` block for the rules.
 * Nothing if no names were replaced. Control characters are escaped as for a terminal; markup is not.
 *
 * O(replaced names²).
 */
void gate_replaced_table(struct gate_buf *out, const struct gate_verdict *verdict, struct gate_arena *arena);

#endif
