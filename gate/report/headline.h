/* SPDX-License-Identifier: Apache-2.0 */
/* What a verdict means, in one line that all reports begin with.
 * Pipeline: budget/verdict.h -> report/headline.h -> the reports */
#ifndef GATE_REPORT_HEADLINE_H
#define GATE_REPORT_HEADLINE_H

#include "gate/budget/verdict.h"

struct gate_headline {
    const char *word;       /* "PASS", "PASS with warnings", "FAIL", "INCONCLUSIVE" */
    enum gate_outcome tone; /* the verdict's, or GATE_OUTCOME_WARN: its colour, sign and class */
    struct gate_str text;   /* "1 cause breaks 2 of 4 budgets", ...: no full stop. Names in it are not escaped */
};

/** A verdict's line. `text` is arena memory. err: GATE_ERR_MEMORY, GATE_ERR_LIMIT. */
GATE_MUST_CHECK
bool gate_headline_make(struct gate_headline *out, const struct gate_verdict *verdict, struct gate_arena *arena,
                        struct gate_error *err);

/** Append why the sides are not comparable: the first warning that the rules raise to an error. Not escaped. */
void gate_headline_guard(struct gate_buf *out, const struct gate_verdict *verdict);

/** How many budgets ended as `outcome`. */
uint32_t gate_headline_tally(const struct gate_verdict *verdict, enum gate_outcome outcome);

#endif
