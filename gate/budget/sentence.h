/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as sentences: numbers, limit, budget, and what to do next.
 * Pipeline: budget/decide.h -> budget/sentence.h -> budget/verdict.h */
#ifndef GATE_BUDGET_SENTENCE_H
#define GATE_BUDGET_SENTENCE_H

#include "gate/base/buf.h"
#include "gate/budget/decide.h"

/** What the sentences need besides the hypothesis. */
struct gate_sentence {
    const struct gate_rules *rules;
    const struct gate_budget *budget;
    const struct gate_comparison *comparison;
    bool per_second;    /* cost is per second, since no work was told */
    double settle_runs; /* gate_settle_verdict_runs; 0: not known */
    double margin;      /* this look's level of the rules' alpha_margin (compare/looks.h) */
};

/** "NAME: self 4.1 % → 10.3 % of cpu, +6.2 pp (95 % CI +4.9 … +7.6), over the +5 pp of "BUDGET"". `.ptr` NULL: full. */
struct gate_str gate_sentence_text(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis,
                                   struct gate_arena *arena);

/** "these samples are too few to confirm it": the reason alone; empty where the limit says it all. `.ptr` NULL: full.
 */
struct gate_str gate_sentence_why(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis,
                                  struct gate_arena *arena);

/**
 * Why no growth on this hypothesis, however large, could fail the run: GATE_REASON_MIN_SAMPLES,
 * GATE_REASON_DELAY_REPLICATES, or GATE_REASON_WITHIN where it could, or where its budget only warns, as it then would.
 */
enum gate_reason gate_sentence_hindrance(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis);

/** Append that hindrance as a clause: "with fewer than 500 effective samples on both sides nothing can fail". */
void gate_sentence_put_hindrance(struct gate_buf *out, const struct gate_rules *rules, enum gate_reason hindrance);

/** What "charged" means, for a report's reader: "charged: with what libraries and the runtime do for it". Static text.
 */
const char *gate_sentence_charged(void);

/** The message, reason and owner of a budget, behind "; " where `buf` holds something: what its authors want known. */
void gate_sentence_people(struct gate_buf *buf, const struct gate_budget *budget);

/** What to do next; empty where there is nothing to do. `.ptr` NULL: full. */
struct gate_str gate_sentence_advice(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis,
                                     struct gate_arena *arena);

/** Effective samples a side that would decide `hypothesis`; 0: does not apply. */
double gate_sentence_samples(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis);

#endif
