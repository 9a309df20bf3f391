/* SPDX-License-Identifier: Apache-2.0 */
/* One comparison: two sides of one sample type, and what is known of every frame, budget or not.
 * Pipeline: compare/delta.h + compare/evidence.h -> compare/comparison.h -> guards/, budget/, report/ */
#ifndef GATE_COMPARE_COMPARISON_H
#define GATE_COMPARE_COMPARISON_H

#include "gate/compare/evidence.h"

/** Evidence of each frame for the tables, with Benjamini-Hochberg over the list. Measures that have the same samples
 * have the same evidence, and frames that have none at all share it: of most functions, two of three. */
struct gate_frame_judgement {
    const struct gate_evidence *evidence[GATE_MEASURES];
    double log_p_bh[GATE_MEASURES];
    bool is_suspect[GATE_MEASURES]; /* two-sided, BH at 1 %; or a budget found it broken */
    bool is_broken;                 /* a budget did, on either measure */
};

struct gate_tree;

/** Of the tree that is kept with a comparison, and of the flame graphs where nobody asks for another. */
#define GATE_COMPARISON_TREE_SHARE 0.001

/** One sample type (and label filter) of the run, compared. */
struct gate_comparison {
    struct gate_str name; /* "cpu" */
    struct gate_pair pair;
    struct gate_delta_list deltas;
    struct gate_frame_judgement *frames; /* one per frame */
    const struct gate_noise *noise;
    uint32_t *by_self;              /* order[GATE_SELF] */
    uint32_t *order[GATE_MEASURES]; /* frame indices by |delta| of the measure descending, then name */
    double work_ratio;              /* canary / baseline work used for own cost */
    const struct gate_tree *tree;   /* by caller, at GATE_COMPARISON_TREE_SHARE; NULL: nobody needed it so far */
    struct gate_tree *callees;      /* the same by callee; whoever draws it judges its nodes where they are */
    bool work_is_known;
    double work[GATE_SIDES];             /* of its own runs; 0: what is told of all comparisons counts */
    bool work_is_estimated;              /* from enough frames; neither: work_ratio is that of the totals */
    bool same_input;                     /* byte-identical sides */
    const struct gate_label_match *part; /* a value of --by, whose work is its own alone; NULL: all samples */
    bool is_filtered;                    /* by labels: a noise model of whole profiles does not apply */
};

/**
 * Fill frames, by_self, work_ratio and work_is_known of a comparison whose pair, deltas and noise are set. `work`: what
 * each side did, 0 where it was not told; then the ratio is estimated.
 *
 * O(frames log frames + frames * runs).
 */
GATE_MUST_CHECK
bool gate_comparison_judge(struct gate_comparison *comparison, const double work[GATE_SIDES], struct gate_arena *arena,
                           struct gate_error *err);

/** Its two halves: work_ratio and work_is_known; then, without a walk over stacks, all else. */
GATE_MUST_CHECK
bool gate_comparison_weigh(struct gate_comparison *comparison, const double work[GATE_SIDES], struct gate_arena *arena,
                           struct gate_error *err);
GATE_MUST_CHECK
bool gate_comparison_judge_frames(struct gate_comparison *comparison, struct gate_arena *arena, struct gate_error *err);

#endif
