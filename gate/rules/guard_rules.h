/* SPDX-License-Identifier: Apache-2.0 */
/* Names, units and default limits of guards, and their severity under a set of rules. */
#ifndef GATE_RULES_GUARD_RULES_H
#define GATE_RULES_GUARD_RULES_H

#include "gate/rules/rules.h"

/** Guards, in the order of their warnings. A new one needs a row in guard_rules.c and one in guards/guards.c. */
enum gate_guard {
    GATE_GUARD_SWAPPED,          /* the canary looks older than the baseline, by build time, version or capture time */
    GATE_GUARD_DIFFERENT_TYPES,  /* the files contain different sample types */
    GATE_GUARD_DIFFERENT_PERIOD, /* sampling periods or their types differ; limit: ratio */
    GATE_GUARD_DIFFERENT_RATE,   /* a sample represents another amount; limit: ratio */
    GATE_GUARD_DIFFERENT_PRODUCER,     /* another format, or a profiler of another language */
    GATE_GUARD_DIFFERENT_ARCHITECTURE, /* for example amd64 and arm64, according to files and mappings */
    GATE_GUARD_DIFFERENT_DURATION,     /* limit: ratio of the mean durations of runs */
    GATE_GUARD_IDLE,                   /* limit: minimum CPU time per second of wall time */
    GATE_GUARD_NO_LOAD,        /* too little own code ran; limit: as for idle, or own code relative to the other side */
    GATE_GUARD_WAITING,        /* limit: share of a profile of Python in functions that wait */
    GATE_GUARD_MOSTLY_WAITING, /* the same, so large that shares do not show growth */
    GATE_GUARD_UNSYMBOLISED,   /* limit: share of self cost without a name, or with an address as its name */
    GATE_GUARD_MINIFIED,       /* limit: share of own cost in minified functions of two builds (compare/minified.h) */
    GATE_GUARD_INLINED_NAMES,  /* Rust's crate pprof gives all samples of a caller the name of one inlined function */
    GATE_GUARD_OWN_CODE,       /* none of the code is the program's own, or all of it */
    GATE_GUARD_TRUNCATED_STACKS,  /* limit: share of cost in stacks cut at 32, 64, 127 or 128 frames */
    GATE_GUARD_SHAPE_CHANGED,     /* limit: minimum overlap of the distributions of self cost */
    GATE_GUARD_COLD_START,        /* limit: share of initialisation, JIT or GC on one side only */
    GATE_GUARD_MISPLACED_SAMPLES, /* a recording of the JVM misplaces samples of inlined functions */
    GATE_GUARD_PROFILER_OVERHEAD, /* limit: share of the profiler's own frames */
    GATE_GUARD_DELTA_PROFILE,     /* a profile is a difference, or a time window is compared with a total */
    GATE_GUARD_DEBUG_BUILD,       /* no inlining, sanitizers, or a debug folder */
    GATE_GUARD_SAME_FILE,
    GATE_GUARD_UNCOUNTED_EVENTS,  /* a profile does not contain its number of events */
    GATE_GUARD_FEW_SAMPLES,       /* fewer than defaults.min_samples on both sides */
    GATE_GUARD_UNDERSAMPLED,      /* limit: least part of the CPU time counted by the system that is in samples */
    GATE_GUARD_TOTAL_COST,        /* the total grew per unit of work, and no budget measures it */
    GATE_GUARD_COST_PER_SECOND,   /* simultaneous runs, work not given: the canary used more CPU time; limit: ratio */
    GATE_GUARD_ESTIMATED_COST,    /* no work given: by the estimated work, a unit costs more; limit: ratio */
    GATE_GUARD_TOTAL_SHRANK,      /* the canary used much less: the sides may be swapped; limit: ratio */
    GATE_GUARD_UNEQUAL_LOAD,      /* with `equal: time`, all functions cost less by one factor; limit: that factor */
    GATE_GUARD_MIX,               /* work was given by a label that most of the cost does not have */
    GATE_GUARD_BY_VALUES,         /* raised for --by; limit: share of the cost in values that were not compared */
    GATE_GUARD_UNSEEN,            /* limit: increase of the share that no budget can see, from baseline to canary */
    GATE_GUARD_NEW_NAMES,         /* limit: share of the canary under names that the baseline does not have */
    GATE_GUARD_ONE_PAIR,          /* one run per side and no noise model */
    GATE_GUARD_MISSING_KIND,      /* one side lacks a kind of profile, or a sample type that budgets name */
    GATE_GUARD_ROUNDS_LEFT_OUT,   /* raised for a folder: rounds without one side or both */
    GATE_GUARD_ONE_PROCESS,       /* raised for a folder: both sides were profiles of one process */
    GATE_GUARD_RETRIED,           /* raised for a folder: a program broke off its profile, or was down */
    GATE_GUARD_TREND_BUDGETS,     /* budgets of measure trend, which this command does not judge */
    GATE_GUARD_NO_MATCH,          /* raised by the verdict: a budget selects no frame */
    GATE_GUARD_RENAMED,           /* raised by the verdict: functions disappeared and similar ones appeared */
    GATE_GUARD_REPLACED_CODE,     /* raised by the verdict: nothing fails, and functions of one side have a larger share
                                     of both sides than the limit */
    GATE_GUARD_NEW_FUNCTIONS,     /* raised by the verdict; limit: share of the canary */
    GATE_GUARD_RULES_EDITED,      /* raised by --rules-from: the working tree has other rules */
    GATE_GUARD_TOOTHLESS,         /* raised for the rules: no run can fail, or they ignore much of the cost */
    GATE_GUARD_BASELINE_MISSING,  /* no accepted baseline; session/stored_baseline.h raises this and the next four */
    GATE_GUARD_BASELINE_DAMAGED,  /* a record or a profile differs from what was accepted and was left out */
    GATE_GUARD_BASELINE_AGE,      /* accepted too long ago; limit: days */
    GATE_GUARD_BASELINE_ANCESTOR, /* not known to be an ancestor of the change */
    GATE_GUARD_BASELINE_MACHINE,  /* taken on a machine of another class */
    GATE_GUARD_NAMES
};

/** Return the guard's name: its key under `guards:` and the code of its warnings. */
const char *gate_guard_name(enum gate_guard guard);

/** Return the unit of a guard's limit: "%", "x", "d" (days), or NULL if it has no limit. */
const char *gate_guard_unit(enum gate_guard guard);

/** Return the limit set by the rules, or the built-in one: a fraction for "%", a ratio for "x", days for "d". */
double gate_guard_limit(const struct gate_rules *rules, enum gate_guard guard);

/**
 * Return the severity of a guard: that of the rules or the table. At GATE_SEVERITY_ERROR the sides are not comparable.
 */
enum gate_severity gate_guard_severity(const struct gate_rules *rules, enum gate_guard guard);

/** Return whether further runs of the same programs may end the guard's warning, for example one about too few runs. */
bool gate_guard_passes(enum gate_guard guard);

/** Return whether the guard warns that the sides were built or captured in different ways, which can change the cost of
 * the same code. */
bool gate_guard_is_setup(enum gate_guard guard);

#endif
