/* SPDX-License-Identifier: Apache-2.0 */
/* State and functions that the readings of a verdict share. */
#ifndef GATE_BUDGET_READING_STATE_H
#define GATE_BUDGET_READING_STATE_H

#include "gate/budget/hypotheses.h"
#include "gate/budget/replaced.h"
#include "gate/compare/own_growth.h"
#include "gate/model/incomplete_stacks.h"

/** The reading that contradicts a decision. */
struct gate_reading {
    uint32_t frame;        /* depends on the reason: the function that became cheaper, the largest name that vanished,
                            * or the entry of start-up code; GATE_NO_INDEX: none */
    double ratio;          /* canary / baseline of the work, runs or seconds that it assumes */
    double total;          /* canary / baseline of the total cost, if `ratio` holds */
    enum gate_equal equal; /* GATE_EQUAL_UNKNOWN: estimated from the other functions */
    bool is_moved_out;     /* both sides have the function, and new code may have moved out of it */
    bool is_of_one_caller; /* one function, whose growth is not confirmed, is charged with nearly all new code */
    const struct gate_upgrade *upgrade; /* the library with another version, or NULL */
    double whole[GATE_SIDES];           /* share of each side: that library, the functions judged together, cut stacks,
                                           or what is gone and new beneath callers */
    uint32_t over, runs;                /* of GATE_REASON_FEW_RUNS: runs of the canary over the limit, and all */
};

/** Callers above a function into which a compiler may have inlined it. */
enum { GATE_INLINED_LEVELS = 3 };

/** The stacks that the profilers of both sides cut off. */
struct gate_reading_cut {
    struct gate_cut_stacks *runs; /* of the baseline */
    double share[GATE_SIDES];     /* of each side's cost, the mean over its runs */
    uint32_t *frames;             /* room for the frames of a stack */
};

/** State of the readings of one comparison. */
struct gate_reading_state {
    const struct gate_hypothesis_list *all; /* of every comparison */
    const struct gate_comparison *comparison;
    uint32_t index;             /* of the comparison */
    struct gate_own_growth own; /* own functions with enough samples */
    const struct gate_tree *tree;
    struct gate_folded *folded;            /* NULL: not made yet */
    struct gate_reading_cut *cut;          /* NULL: not made yet */
    struct gate_new_code_callers *callers; /* of gate_new_code_judge_gone; NULL: not made yet */
    bool *is_at_start;                     /* per node: start-up code, or beneath it; NULL: not made yet */
    bool has_start;                        /* some node is */
    struct gate_arena *arena;
    struct gate_error *err;
};

/** Return the total of the canary over that of the baseline, if the canary did `ratio` times the work. */
double gate_reading_total_at(const struct gate_reading_state *r, double ratio);

/** Return whether a growth limit holds for these shares. */
bool gate_reading_are_shares_within(const struct gate_hypothesis *h, double baseline, double canary);

/** Return whether a hypothesis is about a frame. O(1). */
bool gate_reading_is_about(const struct gate_hypothesis *h, const struct gate_reading_state *r, uint32_t frame);

/** Return the charged cost of a frame, as a share of its side. */
double gate_reading_charged_share(const struct gate_reading_state *r, uint32_t frame, int side);

/**
 * Return the ratio of the totals per unit of work, second or run, whichever is known; 1 if none is. With `is_bound`,
 * return its lower bound (one-sided, 5%).
 */
double gate_reading_total_growth(const struct gate_reading_state *r, bool is_bound);

/** Mark the frames that are on a stack with `frame`, above it: a byte per frame of the pair. O(nodes * depth). */
void gate_reading_mark_above(uint8_t *is_above, const struct gate_reading_state *r, uint32_t frame);

/**
 * Set `*lost` to what own functions above a path lost, as a share of the baseline, if the total grew by `factor`. A
 * tail call or a lost frame charges them with what the path's functions do.
 *
 * head   the first function of the path
 * marks  a byte per frame: 1 for the path's functions, which are left out
 *
 * Returns false if the arena is full. O(nodes * depth).
 */
GATE_MUST_CHECK
bool gate_reading_lost_above(uint32_t *largest, double *lost, const struct gate_reading_state *r, uint32_t head,
                             const uint8_t *marks, double factor);

/**
 * Return the cost that unnamed JavaScript functions lost, as a share of the baseline's cost: some of them may have got
 * a name. All unnamed functions of a file share one frame. `total` is the canary's cost divided by the baseline's, for
 * the same work. Sets `*largest` to the frame that lost most; leaves it unchanged if none lost. O(frames).
 */
double gate_reading_lost_by_unnamed(uint32_t *largest, const struct gate_reading_state *r, double total);

/** Compute the common factor of the own functions that are not in `marks` (a byte per frame). Return whether it is an
 * estimate of the work (gate_own_growth_estimates_work). O(own functions). */
bool gate_reading_factor_outside(struct gate_common_factor *out, const struct gate_reading_state *r,
                                 const uint8_t *marks);

/**
 * Set `*ratio` to the work ratio for comparing a part of the program, and `*variance` to the variance of its logarithm.
 * The ratio is the known or estimated work, else canary / baseline of all cost outside of the part. `*ratio` is 0 if
 * that has too few samples. `inside` is the cost of the part. err: GATE_ERR_LIMIT, in `r`.
 */
GATE_MUST_CHECK
bool gate_reading_ratio_beside(double *ratio, double *variance, const struct gate_reading_state *r,
                               const double inside[GATE_SIDES]);

/** Return the growth of a part's cost at equal work, plus `z` standard deviations of it: from the samples, and from
 * `variance`, that of the logarithm of `ratio`. In the unit of `part`. */
double gate_reading_growth(const struct gate_reading_state *r, const double part[GATE_SIDES], double ratio,
                           double variance, double z);

/** Set outcome, reason and reading of a hypothesis that a reading contradicts. err: GATE_ERR_LIMIT, in `r`. */
GATE_MUST_CHECK
bool gate_reading_contradict(struct gate_hypothesis *h, const struct gate_reading_state *r, enum gate_outcome outcome,
                             enum gate_reason reason, struct gate_reading reading);

/** Make a hypothesis inconclusive for `reason`, with a reading by the comparison's own work ratio. err: GATE_ERR_LIMIT,
 * in `r`. */
GATE_MUST_CHECK
bool gate_reading_open(struct gate_hypothesis *h, const struct gate_reading_state *r, enum gate_reason reason);

#endif
