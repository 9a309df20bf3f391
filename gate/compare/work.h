/* SPDX-License-Identifier: Apache-2.0 */
/* What the runs of a comparison did while they were captured: how much, and of what.
 * Pipeline: cli/judge_options.h, rules/work_file.h -> compare/work.h -> compare/pair.h */
#ifndef GATE_COMPARE_WORK_H
#define GATE_COMPARE_WORK_H

#include "gate/compare/pair.h"

/** One number, or one a run: of a side's whole work, or of what a label of its samples stands for. */
struct gate_work_count {
    enum gate_side_name side;
    struct gate_str key, value; /* of the label; both empty: the whole */
    const double *runs;         /* `count` of them, each > 0 for the whole, >= 0 for a label */
    uint32_t count;
};

struct gate_work {
    struct gate_work_count *items;
    uint32_t count;
    size_t capacity;
};

/** Add a count; one of the same side and label replaces it. */
GATE_MUST_CHECK
bool gate_work_add(struct gate_work *work, const struct gate_work_count *count, struct gate_arena *arena,
                   struct gate_error *err);

/** The whole work of a side: what was told of it, else the sum of what was told by label, which counts also where the
 * other side was told by label alone; 0: nothing was told. */
double gate_work_total(const struct gate_work *work, enum gate_side_name side);

/** What run `run` of a side's `runs` did for a value of a label, where it was told run by run; 0: it was not. With
 * GATE_NO_INDEX: all runs together, told in whatever way. */
double gate_work_of_value(const struct gate_work *work, enum gate_side_name side, const struct gate_label_match *match,
                          uint32_t run, uint32_t runs);

/** A value of a label that was told of one side and not of the other, where both were told by label; NULL: none. */
const struct gate_work_count *gate_work_one_sided(const struct gate_work *work);

/**
 * Give each run its work, where it was told by run (as a whole, or by label), and its mix, where both sides were told
 * by one label: each value's samples weigh (its part of the baseline's work) / (its part of the run's), so that every
 * run has the baseline's traffic (direct standardisation; docs/statistics.md, "The traffic's mix"). One number for
 * several runs is their sum. A value that one of the two did not do keeps its weight: what is new in the canary must
 * not vanish. Runs without sides are a baseline with a canary of no runs, and want one number a run.
 *
 * err   GATE_ERR_USAGE as many numbers as there are no runs, labels of two kinds, of one side alone, or of nothing but
 * 0
 *
 * O(counts * values + runs * values).
 */
GATE_MUST_CHECK
bool gate_work_apply(const struct gate_work *work, struct gate_run_input *const runs[GATE_SIDES],
                     const uint32_t counts[GATE_SIDES], struct gate_arena *arena, struct gate_error *err);

#endif
