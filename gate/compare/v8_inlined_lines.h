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
 * V8 has no frame for an inlined function. Its samples are in the frame of the function that it was inlined into (here:
 * the caller). Which functions are inlined differs from run to run. The line of such a sample is a line of the inlined
 * function, but its file is not recorded. The function is inferred from the line in three steps.
 *
 * 1. Find the lines of the caller's samples that may be those of an inlined function:
 *
 * - Foreign lines: before the caller's first line, or not before the next function on the caller's level. Functions
 *   are on one level if they are written alike (`function`, or methods) at one indentation: their columns then differ
 *   by the lengths of their names. A later function on a deeper level may be a part of the caller. To the function of
 *   a whole file, every line but its first is foreign.
 * - Lines that travel: the caller has the samples in some runs, and functions beneath it have them in other runs.
 *
 * 2. Find the candidates for the line. In each file, this is the last named function that begins at or before the line.
 * Some run must have a call of it at most three levels beneath the caller. Its samples must reach as far as the line.
 * If no function's do, half as far is enough.
 *
 * 3. Choose a candidate. Its own samples are those in its own frame, except at lines of step 1. Its main lines are the
 * four with most of them.
 *
 * - A candidate is excluded if it has too few own samples at the line. Expected are its own samples at lines with at
 *   least 5% of the caller's samples in its range, times the line's part of the caller's samples in that range.
 * - A candidate is excluded if the caller has too few samples at the candidate's main lines. It stays if it has own
 *   samples at the line, and either the caller calls it directly or the next rule prefers it.
 * - Candidates are preferred that are called by the functions beneath the caller to which the line is foreign, too: by
 *   those with nine tenths of such samples.
 * - Then a candidate is preferred that has own samples at lines with nine tenths of the caller's samples in its range;
 *   then one that has enough own samples there, if the caller has enough at its main lines.
 * - Of several that fit so, the one in the caller's file is chosen if the line is foreign to the caller. It must have
 *   own samples at the caller's lines, or the others none. Otherwise the function is unknown.
 *
 * Samples are too few if they are less than a third of those expected, by two standard errors. All callers that find a
 * function for a line that travels must find the same one, and it must be beneath every caller to which the line is
 * foreign. An unknown function has the frame "line 18 (inlined)" if the line travels. If not, the caller keeps the
 * samples.
 *
 * The call of the function, and the calls between, are added to the stack. Functions, lines and calls of all runs are
 * used. Both sides count as one program in files whose functions begin at the same lines (compare/moved_files.h). If a
 * function has another name at the same place on the other side, it does not belong to that side.
 *
 * sides  the profiles of their runs are replaced by copies, from `arena`, if they change
 *
 * O(lines + functions * log(functions) + stacks * frames + runs * lines + foreign lines * functions beneath the
 * caller). At most 1,000 functions beneath a caller are used.
 */
GATE_MUST_CHECK
bool gate_inlined_lines_restore(struct gate_side sides[GATE_SIDES], struct gate_arena *arena, struct gate_error *err);

#endif
