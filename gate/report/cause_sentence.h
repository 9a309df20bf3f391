/* SPDX-License-Identifier: Apache-2.0 */
/* Describe the causes of a verdict in sentences. */
#ifndef GATE_REPORT_CAUSE_SENTENCE_H
#define GATE_REPORT_CAUSE_SENTENCE_H

#include "gate/base/buf.h"
#include "gate/budget/verdict.h"

/** Append "8.1% → 33.4% of cpu"; for a cost "95.2% → 196% of the baseline's cpu", and for an amount held or a delay
 * "57MB → 194MB of inuse". */
void gate_cause_sentence_amounts(struct gate_buf *out, const struct gate_verdict *verdict,
                                 const struct gate_cause *cause);

/** Append "charged 8.1% → 33.4% of cpu, +25.3 pp (95% CI [+20.1, +30.4])". */
void gate_cause_sentence_change(struct gate_buf *out, const struct gate_verdict *verdict,
                                const struct gate_cause *cause);

/**
 * Return whether a cause grew in start-up code. Perhaps only the start-up part of the profile grew, so its cost per
 * request or second means nothing. O(1).
 */
bool gate_cause_is_at_start(const struct gate_verdict *verdict, const struct gate_cause *cause);

/** Return whether the cost of a cause is a cost per profile (`per: run`), even if the work is known. O(1). */
bool gate_cause_is_per_run(const struct gate_cause *cause);

/** Return whether a finding on the cause's function states that its cost may have belonged to another function before,
 * which is inlined in some runs or misplaced by the profiler. A ratio of costs then misleads. O(findings). */
bool gate_cause_may_be_of_another(const struct gate_cause *cause);

/** Return the growth of a cause that is a leak, such as "+3.65MB of inuse_space in 10 rounds (1s) beyond the baseline's
 * growth". Empty if it is not a leak, or if another finding of it is worse. O(findings). */
struct gate_str gate_cause_leak(const struct gate_cause *cause);

/** Return whether the baseline has samples in the cause's function or its callees, charged to it or not. O(1). */
bool gate_cause_ran_before(const struct gate_verdict *verdict, const struct gate_cause *cause);

/**
 * Return whether the baseline has so few samples of the cause's function that a ratio to them means nothing: fewer than
 * 5, and the canary costs at least 5 times as much. O(1).
 */
bool gate_cause_lacks_ratio(const struct gate_verdict *verdict, const struct gate_cause *cause);

/** Return whether gate_cause_lacks_ratio holds, and the function had less than 1% of the baseline. O(1). */
bool gate_cause_is_nearly_new(const struct gate_verdict *verdict, const struct gate_cause *cause);

/**
 * Return the program's own function that calls a cause in third-party code. Of those on the cause's path whose
 * cumulative share grew significantly, it is the innermost with at least 90% of the largest factor. GATE_NO_INDEX:
 * none. Third-party are Go's modules with a version in their path, crates other than that of `main`, and packages that
 * differ from that of the JVM's `main` in their first two parts. O(frames + path).
 */
uint32_t gate_cause_grown_caller(const struct gate_verdict *verdict, const struct gate_cause *cause);

/**
 * Append "4.2x the cost per request, 92% of the total increase", or "... of all increases, while the total did not
 * grow"; "... of all increases of shares" without known or estimated work. A function that moved has its name in the
 * baseline. With --by, the shares in three other values are given, and further values are counted. Unknown parts are
 * left out, so it may append nothing.
 */
void gate_cause_sentence_cost(struct gate_buf *out, const struct gate_verdict *verdict, const struct gate_cause *cause);

/**
 * Append whether a growth of wall time is CPU time: "off the CPU, it waits: of what grew, 3% is CPU time (95% CI
 * [0, 9]); take block and mutex profiles: ...". Appends nothing if that is not known.
 */
void gate_cause_sentence_clock(struct gate_buf *out, const struct gate_verdict *verdict,
                               const struct gate_cause *cause);

/** Return a hint if the growth is charged to a function that is not the program's own; otherwise an empty text. */
struct gate_str gate_cause_sentence_not_own(const struct gate_cause *cause);

/**
 * Return "breaks", "undecided:" or "over the limit (warning only):": the words before budgets whose findings have this
 * outcome. Static text.
 */
const char *gate_cause_sentence_verb(enum gate_outcome outcome);

/**
 * Append the cause's budgets whose findings have this outcome, such as: "no function doubles" (limit +100%), "no self
 * cost grows" (runtime.memmove self +9.1 pp). In brackets is the limit, or the other frame or measure that the finding
 * is about. With --by, the first four budgets of other values are named, and the others are counted.
 */
void gate_cause_sentence_budgets(struct gate_buf *out, const struct gate_cause *cause, enum gate_outcome outcome);

/** Append the names of these budgets without brackets, except budgets that have findings of other outcomes, too. */
void gate_cause_sentence_budget_names(struct gate_buf *out, const struct gate_cause *cause, enum gate_outcome outcome);

/** Return why the cause does not simply fail, such as "not enough samples to confirm it"; may be empty. */
struct gate_str gate_cause_sentence_why(const struct gate_cause *cause);

/**
 * Append why budgets of severity error only warn, such as: "no path takes over" only warns: the cost moved: … Appends
 * nothing for the reason that gate_cause_sentence_why returns.
 */
void gate_cause_sentence_excuses(struct gate_buf *out, const struct gate_cause *cause);

/** Append what to do next, and the messages of its budgets' authors; may append nothing. */
void gate_cause_sentence_advice(struct gate_buf *out, const struct gate_cause *cause);

/** Append name, change, cost, budgets, reason and path in one sentence, for formats that show one line. */
void gate_cause_sentence_text(struct gate_buf *out, const struct gate_verdict *verdict, const struct gate_cause *cause);

/** Return the explanation of "charged" for readers of a report. Static text. */
const char *gate_sentence_charged(void);

#endif
