/* SPDX-License-Identifier: Apache-2.0 */
/* Two sides on one frame table, in one unit. A side is a set of runs.
 * Pipeline: profile/stacks.h -> compare/pair.h -> compare/delta.h, compare/tree.h */
#ifndef GATE_COMPARE_PAIR_H
#define GATE_COMPARE_PAIR_H

#include "gate/compare/pair_types.h"

const char *gate_side_word(enum gate_side_name side); /* "baseline", "canary"; static text */

/** Whether its profiles have so many samples that what goes through them is worth a thread for each side. */
bool gate_pair_is_large(const struct gate_pair *pair);

struct gate_pair_options {
    struct gate_str sample_type; /* empty: the baseline's default (profile.h) */
    struct gate_label_filter where;
    struct gate_frame_options frames;
    struct gate_counts_options counts;
    bool is_part; /* of all samples: a run without any of them says nothing, and is no error */
};

/**
 * Put the runs of both sides on one frame table.
 *
 * inputs, counts  per side; every count >= 1
 * err             GATE_ERR_INPUT no samples, no common sample type, units that do not convert, unlike period types,
 *                 a total of zero, negative values (with how they arise): the message names the file
 *                 GATE_ERR_OVERFLOW, GATE_ERR_LIMIT
 *
 * O(bytes of samples). Both sides are collected in parallel, one thread a side.
 */
GATE_MUST_CHECK
bool gate_pair_make(struct gate_pair *out, const struct gate_run_input *const inputs[GATE_SIDES],
                    const uint32_t counts[GATE_SIDES], const struct gate_pair_options *options,
                    struct gate_arena *arena, struct gate_error *err);

/**
 * Give back what only walks over stacks need, for all pairs of these profiles too: from then on nobody may walk them,
 * nor read the profiles' samples. Numbers, frames and strings stay. Memory that is not a profile's own stays too.
 */
void gate_pair_spend(struct gate_pair *pair);

/** Whether every run was counted and none sampled (GATE_COUNTS_EXACT): then a run differs from another one of the same
 * build by what it was given to do alone. O(runs). */
bool gate_pair_is_exact(const struct gate_pair *pair);

#endif
