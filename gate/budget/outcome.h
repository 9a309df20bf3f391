/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes, reasons and exit codes. */
#ifndef GATE_BUDGET_OUTCOME_H
#define GATE_BUDGET_OUTCOME_H

#include "gate/base/error.h"

/* ---- outcomes and reasons ---------------------------------------------------------------------------------------- */

/** Ordered from best to worst: of two outcomes, the larger one is the result. */
enum GATE_ONE_BYTE gate_outcome {
    GATE_OUTCOME_PROVEN,       /* the 95% upper bound of the growth is within the limit */
    GATE_OUTCOME_PASS,         /* the estimate is within the limit, and twice the limit would have been detected */
    GATE_OUTCOME_WARN,         /* over the limit, but only a warning; see `reason` */
    GATE_OUTCOME_INCONCLUSIVE, /* undecided, for the reason `reason` */
    GATE_OUTCOME_FAIL
};

/** Reason of an outcome. */
enum GATE_ONE_BYTE gate_reason {
    GATE_REASON_WITHIN,           /* within the limit */
    GATE_REASON_OVER,             /* over the limit, confirmed */
    GATE_REASON_SEVERITY_WARN,    /* over the limit; the severity of budget or limit is "warn" */
    GATE_REASON_UNCONFIRMED,      /* over the limit, not significant */
    GATE_REASON_TOO_FEW_SAMPLES,  /* within the limit, but a larger growth could be undetected */
    GATE_REASON_OTHERS_SHRANK,    /* the share grew, but not the cost per unit of work */
    GATE_REASON_OWN_COST_OPEN,    /* the share grew; the cost per unit of work is undecided */
    GATE_REASON_SHIFT,            /* the cost moved between frames */
    GATE_REASON_DELAY_REPLICATES, /* delay profile: replicates are needed to fail */
    GATE_REASON_MIN_SAMPLES,      /* fewer than defaults.min_samples on both sides */
    GATE_REASON_NO_MATCH,         /* the budget selects no frame */
    GATE_REASON_NOT_COMPARABLE,   /* e.g. a total without work or duration, or a guard raised to error */
    GATE_REASON_EXPIRED,          /* the waiver's date has passed (gate_waiver_is_expired) */
    GATE_REASON_NOT_SUSTAINED,    /* over the limit, but in fewer than K of the last N runs */
    GATE_REASON_RUNTIME,          /* cost on stacks without own code less than doubled; a busy host can explain that */
    GATE_REASON_TOLERATED,        /* over the limit, but not significant and below max_mde */
    GATE_REASON_SMALL,            /* over the limit, but by less than min_growth */
    GATE_REASON_OWN_CALLERS,      /* the growth is on stacks of own code (select.no_own_caller) */
    GATE_REASON_FILLS,            /* the amount held grew from round to round, but is below the baseline's */
    GATE_REASON_SLOWER,           /* the amount held grew from round to round, but more slowly in the last rounds */
    GATE_REASON_UNTIMED,          /* a cost per second, of profiles without a duration */
    /* Contradicted by another reading of the profiles (budget/readings.h): */
    GATE_REASON_OTHERS_CHEAPER, /* one other function may have become cheaper */
    GATE_REASON_TOTAL_FELL,     /* per run, or per second, the function is within the limit */
    GATE_REASON_TOTAL_GREW,     /* others shrank by the estimated work, but the total per second grew significantly */
    GATE_REASON_WAITING_MOVED,  /* all delays together fell: threads that waited elsewhere may now wait here */
    GATE_REASON_SINCE_START,    /* allocations count from the start, and a side may have done more work since then */
    GATE_REASON_START_UP,       /* it grew in code that runs once: its share depends on the length of the profile */
    GATE_REASON_ONE_START,   /* it grew in code that runs once, and one whole run per side does not show how that varies
                              */
    GATE_REASON_SMALL_START, /* it grew in code that runs once: not confirmed, and within the limit in points */
    GATE_REASON_REPLACED,    /* functions with new names replaced others at about the same cost */
    GATE_REASON_SLOWED,      /* the cost moved, or a worker that is always busy gets less done */
    GATE_REASON_OTHER_WAY,   /* a path whose functions together did not grow: they are only called in another way */
    GATE_REASON_ONE_FUNCTION, /* a path in which one function has most of the growth; that function is judged by itself
                               */
    GATE_REASON_INTERPRETED,  /* one run per side of a JVM: in compiled code alone, the function is within its limit */
    GATE_REASON_INLINED,      /* one run per side: the function may have been inlined in one run and not in the other */
    GATE_REASON_INLINED_TOGETHER, /* together with the functions into which it is inlined in some runs, it did not grow
                                     as much */
    GATE_REASON_MISPLACED,        /* on a JVM: the cost may belong to another function in the same compiled method */
    GATE_REASON_UPGRADED, /* the function belongs to a library with another version, which as a whole did not grow as
                             much */
    GATE_REASON_UNEQUAL_LOAD, /* the sides had different load, so their totals per unit of work differ anyway */
    GATE_REASON_PREEMPTED, /* with so few runs, the total may contain time in which other programs had the processor */
    GATE_REASON_SLOWER_MACHINE, /* other functions became slower by one factor; corrected for it, the function is within
                                   the limit */
    GATE_REASON_BUSIER_MACHINE, /* other functions became faster by one factor; corrected for it, the function is over
                                   the limit */
    GATE_REASON_INLINED_NAMES,  /* the profiler gives a function's samples the name of any function inlined there */
    GATE_REASON_OTHER_NAMES,    /* over the limit because of functions with another name on each side, none of which is
                                   judged by itself */
    GATE_REASON_GONE,       /* a function that the budget names is gone, and new functions of its callers cost more than
                               the limit allows it */
    GATE_REASON_FEW_RUNS,   /* delays over the limit in half of the canary's runs or fewer */
    GATE_REASON_ONE_MOMENT, /* goroutines at one or two moments: a queue may have been that much longer then */
    GATE_REASON_UNEQUAL_WINDOWS, /* per second and per run, the total has different outcomes */
    GATE_REASON_CUT_STACKS, /* cumulative cost that may be in the part of the baseline's stacks which the profiler cut
                             */
    GATE_REASON_NAMELESS,   /* part of the code over its limit has no function name: the baseline may have named it */
    GATE_REASON_MINIFIED, /* minified functions lost as much; the function may be one of them, under another short name
                           */
    GATE_REASON_THREADS /* a side is one run of Python: as a share of its own threads, the function is within the limit
                         */
};

