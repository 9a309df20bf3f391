/* SPDX-License-Identifier: Apache-2.0 */
/* JavaScript functions that were inlined, from the lines of samples. */
#ifndef GATE_COMPARE_V8_INLINED_LINES_H
#define GATE_COMPARE_V8_INLINED_LINES_H

#include "gate/compare/pair_types.h"

/** The end of the name of a frame whose function is not known: "line 18 (inlined)". */
#define GATE_INLINED_LINE " (inlined)"

/** Return whether a name is that of a line of JavaScript whose function is not known. */
static inline bool gate_is_inlined_line(struct gate_str name) {
    return gate_str_starts(name, GATE_STR("line ")) && gate_str_ends(name, GATE_STR(GATE_INLINED_LINE));
}

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
 * It may belong to the function with a name that begins last before it in each file, if samples of that function itself
 * reach as far, and if some run has a call of it beneath this one, at most three levels away. One whose samples reach
 * half as far counts if there is no other. The samples of these functions decide:
 *
 * - A function with too few samples of its own at the line does not have it. Expected is the line's part of all samples
 *   that the caller has at lines of others in the function's range, of the function's own at the main ones of these.
 *   What the function has at other lines does not count: where it calls what is not inlined, V8 has a frame of it.
 * - Nor has one whose main lines have too few samples of the caller, if the line were one of that function. This does
 *   not hold for a function with samples of its own at the line that is called directly, or that comes first as
 * follows.
 * - One that all functions beneath the caller call which have samples at the line, too, comes before all others.
 * - Then one that has enough at lines with nine tenths of these samples of the caller, and whose main lines the caller
 *   has. Before it comes one that also has samples of its own at lines with nine tenths of them.
 * - Of several, the one of the caller's file counts, if the line is outside of the caller, and if it has samples of its
 *   own at these lines or the others have none. Else the function is not known.
 *
 * Samples are too few if they are less than a third of those expected, by two standard errors. Functions that have
 * samples at one line which travels have to find the same one, and it has to be beneath all of them that do not contain
 * the line; else the function is not known, "line 18 (inlined)".
 *
 * The stack gets the call, with the calls between. All other samples stay where they are. Functions, lines and calls
 * are those of all runs; those of both sides count as one program's in files whose functions begin at the same lines
 * (compare/moved_files.h), but a function that has another name at its place on the other side is not one of that
 * side.
 *
 * sides  the profiles of their runs are replaced by copies, from `arena`, if they change
 *
 * O(lines + functions * log(functions) + stacks * frames + runs * lines), and, if there are such lines, their number
 * times the functions beneath theirs, of which at most 1,000 count.
 */
GATE_MUST_CHECK
bool gate_inlined_lines_restore(struct gate_side sides[GATE_SIDES], struct gate_arena *arena, struct gate_error *err);

#endif
