/* SPDX-License-Identifier: Apache-2.0 */
/* JavaScript functions that were inlined, from the lines of samples. */
#ifndef GATE_COMPARE_V8_INLINED_LINES_H
#define GATE_COMPARE_V8_INLINED_LINES_H

#include "gate/compare/pair_types.h"

/** The end of the name of a frame whose function is not known: "line 18 (inlined)". */
#define GATE_INLINED_LINE " (inlined)"

/**
 * Give inlined functions frames of their own, in profiles of V8 with the lines of samples.
 *
 * V8 has no frames of inlined functions: their samples are those of the function that they were inlined into, and
 * whether they are inlined differs from run to run. But the line of a sample is one of the inlined function. Of which
 * file it is is not known.
 *
 * A line that a function has samples at is not its own
 *
 * - if it is before the function's beginning, or behind the beginning of a later one on its level: both are written
 *   alike (`function`, or methods) at one indentation, so that their columns differ by the lengths of their names. A
 *   function that begins behind another on a deeper level may be a part of it. The function of a whole file contains
 * all others, but not their lines;
 * - or if it travels: in some runs, functions beneath this one have these samples instead.
 *
 * It belongs to the function with a name that begins last before it, if samples of that function itself reach as far,
 * and if some run has a call of it beneath this one, at most three levels away. Of a line outside of the function this
 * may be one of its own file; else there has to be exactly one in all files. One whose samples reach half as far counts
 * if there is no other. Functions that have samples at one line which travels have to find the same one, and it has to
 * be beneath all of them that do not contain the line; else the function is not known, "line 18 (inlined)".
 *
 * The stack gets the call, with the calls between. All other samples stay where they are. Functions, lines and calls
 * are those of all runs; those of both sides count as one program's in files whose functions begin at the same lines.
 *
 * sides  the profiles of their runs are replaced by copies, from `arena`, if they change
 *
 * O(lines + functions * log(functions) + stacks * frames + runs * lines), and, if there are such lines, their number
 * times the functions beneath theirs, of which at most 1,000 count.
 */
GATE_MUST_CHECK
bool gate_inlined_lines_restore(struct gate_side sides[GATE_SIDES], struct gate_arena *arena, struct gate_error *err);

#endif
