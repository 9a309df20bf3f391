/* SPDX-License-Identifier: Apache-2.0 */
/* How the reports say things: numbers as people read them, the verdict in one sentence, long names made short.
 * One place, so that a share reads the same in a terminal, a comment and a page. */
#ifndef GATE_REPORT_PHRASE_H
#define GATE_REPORT_PHRASE_H

#include "gate/base/buf.h"
#include "gate/budget/verdict.h"

/** "10.3 %", "0.42 %", "0 %": a fraction as per cent; two decimals below 1 %. NAN: "n/a". */
void gate_phrase_share(struct gate_buf *out, double share);

/** "+6.2 pp", "-0.31 pp", "0 pp": a difference of fractions in points, always with its sign. NAN: "n/a". */
void gate_phrase_points(struct gate_buf *out, double delta);

/** "+4.9 … +7.6": both bounds in points, without the unit. */
void gate_phrase_interval(struct gate_buf *out, const double bounds[GATE_SIDES]);

/** "12 345" in groups of three with no-break spaces between, no decimals. */
void gate_phrase_count(struct gate_buf *out, double count);

/** gate_unit_print, escaped for XML and HTML: a unit is text from the profile. */
void gate_phrase_quantity_xml(struct gate_buf *out, int64_t value, struct gate_str unit);

/** "p = 0.0031", "p < 1e-300": from a natural logarithm. */
void gate_phrase_p(struct gate_buf *out, double log_p);

/** "2 of 5 budgets are broken", ...: what the verdict means, without its word. No full stop. */
void gate_phrase_summary(struct gate_buf *out, const struct gate_verdict *verdict);

/** "PASS", "INCONCLUSIVE", "FAIL", "WARN", "PROVEN": static text. */
const char *gate_phrase_verdict(enum gate_outcome outcome);

/** "self", "cumulative": static text. */
const char *gate_phrase_measure(enum gate_measure measure);

/** How many budgets ended as `outcome`. */
uint32_t gate_phrase_tally(const struct gate_verdict *verdict, enum gate_outcome outcome);

/**
 * Whether finding `at` of a budget belongs in a report that people read: the first few that are over their limit, and
 * the worst of a budget that cannot be decided. The many that merely had too few samples are counted, not listed.
 */
bool gate_phrase_is_shown(const struct gate_budget_result *result, uint32_t at);

/** How many warning, undecided and broken findings gate_phrase_is_shown leaves out. */
uint32_t gate_phrase_left_out(const struct gate_verdict *verdict);

/**
 * The next finding of `outcome` at or after budget `*budget`, finding `*at`, in the order of the rules; NULL when there
 * is none. Start both at 0; they are left behind what was returned.
 */
const struct gate_finding *gate_phrase_next(const struct gate_verdict *verdict, enum gate_outcome outcome,
                                            uint32_t *budget, uint32_t *at);

/** Over a limit, rather than merely not known to be within it. */
bool gate_phrase_is_over(const struct gate_finding *finding);

/** Frame of a finding, or NULL for a group or the total. */
const struct gate_frame *gate_phrase_frame(const struct gate_verdict *verdict, const struct gate_budget_result *result,
                                           const struct gate_finding *finding);

/**
 * `name` in at most `columns` terminal columns: leading path and package parts go first, behind "…"; what then still
 * does not fit loses its middle. Itself when it fits; "(no name)" when it is empty. `.ptr` is NULL when the arena is full. `columns` >= 8.
 */
struct gate_str gate_phrase_shorten(struct gate_arena *arena, struct gate_str name, size_t columns);

/** At most `columns` terminal columns of the start of `text`, cut between code points. */
struct gate_str gate_phrase_head(struct gate_str text, size_t columns);

#endif
