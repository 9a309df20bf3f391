/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of growth in a library that has another version in the canary. */
#ifndef GATE_BUDGET_UPGRADED_H
#define GATE_BUDGET_UPGRADED_H

#include "gate/budget/reading_state.h"

/**
 * Check growth that is cost of a library with another version in the canary (compare/upgrades.h). A new version may
 * have other functions, so each own caller's cost of the whole library is judged as if the library were one function.
 * The growth becomes a warning if that is within the limit for every caller. Otherwise a fail becomes inconclusive
 * unless the library as a whole grew by at least half of the function's growth, with one standard deviation to spare.
 *
 * err: GATE_ERR_LIMIT, in `r`. O(nodes).
 */
GATE_MUST_CHECK
bool gate_reading_judge_upgraded(struct gate_hypothesis *h, const struct gate_reading_state *r);

#endif
