/* SPDX-License-Identifier: Apache-2.0 */
/* What to do next about a hypothesis: more samples or runs, other settings, or another look at the code. */
#ifndef GATE_BUDGET_ADVICE_H
#define GATE_BUDGET_ADVICE_H

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

/** What to do about a function over its limit that has no sample in the baseline. */
extern const char gate_advice_new_function[];

/** Append that allocations may be the cause, if Go's collector has these shares of the sides; ends with "else ". */
void gate_advice_put_allocations(struct gate_buf *out, const double collector[GATE_SIDES]);

/** Append the message, reason and owner of a budget, after "; " if `buf` is not empty. */
void gate_sentence_people(struct gate_buf *buf, const struct gate_budget *budget);

/** Return the effective samples per side that would decide `hypothesis`; 0: does not apply. If nothing can fail now, at
 * least min_samples. */
double gate_advice_samples(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis);

/** Return the runs per side that would decide `hypothesis`; 0: unknown, or it does not apply. */
double gate_advice_runs(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis);

/** Return what to do next; empty if there is nothing to do. `.ptr` NULL: the arena is full. O(frames). */
struct gate_str gate_advice_on(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis,
                               struct gate_arena *arena);

#endif