/** Constant properties of a reason. A text is NULL if the reason has none, or if it depends on the hypothesis. */
struct gate_reason_row {
    const char *name;     /* "over_budget", ...: stable in JSON */
    const char *joint;    /* conjunction between "over the +5 pp of "budget"" and the clause `why`; NULL: no clause */
    const char *why;      /* the clause, if it contains no numbers */
    const char *advice;   /* what to do */
    const char *obstacle; /* in the headline: why a cause over its limit is undecided, and what would decide it */
    bool is_open;         /* a limit is undecided for lack of samples, runs or counts */
    bool needs_samples;   /* more samples decide it */
};

/** Return the row of a reason. */
const struct gate_reason_row *gate_reason_row(enum gate_reason reason);

/* Names of outcomes and reasons. Static text. */
const char *gate_outcome_name(enum gate_outcome outcome); /* "proven", "fail", ...: stable in JSON */

const char *gate_outcome_capitals(enum gate_outcome outcome); /* "PROVEN", "FAIL", ...: verdict in a report */

const char *gate_outcome_of_budget(enum gate_outcome outcome); /* "holds", "warns", "undecided", "broken" */

const char *gate_reason_name(enum gate_reason reason);

/* ---- exit codes -------------------------------------------------------------------------------------------------- */

/** Exit codes of the program. */
enum gate_exit {
    GATE_EXIT_PASS = 0,
    GATE_EXIT_FAIL = 1,
    GATE_EXIT_ERROR = 2, /* usage, configuration, input or output error: nothing was decided */
    GATE_EXIT_INCONCLUSIVE = 3,
    GATE_EXIT_BUG = 70
};

/** Return the exit code of a verdict with this outcome. */
enum gate_exit gate_exit_code_of(enum gate_outcome outcome);

#endif
