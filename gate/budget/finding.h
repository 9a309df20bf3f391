/* SPDX-License-Identifier: Apache-2.0 */
/* Findings: the frames that a report lists for one budget, worst first, and the sentences on each. */
#ifndef GATE_BUDGET_FINDING_H
#define GATE_BUDGET_FINDING_H

#include "gate/base/buf.h"
#include "gate/budget/advice.h"

/** Minimum number of rounds for a decision on a leak (budget/leak.h). */
enum { GATE_LEAK_LEAST_ROUNDS = 5 };

/** Append why nothing could fail: "with fewer than 500 effective samples on both sides nothing can fail". */
void gate_sentence_put_hindrance(struct gate_buf *out, const struct gate_rules *rules, enum gate_reason hindrance);

struct gate_finding {
    uint32_t frame;           /* index in the comparison's pair; GATE_NO_INDEX for a group or the total */
    struct gate_str function; /* the frame's name, or the group's */
    enum gate_outcome outcome;
    enum gate_reason reason;
    const struct gate_limit *limit; /* the limit that decided; NULL: none did */
    enum gate_measure measure;
    struct gate_evidence evidence;
    double log_p_adjusted;          /* corrected by Holm */
    double detectable;              /* growth that would fail or warn with 80% power, as a fraction; NAN: none */
    double own_cost_ratio;          /* canary / baseline per unit of work; NAN: unknown */
    double samples_to_settle;       /* effective samples per side that would decide; 0: does not apply */
    double runs_to_settle;          /* runs per side that would decide; 0: unknown, or it does not apply */
    const struct gate_shift *shift; /* where the cost came from, if it moved; else NULL */
    struct gate_str why;            /* the reason, beyond what the limit states; may be empty */
    struct gate_str text;           /* one sentence: function, numbers, limit, budget */
    struct gate_str advice;         /* what to do next; may be empty */
    bool may_come;                  /* the profiles lack events or a sample type that further runs may have */
};

struct gate_budget_result {
    const struct gate_budget *budget;
    uint32_t comparison; /* index of the comparison */
    enum gate_outcome outcome;
    struct gate_finding *findings; /* fail, inconclusive and warn, worst first; if none, the nearest to its limit */
    uint32_t finding_count;
    uint32_t matched, tested, proven, passed; /* numbers of frames */
    double detectable;          /* largest of the tested frames whose growth could fail or warn; NAN: none */
    enum gate_reason hindrance; /* why some frame, or a leak, could not fail; GATE_REASON_WITHIN: all could */
};

/** Fill outcome, findings, tested, proven, passed, detectable and hindrance of `result` from its decided hypotheses,
 * which are in frame order. The worst limit of a frame decides its finding. If nothing is to be reported, the frame
 * nearest to its limit is kept. */
GATE_MUST_CHECK
bool gate_finding_make(struct gate_budget_result *result, const struct gate_hypothesis *hypotheses, size_t count,
                       const struct gate_sentence *wording, struct gate_arena *arena, struct gate_error *err);

/** Return whether a budget holds only because nothing could fail, such as a leak budget with one round. O(1). */
bool gate_budget_is_unjudged(const struct gate_budget_result *result);

/** Return whether every inconclusive finding lacks only samples, so that a number of runs decides them all.
 * O(findings). */
bool gate_finding_lacks_only_samples(const struct gate_budget_result *budgets, uint32_t count);

/** Return whether further runs may decide every inconclusive finding: each lacks samples, or
 * what further runs may have (`may_come`). O(findings). */
bool gate_finding_may_be_decided(const struct gate_budget_result *budgets, uint32_t count);

/**
 * Insert at the front a finding about the budget itself, without a frame or numbers. If `outcome` is worse than the
 * budget's, it becomes the budget's outcome.
 */
GATE_MUST_CHECK
bool gate_finding_add_plain(struct gate_budget_result *result, enum gate_outcome outcome, enum gate_reason reason,
                            const char *text, const char *advice, struct gate_arena *arena, struct gate_error *err);

#endif
