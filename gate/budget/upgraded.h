/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of growth in a library that has another version in the canary. */
#ifndef GATE_BUDGET_UPGRADED_H
#define GATE_BUDGET_UPGRADED_H

#include "gate/budget/reading_state.h"

/**
 * Check growth of which at least half is cost of libraries with another version in the canary (compare/upgrades.h). A
 * new version may have other functions, so the library beneath each own caller is judged as one function. The growth
 * becomes a warning if that cost is within the limit for every caller. Otherwise a fail becomes inconclusive, unless
 * the libraries as a whole grew, less one standard deviation, by at least half of the function's growth.
 *
 * err: GATE_ERR_LIMIT, in `r`. O(nodes).
 */
GATE_MUST_CHECK
bool gate_reading_judge_upgraded(struct gate_hypothesis *h, const struct gate_reading_state *r);

#endif
