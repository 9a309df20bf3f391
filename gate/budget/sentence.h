/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences on findings: numbers, reason, advice. */
#ifndef GATE_BUDGET_SENTENCE_H
#define GATE_BUDGET_SENTENCE_H

#include "gate/base/buf.h"
#include "gate/budget/decide.h"

/** Context of the sentences. */
struct gate_sentence {
    const struct gate_rules *rules;
    const struct gate_budget *budget;
    const struct gate_comparison *comparison;
    enum gate_equal equal; /* what costs are divided by: work, time or runs */
    double settle_runs;    /* from gate_samples_needed_verdict_runs; 0: unknown */
    double margin;         /* level of alpha_margin at this look (compare/error_spending.h) */
};

/**
 * Return "NAME: self 4.1% → 10.3% of cpu, +6.2 pp (95% CI [+4.9, +7.6]), over the +5 pp of "BUDGET"".
 * `.ptr` NULL: the arena is full.
 */
struct gate_str gate_sentence_text(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis,
                                   struct gate_arena *arena);

/**
 * Return the reason as a clause, such as "not enough samples to confirm it"; empty if the limit suffices. `.ptr`
 * NULL: the arena is full.
 */
struct gate_str gate_sentence_why(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis,
                                  struct gate_arena *arena);

/**
 * Return why no growth on this hypothesis, however large, could fail the run: GATE_REASON_MIN_SAMPLES or
 * GATE_REASON_DELAY_REPLICATES. GATE_REASON_WITHIN: it could fail, or its severity only allows a warning.
 */
enum gate_reason gate_sentence_hindrance(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis);

/** Append that reason: "with fewer than 500 effective samples on both sides nothing can fail". */
void gate_sentence_put_hindrance(struct gate_buf *out, const struct gate_rules *rules, enum gate_reason hindrance);

/** Return the explanation of "charged" for readers of a report. Static text. */
const char *gate_sentence_charged(void);

/** Append the message, reason and owner of a budget, after "; " if `buf` is not empty. */
void gate_sentence_people(struct gate_buf *buf, const struct gate_budget *budget);

/** Return what to do next; empty if there is nothing to do. `.ptr` NULL: the arena is full. */
struct gate_str gate_sentence_advice(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis,
                                     struct gate_arena *arena);

/** Return the effective samples per side that would decide `hypothesis`; 0: does not apply. */
double gate_sentence_samples(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis);

/** Return the runs per side that would decide `hypothesis`; 0: unknown, or it does not apply. */
double gate_sentence_runs(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis);

#endif
