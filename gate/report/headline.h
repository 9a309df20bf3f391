/* SPDX-License-Identifier: Apache-2.0 */
/* What a verdict means, in one line that all reports begin with.
 * Pipeline: budget/verdict.h -> report/headline.h -> the reports */
#ifndef GATE_REPORT_HEADLINE_H
#define GATE_REPORT_HEADLINE_H

#include "gate/base/buf.h"
#include "gate/budget/verdict.h"

/** "2 of 5 budgets are broken", ...: what the verdict means, without its word (gate_outcome_capitals). No full stop. */
void gate_headline_print(struct gate_buf *out, const struct gate_verdict *verdict);

/** How many budgets ended as `outcome`. */
uint32_t gate_headline_tally(const struct gate_verdict *verdict, enum gate_outcome outcome);

#endif
