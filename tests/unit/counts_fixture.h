/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of the statistics: a pair made from event counts per frame and run. Every event has weight 1, and no stacks
 * are decoded. */
#ifndef GATE_TESTS_COUNTS_FIXTURE_H
#define GATE_TESTS_COUNTS_FIXTURE_H

#include "gate/base/table.h"
#include "gate/budget/verdict.h"
#include "tests/unit/unit.h"

#include <math.h>

enum { COUNTS_FRAMES_MAX = 24, COUNTS_RUNS_MAX = 12 };

struct counts_fixture {
    struct gate_arena arena;
    struct gate_error err;
    struct gate_frame frames[COUNTS_FRAMES_MAX];
    struct gate_run runs[GATE_SIDES][COUNTS_RUNS_MAX];
    struct gate_profile profile;
    struct gate_comparison comparison;
    struct gate_rules rules;
    struct gate_budget budgets[8];
    struct gate_limit limits[8];
    struct gate_verdict verdict;
    struct gate_verdict_options options;
};

/* Begin with `total` events in each run of both sides. Frame 0, "rest", is for the events of no other frame. */
static inline void counts_begin(struct counts_fixture *f, uint32_t frames, uint32_t baseline_runs, uint32_t canary_runs,
                                int64_t total) {
    static const char *const names[COUNTS_FRAMES_MAX] = {"rest", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k",
                                                         "l",    "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w"};
    *f = (struct counts_fixture){0};
    gate_arena_init(&f->arena, 0);
    f->profile.duration_ns = INT64_C(10000000000);
    struct gate_pair *pair = &f->comparison.pair;
    struct gate_delta_list *deltas = &f->comparison.deltas;
    const uint32_t counts[GATE_SIDES] = {baseline_runs, canary_runs};
    pair->type = (struct gate_value_type){GATE_STR("samples"), GATE_STR("count")};
    pair->frames = f->frames;
    pair->frame_count = frames;
    for (uint32_t i = 0; i < frames; i++)
        f->frames[i] = (struct gate_frame){.name = gate_str_from(names[i]), .is_symbolised = true};
    for (int side = 0; side < GATE_SIDES; side++) {
        pair->sides[side] = (struct gate_side){.runs = f->runs[side], .run_count = counts[side]};
        for (uint32_t r = 0; r < counts[side]; r++) {
            struct gate_run *run = &f->runs[side][r];
            *run = (struct gate_run){.unit_ratio = 1, .total = total, .events = (double)total};
            run->input = (struct gate_run_input){.path = GATE_STR("run"), .profile = &f->profile};
            run->counts.kind = GATE_COUNTS_VALUE;
            run->stacks.weight_sq = (double)total;
            pair->sides[side].total += total;
            pair->sides[side].events += (double)total;
            pair->sides[side].duration_ns += f->profile.duration_ns;
        }
    }
    f->comparison.name = GATE_STR("cpu");
    deltas->count = frames;
    deltas->run_count = baseline_runs + canary_runs;
    deltas->items = GATE_NEW_ARRAY(&f->arena, struct gate_delta, frames);
    for (int m = 0; m < GATE_MEASURES; m++)
        deltas->tallies[m] = GATE_NEW_ARRAY(&f->arena, struct gate_tally, (size_t)frames * deltas->run_count);
    for (uint32_t i = 0; i < frames; i++)
        deltas->items[i].set_id[GATE_SELF] = deltas->items[i].set_id[GATE_CUMULATIVE] = gate_hash_mix(i);
    f->rules = (struct gate_rules){.source = GATE_STR("test"), .alpha = 0.01, .alpha_margin = 0.05, .min_samples = 500};
    f->rules.budgets = f->budgets;
}

static inline void counts_end(struct counts_fixture *f) {
    gate_arena_free(&f->arena);
}

/** Declare a fixture that counts_begin makes, and end it with its block. */
#define COUNTS(f, frames, baseline_runs, canary_runs, total)                                                           \
    AT_END(counts_end) struct counts_fixture f;                                                                        \
    counts_begin(&f, frames, baseline_runs, canary_runs, total)

/* Set one frame's count in one run, for every measure. */
static inline void counts_set(struct counts_fixture *f, uint32_t frame, int side, uint32_t run, int64_t value) {
    struct gate_delta_list *deltas = &f->comparison.deltas;
    uint32_t at = (side == GATE_BASELINE ? 0 : f->comparison.pair.sides[GATE_BASELINE].run_count) + run;
    for (int m = 0; m < GATE_MEASURES; m++) {
        struct gate_tally *tally = &deltas->tallies[m][(size_t)at * deltas->count + frame];
        deltas->items[frame].value[m][side] += value - tally->value;
        *tally = (struct gate_tally){value, (double)value};
    }
}

/* Set one frame's count to the same value in every run of a side. */
static inline void counts_set_all(struct counts_fixture *f, uint32_t frame, int64_t baseline, int64_t canary) {
    for (uint32_t r = 0; r < f->comparison.pair.sides[GATE_BASELINE].run_count; r++)
        counts_set(f, frame, GATE_BASELINE, r, baseline);
    for (uint32_t r = 0; r < f->comparison.pair.sides[GATE_CANARY].run_count; r++)
        counts_set(f, frame, GATE_CANARY, r, canary);
}

static inline struct gate_budget *counts_budget(struct counts_fixture *f, const char *name,
                                                enum gate_budget_measure measure, enum gate_limit_kind kind,
                                                double value) {
    uint32_t at = f->rules.budget_count++;
    f->limits[at] = (struct gate_limit){.kind = kind, .severity = GATE_SEVERITY_ERROR, .value = value};
    f->budgets[at] = (struct gate_budget){.name = gate_str_from(name),
                                          .severity = GATE_SEVERITY_ERROR,
                                          .measure = measure,
                                          .limits = &f->limits[at],
                                          .limit_count = 1};
    return &f->budgets[at];
}

static inline void counts_reach(struct counts_fixture *f) {
    if (!gate_verdict_reach(&f->verdict, &f->rules, &f->comparison, 1, &f->options, &f->arena, &f->err))
        fail_msg("%s", f->err.message);
}

/* Return the finding of budget `budget` on the frame `name`, or NULL. */
static inline const struct gate_finding *counts_finding(const struct counts_fixture *f, uint32_t budget,
                                                        const char *name) {
    const struct gate_budget_result *result = &f->verdict.budgets[budget];
    for (uint32_t i = 0; i < result->finding_count; i++)
        if (gate_str_equal(result->findings[i].function, gate_str_from(name)))
            return &result->findings[i];
    return NULL;
}

static inline struct gate_evidence counts_evidence(const struct counts_fixture *f, uint32_t frame,
                                                   const struct gate_evidence_options *options) {
    return gate_evidence_of(&f->comparison.pair, &f->comparison.deltas, frame, GATE_SELF,
                            f->comparison.pair.frames[frame].name, options);
}

#endif
