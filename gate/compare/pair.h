/* SPDX-License-Identifier: Apache-2.0 */
/* A pair: the runs of both sides on one frame table and in one unit, and the drift between runs. */
#ifndef GATE_COMPARE_PAIR_H
#define GATE_COMPARE_PAIR_H

#include "gate/compare/pair_types.h"
#include "gate/model/labels.h"

/* ---- drift of the host ------------------------------------------------------------------------------------------- */

/* Variation of the whole cost of good runs, per unit of work and per second: between any two runs, and between
 * neighbours in time, since a host drifts. Formulas: docs/statistics.md, "Cost per unit of work". */

/** Standard deviations of the logarithm of a run's cost, beyond sampling; NAN: unknown. */
struct gate_drift {
    double apart; /* of any run; two runs differ by sqrt(2) times this */
    double near;  /* the same for neighbours in time; at most `apart` */
};

/**
 * Return the drift of a side's runs, per second if `is_per_second`, else per unit of work. NAN if a run lacks its work
 * or duration, or if there are fewer than 3 runs. O(runs^2).
 */
struct gate_drift gate_drift_estimate(const struct gate_side *side, bool is_per_second);

/**
 * Return whether run i of the baseline and run i of the canary are neighbours in time, for every i. They start within
 * 10 times the longer duration or within 15 minutes, and no run of another pair starts between them. False if a start
 * time is unknown, or if the sides have different numbers of runs. O(runs^2).
 */
bool gate_drift_is_interleaved(const struct gate_side sides[GATE_SIDES]);

/** Return whether every run has a round number. Rounds then define the pairs, and start times are ignored. */
bool gate_drift_has_rounds(const struct gate_side sides[GATE_SIDES]);

/**
 * Sort the runs of each side by round, if every run has one; runs of one round keep their order. Returns false if the
 * runs do not form pairs: a run without a round, or a round with more runs on one side. O(runs^2).
 */
bool gate_drift_sort_rounds(struct gate_side sides[GATE_SIDES]);

/* ---- pair -------------------------------------------------------------------------------------------------------- */

/* A side is a set of runs. Both sides share one frame table and one unit. */

const char *gate_side_word(enum gate_side_name side); /* "baseline", "canary"; static text */

/** Return whether the profiles have enough samples for one thread per side. */
bool gate_pair_is_large(const struct gate_pair *pair);

struct gate_pair_options {
    struct gate_str sample_type; /* empty: the baseline's default (model/profile.h) */
    struct gate_label_filter where;
    struct gate_frame_options frames;
    struct gate_counts_options counts;
    bool is_part; /* the comparison covers a part of the samples, so a run without samples is not an error */
    bool folds;   /* own functions that only one side has are folded (struct gate_frame) */
};

/**
 * Put the runs of both sides on one frame table.
 *
 * inputs, counts  per side; every count >= 1
 * err             GATE_ERR_INPUT no samples, no common sample type, units that do not convert, different period types,
 *                 a total of zero, or negative values (with their likely cause); the message names the file
 *                 GATE_ERR_CONFIG frames.ignore removes every frame, or a pattern fails on a name
 *                 GATE_ERR_OVERFLOW, GATE_ERR_LIMIT
 *
 * O(bytes of samples). Large sides are collected in parallel, one thread per side.
 */
GATE_MUST_CHECK
bool gate_pair_make(struct gate_pair *out, const struct gate_run_input *const inputs[GATE_SIDES],
                    const uint32_t counts[GATE_SIDES], const struct gate_pair_options *options,
                    struct gate_arena *arena, struct gate_error *err);

/**
 * Free the memory that only stack walks need, for all pairs of these profiles. Afterwards no stack may be walked and no
 * sample of the profiles may be read. Numbers, frames, strings, and memory that does not belong to a profile stay.
 */
void gate_pair_spend(struct gate_pair *pair);

/**
 * Return whether every run is an exact count and none is sampled (GATE_COUNTS_EXACT). Runs of one build then differ
 * only by their input. O(runs).
 */
bool gate_pair_is_exact(const struct gate_pair *pair);

/** Return whether the values are sampled memory in use, of which a process that just started holds next to nothing. */
bool gate_pair_is_memory_held(const struct gate_pair *pair);

/** Return whether some run counts delays (GATE_COUNTS_DELAY). O(runs). */
bool gate_pair_has_delays(const struct gate_pair *pair);

/** Return whether the values are amounts with limits of their own: memory, delays or goroutines. O(runs). */
bool gate_pair_is_of_amounts(const struct gate_pair *pair);

/** Return whether a compiler at run time (of the JVM or V8) may inline a function in one run and not in the next. */
bool gate_pair_inlines_at_run_time(const struct gate_pair *pair);

/** Return whether gate_pair_inlines_at_run_time holds and each side has one run, which does not show how often a
 * function is inlined. */
bool gate_pair_is_blind_to_inlining(const struct gate_pair *pair);

/**
 * Return whether a run may count time in which another program had the processor (gate_profile_counts_preempted).
 * O(runs).
 */
bool gate_pair_counts_preempted(const struct gate_pair *pair);

/**
 * Return whether gate_pair_counts_preempted holds and a side has one run, which does not show how much of the total is
 * such time. O(runs).
 */
bool gate_pair_is_blind_to_preemption(const struct gate_pair *pair);

#endif
