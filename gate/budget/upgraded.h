/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of growth in a library that has another version in the canary. */
#ifndef GATE_BUDGET_UPGRADED_H
#define GATE_BUDGET_UPGRADED_H

#include "gate/budget/reading_state.h"

/**
 * Check the growth of a function that is a library's work, if the library has another version in the canary
 * (compare/upgrades.h). A new version has other functions, and what matters is what its callers pay for it. Where the
 * whole of the library beneath the program's callers is within the limit, as one function would be, it is a warning;
 * where it did not surely win half of what the function won, a fail is open.
 *
 * err: GATE_ERR_LIMIT, in `r`. O(nodes).
 */
GATE_MUST_CHECK
bool gate_reading_judge_upgraded(struct gate_hypothesis *h, const struct gate_reading_state *r);

#endif
