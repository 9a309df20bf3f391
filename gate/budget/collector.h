/* SPDX-License-Identifier: Apache-2.0 */
/* Go: growth of a function that is work of the garbage collector, which as a whole did not grow. */
#ifndef GATE_BUDGET_COLLECTOR_H
#define GATE_BUDGET_COLLECTOR_H

#include "gate/budget/reading_state.h"

/**
 * Check growth of charged cost that is over a limit in share points or undecided. Go lets functions that allocate mark
 * and sweep for the collector. Which function does how much of that also depends on what the others allocate. The
 * growth is excused (GATE_REASON_COLLECTOR) if two growths are within the limit: that of the function if this work is
 * divided between all functions by the cost of their allocations, and that of the whole collector. Undecided growth
 * becomes a warning, and a fail inconclusive. Formulas: docs/statistics.md, "Other readings".
 *
 * err: GATE_ERR_LIMIT, in `r`. O(nodes).
 */
GATE_MUST_CHECK
bool gate_reading_judge_collector(struct gate_hypothesis *h, const struct gate_reading_state *r);

#endif
