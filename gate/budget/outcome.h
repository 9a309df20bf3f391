/* SPDX-License-Identifier: Apache-2.0 */
/* What can become of a budget, and why: the words of every decision.
 * Used by budget/decide.h and all that follows. */
#ifndef GATE_BUDGET_OUTCOME_H
#define GATE_BUDGET_OUTCOME_H

#include "gate/base/error.h"

/** Worst last, so that the larger one wins. */
enum GATE_ONE_BYTE gate_outcome {
    GATE_OUTCOME_PROVEN,       /* the 95 % upper bound of the growth is within the limit */
    GATE_OUTCOME_PASS,         /* the estimate is within, and twice the limit would have been seen */
    GATE_OUTCOME_WARN,         /* broken, and only a warning: `reason` says why */
    GATE_OUTCOME_INCONCLUSIVE, /* cannot be decided: `reason` says why and what would settle it */
    GATE_OUTCOME_FAIL
};

/** Why a finding is what it is. */
enum GATE_ONE_BYTE gate_reason {
    GATE_REASON_WITHIN,           /* within the limit */
    GATE_REASON_OVER,             /* over the limit, confirmed */
    GATE_REASON_SEVERITY_WARN,    /* over the limit; the budget or level says warn */
    GATE_REASON_UNCONFIRMED,      /* over the limit, not significant: measure again */
    GATE_REASON_TOO_FEW_SAMPLES,  /* within the limit, but more could have hidden */
    GATE_REASON_OTHERS_SHRANK,    /* the share grew, the own cost did not */
    GATE_REASON_OWN_COST_OPEN,    /* the share grew; whether the own cost did is open */
    GATE_REASON_SHIFT,            /* the cost moved between frames */
    GATE_REASON_DELAY_REPLICATES, /* delay profile: needs replicates to fail */
    GATE_REASON_MIN_SAMPLES,      /* fewer than defaults.min_samples on both sides */
    GATE_REASON_NO_MATCH,         /* the budget selects no frame */
    GATE_REASON_NOT_COMPARABLE,   /* total without work or duration, guard raised to error, ... */
    GATE_REASON_EXPIRED,          /* the waiver's day has passed (rules/waiver.h) */
    GATE_REASON_NOT_SUSTAINED,    /* over, but fewer than K of the last N runs agree */
    GATE_REASON_RUNTIME,          /* of the runtime by itself, less than doubled: the host's load can do that */
    GATE_REASON_TOLERATED         /* over, but no growth is significant, and it is less than max_mde lets pass unseen */
};

/* Static text; one table in outcome.c. */
const char *gate_outcome_name(enum gate_outcome outcome);      /* "proven", "fail", ...: stable in JSON */
const char *gate_outcome_capitals(enum gate_outcome outcome);  /* "PROVEN", "FAIL", ...: of the verdict, in a report */
const char *gate_outcome_of_budget(enum gate_outcome outcome); /* "holds", "warns", "undecided", "broken" */
const char *gate_reason_name(enum gate_reason reason);         /* "over_budget", ...: stable in JSON */

#endif
