/* SPDX-License-Identifier: Apache-2.0 */
/* One comparison: the pair, its deltas, the work ratio, the evidence of each frame, and call trees. */
#ifndef GATE_COMPARE_COMPARISON_H
#define GATE_COMPARE_COMPARISON_H

#include "gate/compare/cost.h"
#include "gate/compare/evidence.h"

/**
 * Evidence of one frame for the tables of a report, adjusted by Benjamini-Hochberg over all tested frames.
 * Measures of a frame that count the same samples share one evidence. Measures without samples share one too:
 * most functions have no samples in two of the three measures.
 */
struct gate_frame_judgement {
    const struct gate_evidence *evidence[GATE_MEASURES];
    double log_p_bh[GATE_MEASURES];
    bool is_suspect[GATE_MEASURES]; /* two-sided, Benjamini-Hochberg at 1%; or a budget failed */
    bool is_broken;                 /* a budget failed for this frame, on any measure */
};

struct gate_tree;

/** Minimum node share of gate_comparison.tree, and the default of flame graphs. */
#define GATE_COMPARISON_TREE_SHARE 0.001

struct gate_allocator;

/** The comparison of one sample type (and label filter). */
struct gate_comparison {
    struct gate_str name; /* "cpu" */
    struct gate_pair pair;
    struct gate_delta_list deltas;
    struct gate_frame_judgement *frames; /* one per frame */
    const struct gate_noise *noise;
    uint32_t *by_self;              /* the same array as order[GATE_SELF] */
    uint32_t *order[GATE_MEASURES]; /* frame indices, by |delta| of the measure descending, then by name */
    double work_ratio;              /* canary / baseline, of work, seconds or runs; used for own cost */
    const struct gate_tree *tree;   /* by caller, at GATE_COMPARISON_TREE_SHARE; NULL until first needed */
    struct gate_tree *callees; /* the call tree by callee; code that draws it sets z and is_significant of its nodes */
    enum gate_equal equal_given; /* by the rules or the command line; GATE_EQUAL_UNKNOWN: nothing */
    enum gate_equal equal; /* the quantity that work_ratio is a ratio of; GATE_EQUAL_UNKNOWN or _SHARE: none is known */
    bool work_is_known;    /* `equal` makes costs comparable, so work_ratio is known */
    double work[GATE_SIDES]; /* work of this comparison's own runs; 0: the work given for all comparisons applies */
    double work_in_force[GATE_SIDES]; /* work from which work_ratio was computed; 0: not known */
    bool work_is_estimated; /* work_ratio is estimated from enough functions (compare/own_growth.h); if neither known
                               nor estimated, it is the ratio of totals */
    bool work_is_contested; /* other functions estimate another ratio, so reports do not show costs per unit of work */
    double waits_ratio; /* canary / baseline of the waits per second, if they show the load (compare/waits.h); or 0 */
    bool same_input;    /* both sides are byte-identical */
    const struct gate_label_match *part;    /* the --by label value compared here; NULL: all samples */
    const struct gate_allocator *allocator; /* makes the collector work more (compare/allocator.h); NULL: unknown */
    bool is_filtered; /* samples are filtered by labels, so a noise model of whole profiles does not apply */
};

/**
 * Fill frames, order, by_self, equal, work_ratio, work_is_known and work_is_estimated of a comparison whose pair,
 * deltas, noise and equal_given are set.
 *
 * Costs are compared by the first of these that is known: the work; the quantity that is equal by --equal or by the
 * rules. With --equal share, costs are not compared.
 *
 * work  work of each side; if either is 0, it is not known
 *
 * O(frames log frames + frames * runs).
 */
GATE_MUST_CHECK
bool gate_comparison_judge(struct gate_comparison *comparison, const double work[GATE_SIDES], struct gate_arena *arena,
                           struct gate_error *err);

/**
 * Return why delays cannot be compared: a phrase that names the sides whose profiles have no samples. Returns NULL if
 * both sides have samples, if only a part of the samples is compared, or if the values are not delays. O(runs).
 */
const char *gate_comparison_no_waits(const struct gate_comparison *comparison);

/** What the values of a comparison measure. */
enum gate_clock {
    GATE_CLOCK_OTHER, /* bytes, objects, ... */
    GATE_CLOCK_CPU,   /* time on a processor */
    GATE_CLOCK_WALL,  /* time on a processor and waiting */
    GATE_CLOCK_WAIT   /* waiting only: blocked, contended, off the CPU */
};

/** Return the clock of a comparison, by its sample type or, if that is unspecific ("samples", "time"), its name.
 * O(length). */
enum gate_clock gate_comparison_clock(const struct gate_comparison *comparison);

/**
 * Return the growth of a frame's charged cost per unit of work, second or run (see `equal`), scaled to the baseline's
 * total. If none of these is known, use the estimated work.
 */
double gate_comparison_growth(const struct gate_comparison *comparison, uint32_t frame);

/**
 * Return whether reports show costs per unit of work: the work is known, or it is estimated and no group of functions
 * indicates another estimate. Returns false for amounts that are held at one moment, such as memory in use, because
 * most of a heap has the same size under any load.
 */
bool gate_comparison_shows_work(const struct gate_comparison *comparison);

/**
 * Return the own function that explains growth of the total: the one whose charged cost grew most in absolute terms. It
 * must have half of the total's growth. A quarter is enough if it grew twice as much as it would have at the rate of
 * all other functions. If there is no own code, every frame may be returned. Returns GATE_NO_INDEX if no function
 * explains the growth: the machine, the collector, the scheduler or a setting may. Also returns it if the comparison
 * measures waiting, because most waiting threads are idle, and wait longer in a longer run. O(frames).
 */
uint32_t gate_comparison_most_grown(const struct gate_comparison *comparison);

/**
 * The two halves of gate_comparison_judge. gate_comparison_weigh sets the work ratio and its flags;
 * gate_comparison_judge_frames sets everything else. Neither walks stacks.
 */
GATE_MUST_CHECK
bool gate_comparison_weigh(struct gate_comparison *comparison, const double work[GATE_SIDES], struct gate_arena *arena,
                           struct gate_error *err);

GATE_MUST_CHECK
bool gate_comparison_judge_frames(struct gate_comparison *comparison, struct gate_arena *arena, struct gate_error *err);

#endif
