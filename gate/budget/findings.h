/* SPDX-License-Identifier: Apache-2.0 */
/* From decided hypotheses to what a report lists of one budget.
 * Pipeline: budget/decide.h -> budget/findings.h -> budget/verdict.h */
#ifndef GATE_BUDGET_FINDINGS_H
#define GATE_BUDGET_FINDINGS_H

#include "gate/budget/wording.h"

/**
 * Fill outcome, findings, tested, proven, passed and detectable of `result` from its decided hypotheses, which are
 * in the order of frames. A frame speaks through its worst limit; with nothing to report the frame nearest to its limit
 * is kept.
 */
GATE_MUST_CHECK
bool gate_findings_make(struct gate_budget_result *result, const struct gate_hypothesis *hypotheses, size_t count,
                        const struct gate_wording *wording, struct gate_arena *arena, struct gate_error *err);

/** Put a finding about the budget itself in front: no frame, no numbers. The budget's outcome is worsened to it. */
GATE_MUST_CHECK
bool gate_findings_add_plain(struct gate_budget_result *result, enum gate_outcome outcome, enum gate_reason reason,
                             const char *text, const char *advice, struct gate_arena *arena, struct gate_error *err);

#endif
