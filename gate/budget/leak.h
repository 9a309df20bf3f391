/* SPDX-License-Identifier: Apache-2.0 */
/* Measure `leak`: whether the memory (or other amount) that the canary holds grows faster than the baseline's, from
 * round to round. */
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
 * A series has one value per round: what the canary holds minus what the baseline holds. So an amount that grows alike
 * on both sides is not a leak. There is a series of the total, and one of each function that may have grown by
 * min_growth. In a large heap the noise of the total hides the leak of one function. A series is a leak if
 *
 * - It rises significantly (Mann-Kendall; Holm's correction over the functions).
 * - Its slope (Theil-Sen) is over the limit, with the levels of gate_trend_decide.
 * - It grew by at least min_growth over all rounds.
 * - It goes on rising in its second half, over the limit and at 0.4 of the slope or more. A cache that fills up rises
 *   more slowly there.
 *
 * The finding names the function that leaks. For the total it names the function whose held amount grew most.
 *
 * The budget is not judged if the sample type is not an amount held, or if there are fewer than GATE_LEAK_LEAST_ROUNDS
 * rounds. Nor is it if times are unknown, or the sides have different numbers of rounds. It then passes, and
 * `hindrance` is the reason why it could not fail. While more looks can follow, too few rounds are an inconclusive
 * finding. So is a rise that is significant without the corrections and would reach min_growth in the planned rounds.
 * Each look spends its part of `alpha` (compare/error_spending.h).
 *
 * err   GATE_ERR_CONFIG the limit's unit does not convert
 *
 * O(functions that may leak * rounds^2 log rounds + frames * rounds).
 */
GATE_MUST_CHECK
bool gate_leak_judge(struct gate_budget_result *result, const struct gate_leak_question *question,
                     struct gate_arena *arena, struct gate_error *err);

#endif
