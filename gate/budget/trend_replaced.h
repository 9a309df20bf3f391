/* SPDX-License-Identifier: Apache-2.0 */
/* Own functions that begin or end within a series of builds, because one build renamed, split or rewrote them. */
#ifndef GATE_BUDGET_TREND_REPLACED_H
#define GATE_BUDGET_TREND_REPLACED_H

#include "gate/budget/plan.h"
#include "gate/budget/replaced.h"

/** One accepted build: runs `first` to `first + count` - 1 of the baseline side. */
struct gate_series_point {
    struct gate_str title; /* revision or file */
    uint32_t first, count; /* count > 0 */
    int64_t time_ns;       /* since the epoch; 0: unknown */
};

/** Name of the frame for functions that begin or end in a series and have no own caller that all builds have. */
#define GATE_SOME_BUILDS_NAME "(own code of some builds only)"

/** Functions that replaced others in a series of builds. */
struct gate_trend_replaced {
    struct gate_replaced_list list; /* at most the 8 costliest groups of each comparison, in the order of the builds. A
                                       share is that in the builds that have the function */
    uint32_t *since;                /* per group: the first point that has the new names */
    uint32_t **began; /* per comparison and frame: the first point with a folded function, if all later points have it
                         and no other function of its callers begins or ends later; else 0. NULL: nothing is folded */
    struct gate_renames renames; /* the renames that `frames.rename` would need for them */
};

/**
 * Fold the own functions that replaced others in a series of builds: their cost is charged to the nearest own caller
 * that is not folded, over the whole series, as `check` does with functions that only one side has. If it folds any,
 * sets pair->one_sided and computes the deltas again.
 *
 * An own function begins or ends in the series if it is absent from builds in which 20 of its events would be expected.
 * They are expected by its share of the builds that have it, 0.5% or more with its callees. A
 * caller has replaced names if one of these functions ends where another begins. Builds with fewer than 20 expected
 * events of either may be between them. All functions beneath such a caller that begin or end in the series are folded.
 *
 * plan    made with is_series: the runs of all points are the baseline sides of its comparisons
 * points  of `count`; the builds
 * err     GATE_ERR_LIMIT the arena is full; errors of gate_delta_fold
 *
 * O(frames * runs + samples * frames of a stack + functions by caller * points).
 */
GATE_MUST_CHECK
bool gate_trend_replaced_fold(struct gate_trend_replaced *out, const struct gate_plan *plan,
                              const struct gate_series_point *points, uint32_t count, struct gate_arena *arena,
                              struct gate_error *err);

/**
 * Return a sentence about the first group and the number of others; empty if no names were replaced. `.ptr` NULL: the
 * arena is full.
 */
struct gate_str gate_trend_replaced_sentence(const struct gate_trend_replaced *replaced, const struct gate_plan *plan,
                                             const struct gate_series_point *points, struct gate_arena *arena);

#endif
