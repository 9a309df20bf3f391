/* SPDX-License-Identifier: Apache-2.0 */
/* Readings of start-up code, which runs once: the import of a Python module, an initialiser of Go or of a Java class,
 * `require` of Ruby (docs/statistics.md, "Other readings"). */
#ifndef GATE_BUDGET_START_UP_H
#define GATE_BUDGET_START_UP_H

#include "gate/budget/reading_state.h"

/** Mark the nodes of the tree that are start-up code, or beneath it, once. `r` has a tree. O(nodes). err:
 * GATE_ERR_LIMIT, in `r`. */
GATE_MUST_CHECK
bool gate_start_up_mark(struct gate_reading_state *r);

/** Return whether the function of a hypothesis runs at the start in the canary. The nodes must be marked. O(nodes). */
bool gate_start_up_has(const struct gate_reading_state *r, const struct gate_hypothesis *h);

/** Return whether start-up code would change the outcome of a hypothesis. It would if the hypothesis failed without
 * several whole runs per side, or if it is not confirmed. O(1). */
bool gate_start_up_is_wanted(const struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * If gate_start_up_is_wanted: make growth of start-up code inconclusive (GATE_REASON_START_UP, GATE_REASON_ONE_START).
 * Its share depends on the length of the profile, not on the work. In whole runs it also varies with caches and files
 * on disk. `r` has a tree, folded. O(nodes). err: GATE_ERR_LIMIT, in `r`.
 */
GATE_MUST_CHECK
bool gate_start_up_judge(struct gate_hypothesis *h, struct gate_reading_state *r);

/**
 * Turn unconfirmed growth of start-up code over a limit on a ratio into a warning (GATE_REASON_SMALL_START). No look
 * can follow, a limit in points holds for the same cost, and start-up code is at most half of the canary. Call it last:
 * some readings depend on how a function is judged. O(hypotheses^2 + undecided * nodes). err: GATE_ERR_LIMIT, in `r`.
 */
GATE_MUST_CHECK
bool gate_start_up_excuse(struct gate_hypothesis_list *list, struct gate_reading_state *r);

#endif
