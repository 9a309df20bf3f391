/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a pair's runs joined by stack, weighed as the baseline's traffic where that was told, and what makes
 * them no profile to compare.
 * Pipeline: profile/stacks.h -> compare/pair_collect.h -> compare/pair.h */
#ifndef GATE_COMPARE_PAIR_COLLECT_H
#define GATE_COMPARE_PAIR_COLLECT_H

#include "gate/compare/pair_types.h"

struct gate_pair_collecting {
    struct gate_label_filter where;
    bool is_part;    /* of all samples: a run without any of them says nothing, and is no error */
    bool in_threads; /* one a side */
};

/**
 * Collect the stacks of every run of `pair`, whose type and counts are chosen: stacks, ratio, total and events of its
 * runs, sums of its sides, and what it says of the mix. With the mix where it was told of every run, of all samples,
 * and covers most of what each run costs. Nothing of frames is looked at or written.
 *
 * err   what gate_pair_make says of samples and values; GATE_ERR_OVERFLOW, GATE_ERR_LIMIT
 *
 * O(bytes of samples).
 */
GATE_MUST_CHECK
bool gate_pair_collect(struct gate_pair *pair, const struct gate_pair_collecting *how, struct gate_arena *arena,
                       struct gate_error *err);

#endif
