/* SPDX-License-Identifier: Apache-2.0 */
/* What no budget can see of a pair: cost without a stack or a name, dropped from its stack, filtered away, spread over
 * names that occur too seldom to be tested, or under names that the other side does not have.
 * Pipeline: compare/comparison.h -> compare/unseen.h -> guards/guards_unseen.h */
#ifndef GATE_COMPARE_UNSEEN_H
#define GATE_COMPARE_UNSEEN_H

#include "gate/compare/comparison.h"

/** Each a share of its side; none counts what another one does. */
enum gate_unseen_kind {
    GATE_UNSEEN_STACKLESS,  /* samples without any frame */
    GATE_UNSEEN_VALUELESS,  /* events that are counted and have no value of the type compared */
    GATE_UNSEEN_NAMELESS,   /* charged to frames without a name */
    GATE_UNSEEN_DROPPED,    /* stacks that drop_frames of the profile takes frames out of */
    GATE_UNSEEN_UNLABELLED, /* of all samples, those of own code that a filter leaves out for want of its label, or
                               for a value of it that no sample of the baseline has */
    GATE_UNSEEN_RARE,       /* charged to names of one side alone, each with too few events to be tested */
    GATE_UNSEEN_KINDS
};

/** A new name that alone costs this share of its side is for budgets to judge. */
#define GATE_UNSEEN_FRESH_MOST 0.05

/** How a share of the canary differs from that of the baseline. */
struct gate_unseen_share {
    double share[GATE_SIDES]; /* of the baseline: what is to be expected of the canary, by the baseline */
    double z;                 /* the excess in standard errors: of sampling, and of what good runs differ by */
};

struct gate_unseen {
    struct gate_unseen_share kinds[GATE_UNSEEN_KINDS];
    struct gate_unseen_share
        fresh;   /* charged to names that the other side does not have, rare ones too, but for large ones */
    double lost; /* of the canary's cost: what names that both sides have cost less than before */
};

/**
 * Measure a judged comparison. What is rare in good runs too is told by the baseline: the share of new rare names is
 * expected to be Good and Turing's estimate of names not seen yet (the part of the baseline that is charged to names of
 * one event), and what more of the baseline's rare names is gone than a canary of that size misses by chance, since
 * names that were replaced are not new cost (I. J. Good, Biometrika 40, 1953).
 *
 * err   GATE_ERR_LIMIT, GATE_ERR_MEMORY
 *
 * O(frames + stacks), and the samples once more where they are filtered.
 */
GATE_MUST_CHECK
bool gate_unseen_measure(struct gate_unseen *out, const struct gate_comparison *comparison, struct gate_arena *arena,
                         struct gate_error *err);

#endif
