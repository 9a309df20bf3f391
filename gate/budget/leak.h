/* SPDX-License-Identifier: Apache-2.0 */
/* Measure `leak`: whether what the canary holds grows from round to round more than the baseline's does. */
#ifndef GATE_BUDGET_LEAK_H
#define GATE_BUDGET_LEAK_H

#include "gate/budget/finding.h"
#include "gate/compare/error_spending.h"

/** A limit of a leak budget, and the options of its decision. */
struct gate_leak_question {
    const struct gate_rules *rules;
    const struct gate_budget *budget;
    const struct gate_comparison *comparison;
    const struct gate_looks_now *now; /* while more looks can follow, too few rounds leave the budget undecided */
};

/**
 * Judge the budget, and add a finding to `result` unless it holds.
 *
 * A series is what the canary holds minus what the baseline holds, round by round, so that what fills up on both sides
 * is no leak. There is one of the total, and one of each function that may have grown by min_growth: in a large heap
 * the noise of all others hides the leak of one. A series has to rise (Mann-Kendall, the functions together by Holm) by
 * more than the limit (Theil-Sen), with the limits and levels of gate_trend_decide, by at least min_growth over all
 * rounds, and as fast in its second half: a cache that fills is slower there. The finding names the function that
 * leaks, or of the total the one whose held amount grew most.
 *
 * Profiles of a type that is no level, fewer than GATE_LEAK_LEAST_ROUNDS rounds, or unknown or unequal numbers of times
 * leave the budget unjudged: it passes, and `hindrance` says why it could not fail. While more looks can follow, too
 * few rounds are a finding that is inconclusive, and so is a rise that is significant without the corrections and would
 * reach min_growth in the planned rounds. Each look spends its part of `alpha` (compare/error_spending.h).
 *
 * err   GATE_ERR_CONFIG the limit's unit does not convert
 *
 * O(functions that may leak * rounds^2 log rounds + frames * rounds).
 */
GATE_MUST_CHECK
bool gate_leak_judge(struct gate_budget_result *result, const struct gate_leak_question *question,
                     struct gate_arena *arena, struct gate_error *err);

#endif
