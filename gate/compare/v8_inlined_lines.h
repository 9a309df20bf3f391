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
 * Give inlined functions frames of their own, in profiles of V8 that contain the lines of samples.
 *
 * V8 has no frames for inlined functions. Their samples are those of the function that they were inlined into (the
 * caller), and which functions are inlined differs from run to run. But the line of a sample is a line of the inlined
 * function. The file of that line is not recorded.
 *
 * Foreign lines. A line at which the caller has samples is foreign to it
 *
 * - if it is before the caller's beginning, or behind the beginning of a later function on the caller's level.
 * Functions are on one level if they are written alike (`function`, or methods) at one indentation: their columns then
 * differ by the lengths of their names. A later function on a deeper level may be a part of the caller. The function of
 * a whole file contains all others, but their lines are foreign to it;
 * - or if it travels: the caller has the samples at this line in some runs, and functions beneath it have them in other
 *   runs.
 *
 * Candidates. In each file, the function with a name that begins last before the line is a candidate. Some run must
 * have a call of it beneath the caller, at most three levels away, and samples of the function itself must reach as far
 * as the line. If there is no such function, one whose samples reach half as far is a candidate.
 *
 * Choice. The samples of the candidates decide:
 *
 * - A candidate with too few samples of its own at the line is excluded. The number that is expected: of all samples
 *   that the caller has at foreign lines in the candidate's range, the line has a part. The candidate's own samples at
 *   the main ones of these lines have to be distributed alike. Its samples at other lines do not count: where it calls
 *   what is not inlined, V8 has a frame of it.
 * - A candidate is excluded if the caller has too few samples at the candidate's main lines. This does not apply to a
 *   candidate with samples of its own at the line that is called directly, or that the next rule prefers.
 * - A candidate is preferred to all others if every function beneath the caller that has samples at the line calls it.
 * - Next comes a candidate that has enough samples at lines with nine tenths of these samples of the caller, and whose
 *   main lines the caller has. One that also has samples of its own at lines with nine tenths of them comes before it.
 * - Of several equal ones, the one in the caller's file is chosen if the line is outside of the caller, and if it has
 *   samples of its own at these lines or the others have none. Otherwise the function is not known.
 *
 * Samples are too few if they are less than a third of those expected, by two standard errors. All callers with samples
 * at one line that travels have to find the same function, and it has to be beneath all callers that do not contain the
 * line. Otherwise the function is not known, and its frame is "line 18 (inlined)".
 *
 * The call of the function, and the calls between, are added to the stack. All other samples stay where they are.
 * Functions, lines and calls of all runs are used. Both sides count as one program in files whose functions begin at
 * the same lines (compare/moved_files.h). If a function has another name at the same place on the other side, it does
 * not belong to that side.
 *
 * sides  the profiles of their runs are replaced by copies, from `arena`, if they change
 *
 * O(lines + functions * log(functions) + stacks * frames + runs * lines + foreign lines * functions beneath the
 * caller). At most 1,000 functions beneath a caller are used.
 */
GATE_MUST_CHECK
bool gate_inlined_lines_restore(struct gate_side sides[GATE_SIDES], struct gate_arena *arena, struct gate_error *err);

#endif
