/* SPDX-License-Identifier: Apache-2.0 */
/* Work done by each run, such as the number of requests, as given with --work. */
#ifndef GATE_COMPARE_WORK_H
#define GATE_COMPARE_WORK_H

#include "gate/compare/pair.h"

/** Work of one side: one number, or one per run; of the whole side, or of the samples with one label value. */
struct gate_work_count {
    enum gate_side_name side;
    struct gate_str key, value; /* of the label; both empty: the whole side */
    const double *runs;         /* `count` numbers, each > 0 for the whole side, >= 0 for a label */
    uint32_t count;
};

struct gate_work {
    struct gate_work_count *items;
    uint32_t count;
    size_t capacity;
};

/** Add a count, or replace the one with the same side and label. */
GATE_MUST_CHECK
bool gate_work_add(struct gate_work *work, const struct gate_work_count *count, struct gate_arena *arena,
                   struct gate_error *err);

/**
 * Return the whole work of a side: its number for the whole side, else the sum over its labels. If the other side has
 * work by label only, the sum over labels is preferred. 0: no work was given.
 */
double gate_work_total(const struct gate_work *work, enum gate_side_name side);

/**
 * Return the work of run `run` of `runs` for a label value, if it was given run by run; else 0. With run GATE_NO_INDEX:
 * return the sum over all runs, however it was given.
 */
double gate_work_of_value(const struct gate_work *work, enum gate_side_name side, const struct gate_label_match *match,
                          uint32_t run, uint32_t runs);

/** Return a label value with work on one side only, if both sides have work by label; else NULL. */
const struct gate_work_count *gate_work_one_sided(const struct gate_work *work);

/**
 * Set the work of each run, if it was given run by run (as a whole or by label). Set the mix of each run, if both sides
 * have work by one label.
 *
 * With a mix, the samples of each label value are weighted by (its part of the baseline's work) / (its part of the
 * run's work). Every run then has the baseline's traffic (direct standardisation; docs/statistics.md, "The traffic's
 * mix"). One number for several runs is their sum. A value without work in the run or the baseline keeps its weight, so
 * that requests that are new in the canary do not vanish. Runs without sides are a baseline with an empty canary, and
 * need one number per run.
 *
 * err   GATE_ERR_USAGE neither one number nor one per run, two label keys, labels on one side only, or work by
 *       label that adds up to 0; GATE_ERR_LIMIT
 *
 * O(counts * values + runs * values).
 */
GATE_MUST_CHECK
bool gate_work_apply(const struct gate_work *work, struct gate_run_input *const runs[GATE_SIDES],
                     const uint32_t counts[GATE_SIDES], struct gate_arena *arena, struct gate_error *err);

#endif
