/* SPDX-License-Identifier: Apache-2.0 */
/* Inlining by a compiler at run time as the reason of a fail; methods that are still interpreted. */
#ifndef GATE_BUDGET_INLINING_H
#define GATE_BUDGET_INLINING_H

#include "gate/budget/reading_state.h"

/**
 * Check a fail of a function, with one run per side. A run-time compiler may inline a function in one run only. Its
 * growth may then be cost that other functions lost: own callers and callees, and functions that its nearest callers
 * call. The fail becomes inconclusive if the cost of these fell by at least half of the growth. Under a limit on a
 * ratio there is another case: callers and callees had at least as much cost in the baseline as the function grew by,
 * and are within the limit together. A function without an own caller on its stacks, as after an await, may have been
 * inlined into any own function. err: GATE_ERR_LIMIT, in `r`. O(nodes * depth).
 */
GATE_MUST_CHECK
bool gate_reading_judge_inlined(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check a fail of a path in a native program. In the baseline the compiler may have inlined its functions into their
 * callers. It becomes inconclusive if the functions are within the limit without what own callers lost, beyond the
 * shrinking of all shares by the growth of the path.
 *
 * marks    a byte per frame: 1 for the path's functions
 * growth   by how much these grew together, as a share of the baseline
 * most     the limit, in the same unit
 *
 * err: GATE_ERR_LIMIT, in `r`. O(nodes * depth).
 */
GATE_MUST_CHECK
bool gate_reading_judge_inlined_path(struct gate_hypothesis *h, const struct gate_reading_state *r,
                                     const uint8_t *marks, double growth, double most);

/**
 * Check the growth of a function of the JVM or of JavaScript that is inlined in some runs, or into which others are
 * inlined. There may be any number of runs. The function is judged as one group with the functions beneath it that are
 * inlined in some runs. If it is inlined in some runs itself, the group also has its own callers, up to
 * GATE_INLINED_LEVELS, and the functions beneath those that are inlined in some runs.
 *
 * Let g be the growth of the function, G that of the group, and s the standard deviation of G from run to run. A fail
 * or inconclusive growth becomes a warning if G + s is within the limit, and under a limit in points at most g / 2.
 * Otherwise a fail becomes inconclusive if G - s is below g / 2.
 *
 * If growth is still inconclusive, and the work is known or estimated, the function is then judged with the functions
 * whose samples it may have (compare/misplaced.h).
 *
 * err: GATE_ERR_LIMIT, in `r`. O(nodes * (depth + runs) + frames * runs).
 */
GATE_MUST_CHECK
bool gate_reading_judge_inlined_together(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check a fail of a function in recordings of a JVM that misplace samples of inlined methods (compare/misplaced.h). Let
 * g be its growth at the leaves of compiled methods. The fail becomes inconclusive if g is at least half of its growth,
 * and these compiled methods, with the methods around them, did not grow by g / 2 together. If the work is unknown and
 * cannot be estimated, the first condition is enough. err: GATE_ERR_LIMIT, in `r`. O(misplaced costs + nodes * depth).
 */
GATE_MUST_CHECK
bool gate_reading_judge_misplaced(struct gate_hypothesis *h, const struct gate_reading_state *r);

/** Make a fail inconclusive if the profiler names samples at random (gate_guards_names_are_random): the samples may
 * belong to another function. */
GATE_MUST_CHECK
bool gate_reading_judge_inlined_names(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check a fail with one run of the JVM per side. An interpreted method costs many times as much as a compiled one, and
 * which methods are compiled yet differs from run to run. The fail becomes inconclusive by the cost in compiled code
 * alone: if a function is not significantly over its limit, or a total is within its limit. err: GATE_ERR_LIMIT, in
 * `r`. O(frames).
 */
GATE_MUST_CHECK
bool gate_reading_judge_interpreted(struct gate_hypothesis *h, const struct gate_reading_state *r);

#endif
