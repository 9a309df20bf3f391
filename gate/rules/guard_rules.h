/* SPDX-License-Identifier: Apache-2.0 */
/* Guards as the rules file knows them: their names, units and limits. What they look at is guards/.
 * Pipeline: rules/rules.h -> rules/guard_rules.h -> guards/guard_check.h, guards/guards.h */
#ifndef GATE_RULES_GUARD_RULES_H
#define GATE_RULES_GUARD_RULES_H

#include "gate/rules/rules.h"

/** In the order of their warnings. A new one needs a row in guard_rules.c, and one in guards/guards.c. */
enum gate_guard {
    GATE_GUARD_SWAPPED,                /* every canary was taken long before every baseline */
    GATE_GUARD_DIFFERENT_TYPES,        /* the files carry different sample types */
    GATE_GUARD_DIFFERENT_PERIOD,       /* declared sampling periods or their types differ; limit: ratio */
    GATE_GUARD_DIFFERENT_RATE,         /* a sample stands for another amount; limit: ratio */
    GATE_GUARD_DIFFERENT_PRODUCER,     /* another format, or another language's profiler */
    GATE_GUARD_DIFFERENT_ARCHITECTURE, /* amd64 against arm64, as files and mappings tell */
    GATE_GUARD_DIFFERENT_DURATION,     /* limit: ratio of the mean durations of a run */
    GATE_GUARD_IDLE,                   /* CPU time per second of wall time; limit: share of one core, a floor */
    GATE_GUARD_NO_LOAD,                /* too little own code ran to say anything; limit: as of idle, and of own code */
    GATE_GUARD_UNSYMBOLISED,           /* limit: share of self cost without a name, or with an address for one */
    GATE_GUARD_OWN_CODE,               /* nothing is the program's own code, or everything is */
    GATE_GUARD_TRUNCATED_STACKS,       /* limit: share of cost in stacks cut at 32, 64, 127 or 128 frames */
    GATE_GUARD_SHAPE_CHANGED,          /* limit: overlap of the two distributions of self cost, a floor */
    GATE_GUARD_COLD_START,             /* limit: share in initialisation, JIT, GC on one side only */
    GATE_GUARD_PROFILER_OVERHEAD,      /* limit: share in the profiler's own frames */
    GATE_GUARD_DELTA_PROFILE,          /* a difference of profiles, or a window against a total */
    GATE_GUARD_DEBUG_BUILD,            /* no inlining, sanitizers, a debug folder */
    GATE_GUARD_SAME_FILE,
    GATE_GUARD_UNCOUNTED_EVENTS, /* a profile does not say how many events it holds */
    GATE_GUARD_FEW_SAMPLES,      /* fewer than defaults.min_samples on a side */
    GATE_GUARD_TOTAL_COST,       /* the whole grew per unit of work, and no budget looks at it */
    GATE_GUARD_MIX,              /* traffic was told by a label that most of the cost does not have */
    GATE_GUARD_BY_VALUES,        /* found with the values of --by; limit: share of the cost in none that was compared */
    GATE_GUARD_UNSEEN,           /* limit: share of the canary that no budget can see, over that of the baseline */
    GATE_GUARD_NEW_NAMES,        /* limit: share of the canary under names that the baseline does not have */
    GATE_GUARD_ONE_PAIR,         /* one run a side, no noise model */
    GATE_GUARD_ROUNDS_LEFT_OUT,  /* found in a folder: rounds that lack a side, or both */
    GATE_GUARD_TREND_BUDGETS,    /* budgets of measure trend: this command does not judge them */
    GATE_GUARD_NO_MATCH,         /* found by the verdict, of a budget that selects no frame */
    GATE_GUARD_RENAMED,          /* found by the verdict, of functions that vanished and appeared */
    GATE_GUARD_RULES_EDITED,     /* found by --rules-from: the working tree's rules are other ones */
    GATE_GUARD_TOOTHLESS,        /* found with the rules: by these no run can fail, or much of it is not looked at */
    GATE_GUARD_BASELINE_MISSING, /* these five are found in a store (store/fitness.h): nothing was accepted yet */
    GATE_GUARD_BASELINE_DAMAGED, /* a record or a profile is not what was accepted, and was left out */
    GATE_GUARD_BASELINE_AGE,     /* accepted too long ago; limit: days */
    GATE_GUARD_BASELINE_ANCESTOR, /* it is not known to be an ancestor of the change */
    GATE_GUARD_BASELINE_MACHINE,  /* taken on a machine of another class */
    GATE_GUARD_NAMES
};

/** A guard's name: its key under `guards:` and the code of its warnings. */
const char *gate_guard_name(enum gate_guard guard);

/** What a guard's limit is written in: "%", "x", "d" (days), or NULL when it has none. */
const char *gate_guard_unit(enum gate_guard guard);

/** The limit that the rules set, else the built-in one: a fraction for "%", a ratio for "x", days. */
double gate_guard_limit(const struct gate_rules *rules, enum gate_guard guard);

/**
 * What the rules make of a warning; where they say nothing, what the table does, and GATE_SEVERITY_WARN for a code that
 * is not a guard.
 * At GATE_SEVERITY_ERROR the sides are not comparable.
 */
enum gate_severity gate_guard_severity(const struct gate_rules *rules, struct gate_str code);

/** Whether what a code warns of may be over with further runs of the same programs: too few of them, say. */
bool gate_guard_passes(struct gate_str code);

#endif
