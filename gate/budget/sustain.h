/* SPDX-License-Identifier: Apache-2.0 */
/* One canary can be unlucky: a budget may ask that K of the last N runs agree before it fails.
 * Pipeline: budget/decide.h + earlier verdicts -> budget/sustain.h -> budget/findings.h */
#ifndef GATE_BUDGET_SUSTAIN_H
#define GATE_BUDGET_SUSTAIN_H

#include "gate/budget/hypotheses.h"

/** What was decided of an earlier canary. */
struct gate_sustain_run {
    const struct gate_hypothesis *hypotheses;
    size_t count;
};

/**
 * Turn failures that too few runs agree on into warnings (GATE_REASON_NOT_SUSTAINED), for budgets that ask for it.
 *
 * history  earlier canaries, judged by the same rules, oldest first; the last N - 1 of them count beside this run.
 *          A run agrees when the same budget failed on the frame of the same name (a group: of the same budget).
 *
 * O(failures * history * hypotheses).
 */
void gate_sustain_apply(struct gate_hypothesis_list *list, const struct gate_rules *rules,
                        const struct gate_sustain_run *history, uint32_t history_count);

#endif
