/* SPDX-License-Identifier: Apache-2.0 */
/* Which findings a report lists, and in which order.
 * Pipeline: budget/verdict.h -> report/listing.h -> the reports */
#ifndef GATE_REPORT_LISTING_H
#define GATE_REPORT_LISTING_H

#include "gate/budget/verdict.h"

/** The outcomes that are listed, the worst first. */
enum { GATE_LISTING_OUTCOMES = 3 };
extern const enum gate_outcome gate_listing_outcomes[GATE_LISTING_OUTCOMES];

/**
 * Whether finding `at` of a budget, which is part of no cause (budget/cause.h), belongs in a report that people read:
 * the first few that say what is wrong with the budget, and the worst of one that cannot be decided, whether that holds
 * the run up or only warns. The many that merely had too few samples are counted, not listed.
 */
bool gate_listing_has(const struct gate_budget_result *result, uint32_t at);

/** How many warning, undecided and broken findings are part of no cause and not in gate_listing_has. */
uint32_t gate_listing_left_out(const struct gate_verdict *verdict);

/**
 * The next finding of `outcome`, listed or not, at or after budget `*budget`, finding `*at`, in the order of the rules;
 * NULL when there is none. Start both at 0; they are left behind what was returned.
 */
const struct gate_finding *gate_listing_next(const struct gate_verdict *verdict, enum gate_outcome outcome,
                                             uint32_t *budget, uint32_t *at);

/** Over a limit, rather than merely not known to be within it. */
bool gate_listing_is_over(const struct gate_finding *finding);

/** A warning only for want of samples: nothing of it is wrong in the code, so nothing there is to be marked. */
bool gate_listing_is_blind(const struct gate_finding *finding);

/** Frame of a cause, or NULL for a group or the total. */
const struct gate_frame *gate_listing_cause_frame(const struct gate_verdict *verdict, const struct gate_cause *cause);

/** The measures in the order of tables: what is charged to a frame stands first. */
extern const enum gate_measure gate_listing_measures[GATE_MEASURES];

/**
 * Frames in the order of tables: those whose charged cost moved, by size, then all others by the change of self share.
 * `out` has room for every frame of the comparison's pair. O(frames).
 */
void gate_listing_frames(uint32_t *out, const struct gate_comparison *comparison);

/** Frame of a finding, or NULL for a group or the total. */
const struct gate_frame *gate_listing_frame(const struct gate_verdict *verdict, const struct gate_budget_result *result,
                                            const struct gate_finding *finding);

#endif
