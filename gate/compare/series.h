/* SPDX-License-Identifier: Apache-2.0 */
/* The levels of a frame, or of the whole, at each accepted build: runs in, one number a point out.
 * Pipeline: compare/pair.h + compare/delta.h -> compare/series.h -> compare/trend.h */
#ifndef GATE_COMPARE_SERIES_H
#define GATE_COMPARE_SERIES_H

#include "gate/compare/delta.h"

/** What makes runs of unlike length and load comparable. */
enum gate_series_scale {
    GATE_SERIES_LEVEL,      /* what is in use: the value itself */
    GATE_SERIES_PER_WORK,   /* per unit of work, where it is told of every run */
    GATE_SERIES_PER_SECOND, /* of a total without work, where every run tells its length */
    GATE_SERIES_SHARE,      /* of frames without work: of the run's total */
    GATE_SERIES_NONE        /* of a total without both: there is nothing to compare */
};

/** One accepted build: runs `first` to `first + count` - 1 of the baseline. */
struct gate_series_point {
    struct gate_str title; /* the revision, or the file */
    uint32_t first, count; /* count > 0 */
    int64_t time_ns;       /* since the epoch; 0: not known */
};

/** One number a point: the mean of its runs, and the least and the largest of them. */
struct gate_series {
    double *y, *low, *high;
    uint32_t count;
    double median;
};

/** Whether a type of value tells what is there, and not what was done in a while: memory in use, goroutines. */
bool gate_series_is_level(struct gate_str type);

/** How frames of the baseline's runs are compared; `is_total`: how their totals are. O(runs). */
enum gate_series_scale gate_series_scale_of(const struct gate_pair *pair, bool is_total);

/** "level", "per_work", ...: stable in JSON. */
const char *gate_series_scale_name(enum gate_series_scale scale);

/**
 * The series of item `item` of `deltas`; GATE_NO_INDEX: of the totals. `scale` is not GATE_SERIES_NONE.
 *
 * err   the arena is full. O(runs + points log points)
 */
GATE_MUST_CHECK
bool gate_series_make(struct gate_series *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                      enum gate_measure measure, uint32_t item, enum gate_series_scale scale,
                      const struct gate_series_point *points, uint32_t count, struct gate_arena *arena,
                      struct gate_error *err);

#endif
