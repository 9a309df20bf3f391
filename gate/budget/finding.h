/* SPDX-License-Identifier: Apache-2.0 */
/* From decided hypotheses to what a report lists of one budget.
 * Pipeline: budget/decide.h -> budget/finding.h -> budget/verdict.h */
#ifndef GATE_BUDGET_FINDING_H
#define GATE_BUDGET_FINDING_H

#include "gate/budget/sentence.h"

struct gate_finding {
    uint32_t frame;           /* of the comparison's pair; GATE_NO_INDEX for a group or the total */
    struct gate_str function; /* the frame's name, or the group's */
    enum gate_outcome outcome;
    enum gate_reason reason;
    const struct gate_limit *limit; /* the one that decided; NULL when none did */
    enum gate_measure measure;
    struct gate_evidence evidence;
    double log_p_adjusted;    /* Holm */
    double detectable;        /* growth that would fail or warn at 80 % power, as a fraction; NAN: none */
    double own_cost_ratio;    /* canary / baseline per unit of work; NAN: not known */
    double samples_to_settle; /* effective samples a side that would decide; 0: does not apply */
    struct gate_str why;      /* of the reason, what the limit does not say already; may be empty */
    struct gate_str text;     /* one sentence: function, numbers, limit, budget */
    struct gate_str advice;   /* what to do next; may be empty */
};

struct gate_budget_result {
    const struct gate_budget *budget;
    uint32_t comparison; /* index */
    enum gate_outcome outcome;
    struct gate_finding *findings; /* fail, inconclusive and warn, worst first; if none, the nearest to its limit */
    uint32_t finding_count;
    uint32_t matched, tested, proven, passed; /* frames */
    double detectable;          /* largest over the tested frames where growth could fail or warn; NAN: there is none */
    enum gate_reason hindrance; /* where it could not (budget/sentence.h); GATE_REASON_WITHIN: all could */
};

/**
 * Fill outcome, findings, tested, proven, passed and detectable of `result` from its decided hypotheses, which are
 * in the order of frames. A frame speaks through its worst limit; with nothing to report the frame nearest to its limit
 * is kept.
 */
GATE_MUST_CHECK
bool gate_finding_make(struct gate_budget_result *result, const struct gate_hypothesis *hypotheses, size_t count,
                       const struct gate_sentence *wording, struct gate_arena *arena, struct gate_error *err);

/** Whether all that is inconclusive is so for want of samples: more runs may decide it. O(findings). */
bool gate_finding_wants_samples(const struct gate_budget_result *budgets, uint32_t count);

/** Put a finding about the budget itself in front: no frame, no numbers. The budget's outcome is worsened to it. */
GATE_MUST_CHECK
bool gate_finding_add_plain(struct gate_budget_result *result, enum gate_outcome outcome, enum gate_reason reason,
                            const char *text, const char *advice, struct gate_arena *arena, struct gate_error *err);

#endif
