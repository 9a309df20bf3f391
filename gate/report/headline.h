/* SPDX-License-Identifier: Apache-2.0 */
/* The line that begins every report. */
#ifndef GATE_REPORT_HEADLINE_H
#define GATE_REPORT_HEADLINE_H

#include "gate/base/buf.h"
#include "gate/budget/verdict.h"

/* ---- looks ------------------------------------------------------------------------------------------------------- */

/**
 * Append "look 2 of at most 5, 2 runs per side (…); …", without a full stop; nothing if there is only one look. ASCII.
 */
void gate_looks_line(struct gate_buf *out, const struct gate_verdict_looks *looks);

/* ---- the verdict in one line ------------------------------------------------------------------------------------- */

struct gate_headline {
    const char *word;       /* "PASS", "PASS with warnings", "FAIL", "INCONCLUSIVE" */
    enum gate_outcome tone; /* that of the verdict, or GATE_OUTCOME_WARN; selects colour, sign and class */
    struct gate_str text;   /* "1 cause breaks 2 of 4 budgets", ...: without a full stop; names in it are not escaped */
};

/** Make the line of a verdict. `text` is in `arena`. err: GATE_ERR_MEMORY, GATE_ERR_LIMIT. */
GATE_MUST_CHECK
bool gate_headline_make(struct gate_headline *out, const struct gate_verdict *verdict, struct gate_arena *arena,
                        struct gate_error *err);

/**
 * Append "2 functions got cheaper, the largest main.parse: 14.2% → 9.0% of cpu", without a full stop. Nothing if none
 * does, or if the work is neither known nor estimated: a share also falls when others grow. Not escaped.
 */
void gate_cheaper_print(struct gate_buf *out, const struct gate_verdict *verdict);

/** Append why the sides are not comparable: the first warning that the rules raise to an error. Not escaped. */
void gate_headline_guard(struct gate_buf *out, const struct gate_verdict *verdict);

#endif
