/* SPDX-License-Identifier: Apache-2.0 */
/* Guards on cost that no budget can judge, and on new names. */
#ifndef GATE_GUARDS_GUARDS_UNSEEN_H
#define GATE_GUARDS_GUARDS_UNSEEN_H

#include "gate/compare/comparison.h"
#include "gate/guards/guard_check.h"

/* ---- cost that no budget sees ------------------------------------------------------------------------------------ */

/* Cost without a stack or a name, dropped from its stack, or filtered out. Also cost under names that are too rare to
 * be tested, or that the other side lacks. */

/** Each is a share of its side. */
enum gate_unseen_kind {
    GATE_UNSEEN_STACKLESS,    /* samples without any frame */
    GATE_UNSEEN_VALUELESS,    /* events that are counted but have no value of the compared type */
    GATE_UNSEEN_NAMELESS,     /* cost charged to frames without a name, without the next kind */
    GATE_UNSEEN_LOST_CALLERS, /* native programs: cost of a system library whose callers are lost, and no own code */
    GATE_UNSEEN_DROPPED,      /* stacks from which the profile's drop_frames removes frames */
    GATE_UNSEEN_UNLABELLED, /* share of all samples: own code without the filter's label, or with a label value that the
                               baseline lacks */
    GATE_UNSEEN_RARE,       /* cost charged to names of one side only, each with too few events to be tested */
    GATE_UNSEEN_KINDS
};

/** A share on both sides, and the significance of its excess in the canary. */
struct gate_unseen_share {
    double share[GATE_SIDES]; /* for GATE_UNSEEN_RARE, the baseline's entry is the share expected in the canary */
    double z;                 /* excess in standard errors, from sampling and run-to-run variation */
};

struct gate_unseen {
    struct gate_unseen_share kinds[GATE_UNSEEN_KINDS];
    struct gate_unseen_share fresh; /* cost of names that the other side lacks, without names with a large share */
    struct gate_str library;        /* file of the system library with most cost without callers; empty: none */
    double lost;                    /* share of the canary's cost that names lost since the baseline */
};

/** Measure a weighed comparison. Good runs have rare names too, so the baseline predicts the share of rare new names in
 * the canary. It is the Good-Turing estimate of unseen names: the share of the baseline in names with one event (I. J.
 * Good, Biometrika 40, 1953). Replaced names are not new cost. So the share of the baseline's rare names that are gone
 * is added, as far as it exceeds the share that a canary of that size misses by chance. O(frames + stacks), plus walks
 * over all samples if they are filtered. */
GATE_MUST_CHECK
bool gate_unseen_measure(struct gate_unseen *out, const struct gate_comparison *comparison, struct gate_arena *arena,
                         struct gate_error *err);

/* ---- guards ------------------------------------------------------------------------------------------------------ */

/* The guards of cost that budgets do not see. */
gate_guard_check_fn gate_guards_unseen_hidden;
gate_guard_check_fn gate_guards_unseen_new_names;

#endif
