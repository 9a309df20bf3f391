/* SPDX-License-Identifier: Apache-2.0 */
/* budget/trend.h: series of real heap profiles, compared with their totals. */
#include "gate/budget/trend.h"

#include "gate/compare/pair.h"
#include "gate/formats/format.h"
#include "tests/unit/unit.h"

#include <math.h>

enum { RUNS = 4 };

/* Heaps of fixtures/trend as runs of one side. */
static void load(struct gate_pair *pair, struct gate_delta_list *deltas, struct gate_run_input *runs, const char *type,
                 double work) {
    const struct gate_limits limits = gate_limits_default();
    for (int i = 0; i < RUNS; i++) {
        char path[300];
        struct gate_str bytes;
        (void)snprintf(path, sizeof path, GATE_SOURCE_DIR "/fixtures/trend/leaking/step-%02d.pb.gz", i + 1);
        struct gate_profile *profile = GATE_NEW_ARRAY(&arena, struct gate_profile, 1);
        assert_true(gate_source_read(&bytes, gate_str_from(path), &limits, &arena, &err));
        assert_true(gate_profile_load(profile, bytes, &limits, &arena, &err));
        runs[i] = (struct gate_run_input){.path = gate_str_from("x"), .profile = profile, .work = work * (i + 1)};
    }
    const struct gate_run_input *const sides[GATE_SIDES] = {runs, runs};
    const uint32_t counts[GATE_SIDES] = {RUNS, 1};
    const struct gate_pair_options options = {.sample_type = gate_str_from(type)};
    if (!gate_pair_make(pair, sides, counts, &options, &arena, &err))
        fail_msg("%s", err.message);
    assert_true(gate_delta_fold(deltas, pair, NULL, &arena, &err));
}

TEST(a_point_of_several_runs_is_their_mean) {
    struct gate_run_input runs[RUNS];
    struct gate_pair pair;
    struct gate_delta_list deltas;
    struct gate_series series;
    const struct gate_series_point points[] = {{GATE_STR("a"), 0, 1, 0}, {GATE_STR("b"), 1, 3, 0}};
    load(&pair, &deltas, runs, "inuse_space", 0);
    assert_int_equal(gate_series_scale_of(&pair, true), GATE_SERIES_LEVEL);
    assert_true(gate_series_make(&series, &pair, &deltas, GATE_CUMULATIVE, GATE_NO_INDEX, GATE_SERIES_LEVEL, points, 2,
                                 &arena, &err));
    const struct gate_run *run = pair.sides[GATE_BASELINE].runs;
    assert_float_equal(series.y[0], (double)run[0].total, 0);
    assert_float_equal(series.y[1], ((double)run[1].total + (double)run[2].total + (double)run[3].total) / 3, 1e-6);
    assert_float_equal(series.low[1], fmin(fmin((double)run[1].total, (double)run[2].total), (double)run[3].total), 0);
    assert_float_equal(series.median, (series.y[0] + series.y[1]) / 2, 1e-6);
}

/* The self shares of all frames add up to one. Costs are divided by the work. */
TEST(shares_add_up_to_one_and_costs_are_divided_by_work) {
    struct gate_run_input runs[RUNS];
    struct gate_pair pair;
    struct gate_delta_list deltas;
    const struct gate_series_point points[] = {{GATE_STR("a"), 0, 1, 0}, {GATE_STR("b"), 1, 1, 0}};
    double sum[2] = {0};
    load(&pair, &deltas, runs, "alloc_space", 0);
    assert_int_equal(gate_series_scale_of(&pair, false), GATE_SERIES_SHARE);
    assert_int_equal(gate_series_scale_of(&pair, true), GATE_SERIES_NONE); /* heaps tell no length */
    for (uint32_t f = 0; f < deltas.count; f++) {
        struct gate_series series;
        assert_true(
            gate_series_make(&series, &pair, &deltas, GATE_SELF, f, GATE_SERIES_SHARE, points, 2, &arena, &err));
        sum[0] += series.y[0];
        sum[1] += series.y[1];
    }
    assert_float_equal(sum[0], 1, 1e-9);
    assert_float_equal(sum[1], 1, 1e-9);
    load(&pair, &deltas, runs, "alloc_space", 10);
    assert_int_equal(gate_series_scale_of(&pair, true), GATE_SERIES_PER_WORK);
    struct gate_series series;
    assert_true(gate_series_make(&series, &pair, &deltas, GATE_CUMULATIVE, GATE_NO_INDEX, GATE_SERIES_PER_WORK, points,
                                 2, &arena, &err));
    assert_float_equal(series.y[1], (double)pair.sides[GATE_BASELINE].runs[1].total / 20, 1e-6);
}
