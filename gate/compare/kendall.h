/* SPDX-License-Identifier: Apache-2.0 */
/* Kendall's S of a series against its order, as Mann and Kendall test it for a trend: how many later points are larger
 * than earlier ones, less how many are smaller, and how likely that is of a series without trend.
 * Neighbours: compare/trend.h uses it on series in segments. */
#ifndef GATE_COMPARE_KENDALL_H
#define GATE_COMPARE_KENDALL_H

#include "gate/base/arena.h"

/** Longer series are judged by the normal distribution. */
enum { GATE_KENDALL_EXACT_MAX = 30 };

/** S of one or more segments, which are compared within themselves alone (Hirsch, Slack & Smith 1982). */
struct gate_kendall {
    double s;
    double most;     /* the S that none of these values, in whatever order, exceeds */
    double variance; /* of S in a random order, with ties (Kendall 1975) */
    bool is_exact;   /* `chances` is set */
    double *chances; /* of `most`, `most` - 2, ...: the distribution of S; arena memory */
    uint32_t chance_count;
};

/** Nothing yet: S is 0 with certainty. err: the arena is full. */
GATE_MUST_CHECK
bool gate_kendall_begin(struct gate_kendall *out, struct gate_arena *arena, struct gate_error *err);

/**
 * Add a segment: its values in their order. Equal values are ties, which count nothing. O(count^2), and O(count^4)
 * where half of up to 30 values are ties.
 *
 * err  the arena is full
 */
GATE_MUST_CHECK
bool gate_kendall_add(struct gate_kendall *kendall, const double *values, uint32_t count, struct gate_arena *arena,
                      struct gate_error *err);

/**
 * Natural logarithm of the chance of an S of `s` or more in a random order. `inflation` (>= 1) is what serial
 * correlation multiplies the variance by; above 1 the larger of the exact chance and the corrected normal one counts.
 */
double gate_kendall_log_p(const struct gate_kendall *kendall, double s, double inflation);

/** The least S whose chance is at most `level`, or INFINITY where there is none; with `inflation` as above. */
double gate_kendall_critical(const struct gate_kendall *kendall, double level, double inflation);

#endif
