/* SPDX-License-Identifier: Apache-2.0 */
/* A pair: the runs of both sides on one frame table and in one unit. */
#ifndef GATE_COMPARE_PAIR_H
#define GATE_COMPARE_PAIR_H

#include "gate/compare/pair_types.h"
#include "gate/model/labels.h"

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

/**
 * Return whether the runs are rounds that measure the memory held by one process. A sampled object is in each round
 * while it lives, so more rounds do not give more samples.
 */
bool gate_pair_is_of_one_process(const struct gate_pair *pair);

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
