/* SPDX-License-Identifier: Apache-2.0 */
/* Causes in words: the parts that every report puts together, and all of them in one sentence.
 * Pipeline: budget/verdict.h -> budget/cause_sentence.h -> report/ */
#ifndef GATE_BUDGET_CAUSE_SENTENCE_H
#define GATE_BUDGET_CAUSE_SENTENCE_H

#include "gate/base/buf.h"
#include "gate/budget/verdict.h"

/* Each appends text that is not escaped: names in it come from the profiles. None ends with a full stop. */

/** "+25.3 pp of cpu, charged 8.1 % → 33.4 % (95 % CI +20.1 … +30.4)". */
void gate_cause_sentence_change(struct gate_buf *out, const struct gate_verdict *verdict,
                                const struct gate_cause *cause);

/** "4.2 times the cost per request, 92 % of all that grew", as far as it is known: maybe nothing. */
void gate_cause_sentence_cost(struct gate_buf *out, const struct gate_verdict *verdict, const struct gate_cause *cause);

/** "off the CPU, it waits: of what grew, 3 % is CPU time (95 % CI 0 … 9); take block and mutex profiles: ...", of time
 * that is not CPU time: maybe nothing. */
void gate_cause_sentence_clock(struct gate_buf *out, const struct gate_verdict *verdict,
                               const struct gate_cause *cause);

/** "main.handler → … → main.text → runtime.memmove"; nothing where the path is the cause's frame alone. */
void gate_cause_sentence_path(struct gate_buf *out, const struct gate_verdict *verdict, const struct gate_cause *cause);

/** What to say of a growth that none of the program's own code is charged; empty for all others. */
struct gate_str gate_cause_sentence_not_own(const struct gate_cause *cause);

/** "breaks", "leaves open", "warns": what a cause does to the budgets whose findings ended as `outcome`. Static text.
 */
const char *gate_cause_sentence_verb(enum gate_outcome outcome);

/**
 * Its budgets whose findings ended as `outcome`: ""no function doubles" (+100 %), "no self cost grows" (runtime.memmove
 * self +9.1 pp)". In the brackets stands the limit, or which other frame or measure it was.
 */
void gate_cause_sentence_budgets(struct gate_buf *out, const struct gate_cause *cause, enum gate_outcome outcome);

/** "these samples are too few to confirm it": why it is not plainly a failure; maybe nothing. */
struct gate_str gate_cause_sentence_why(const struct gate_cause *cause);

/** What to do next, and what the authors of its budgets want known; maybe nothing. */
void gate_cause_sentence_advice(struct gate_buf *out, const struct gate_cause *cause);

/** Name, change, cost, budgets, reason and path in one sentence, for readers that have one line. */
void gate_cause_sentence_text(struct gate_buf *out, const struct gate_verdict *verdict, const struct gate_cause *cause);

#endif
