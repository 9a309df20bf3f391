/* SPDX-License-Identifier: Apache-2.0 */
/* The line that begins every report, and the totals below it. */
#ifndef GATE_REPORT_HEADLINE_H
#define GATE_REPORT_HEADLINE_H

#include "gate/base/buf.h"
#include "gate/budget/verdict.h"
#include "gate/compare/comparison.h"

/* ---- looks ------------------------------------------------------------------------------------------------------- */

/** Append "look 2 of at most 5, 4 of 10 planned runs per side; …", without a full stop; nothing for one look. ASCII. */
void gate_looks_line(struct gate_buf *out, const struct gate_verdict_looks *looks);

/* ---- the verdict in one line ------------------------------------------------------------------------------------- */

struct gate_headline {
    const char *word;       /* "PASS", "PASS with warnings", "FAIL", "INCONCLUSIVE" */
    enum gate_outcome tone; /* that of the verdict, or GATE_OUTCOME_WARN; selects colour, sign and class */
    struct gate_str text;   /* "main.f costs 4.7x (3% → 14% of cpu)": no full stop; names in it are not escaped */
};

/**
 * Append a headline's text by `escape`, for formats that join spaces, as HTML does. The two spaces before the place
 * become " at ", so that "costs 4.7x (3.6% → 14.9% of cpu) at service/checkout.go:121" is a sentence.
 */
void gate_headline_flow(struct gate_buf *out, const struct gate_headline *headline,
                        void (*escape)(struct gate_buf *out, struct gate_str text));

/** Make the headline of a verdict. `text` is in `arena`. err: GATE_ERR_MEMORY, GATE_ERR_LIMIT. */
GATE_MUST_CHECK
bool gate_headline_make(struct gate_headline *out, const struct gate_verdict *verdict, struct gate_arena *arena,
                        struct gate_error *err);

/**
 * Append "2 functions got cheaper, the largest main.parse: 14.2% → 9.0% of cpu", without a full stop. Nothing if there
 * is none, or if the work is neither known nor estimated: a share also falls when others grow. Not escaped.
 */
void gate_cheaper_print(struct gate_buf *out, const struct gate_verdict *verdict);

/** Return how many causes have a larger share because others shrank, and cost no more (gate_cause_is_share_only). */
uint32_t gate_share_only_count(const struct gate_verdict *verdict);

/** Append these causes, the first three by name, without a full stop; nothing if there are none. Not escaped. */
void gate_share_only_print(struct gate_buf *out, const struct gate_verdict *verdict);

/** Return how many functions pass over a limit because noise may explain it (GATE_REASON_TOLERATED). */
unsigned gate_tolerated_count(const struct gate_verdict *verdict);

/**
 * Append the functions that pass over a limit because noise may explain it, the first three by name, without a full
 * stop; nothing after a fail. If there are none, append the path with the largest unconfirmed growth of a pass. For a
 * pass, also append the function with the largest significant growth below its budget's min_growth. Not escaped.
 */
void gate_tolerated_print(struct gate_buf *out, const struct gate_verdict *verdict);

/** Append why the sides are not comparable: the first warning that the rules raise to an error. Not escaped. */
void gate_headline_guard(struct gate_buf *out, const struct gate_verdict *verdict);

/* ---- totals of a comparison: a share alone does not show how the total changed ----------------------------------- */

/**
 * Append "total 1m15s → 1m24s; canary used 1.13x in the same 1m30s (90% CI [1.05, 1.21]); 1.03x per unit of work
 * (estimated)". The first ratio is by the fact that the verdict rests on, if one is known. Then follow the cost per
 * second, or without durations per run, and, if no fact is known, an estimate. Totals are per run if the sides have
 * different numbers of runs. Last comes "without a function name: 4.1% → 3.8%", if there is such cost.
 *
 * work_unit  of the rules; empty: "unit of work"
 */
void gate_totals_print(struct gate_buf *out, const struct gate_comparison *comparison, struct gate_str work_unit);

/**
 * Return the relative standard error of the ratio canary / baseline of the totals. It covers sampling and variation
 * between runs (compare/cost.h), scaled to a normal distribution. NAN: not known.
 */
double gate_totals_error(const struct gate_comparison *comparison);

/** Return whether the work is known or could be estimated. If not, the cost per unit of work equals the share. */
bool gate_totals_has_work(const struct gate_comparison *comparison);

#endif
