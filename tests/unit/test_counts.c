/* SPDX-License-Identifier: Apache-2.0 */
/* How many events a value stands for: the model of each producer's columns, and formulas against numbers worked out by
 * hand. */
#include "gate/model/effective_samples.h"
#include "tests/unit/unit.h"

#include <math.h>

enum { COLUMNS_MAX = 8 };

struct producer {
    const char *name, *period_type, *period_unit;
    int64_t period;
    const char *types[COLUMNS_MAX][2];
    struct {
        enum gate_counts_kind kind;
        uint32_t count_column; /* GATE_NO_INDEX: not checked */
    } expected[COLUMNS_MAX];
};

static struct gate_profile profile_of(const struct producer *producer, struct gate_value_type *types) {
    struct gate_profile profile = {.sample_types = types, .period = producer->period};
    while (profile.sample_type_count < COLUMNS_MAX && producer->types[profile.sample_type_count][0] != NULL) {
        uint32_t i = profile.sample_type_count++;
        types[i] = (struct gate_value_type){gate_str_from(producer->types[i][0]), gate_str_from(producer->types[i][1])};
    }
    profile.period_type =
        (struct gate_value_type){gate_str_from(producer->period_type), gate_str_from(producer->period_unit)};
    return profile;
}

TEST(each_profiler_has_its_model_of_event_counts) {
    static const struct producer rows[] = {
        {"Go CPU", "cpu", "nanoseconds", 10000000, .types = {{"samples", "count"}, {"cpu", "nanoseconds"}},
         .expected = {{GATE_COUNTS_VALUE, GATE_NO_INDEX}, {GATE_COUNTS_COLUMN, 0}}},
        {"Go heap", "space", "bytes", 524288,
         .types = {{"alloc_objects", "count"},
                   {"alloc_space", "bytes"},
                   {"inuse_objects", "count"},
                   {"inuse_space", "bytes"}},
         .expected = {{GATE_COUNTS_HEAP, 0}, {GATE_COUNTS_HEAP, 0}, {GATE_COUNTS_HEAP, 2}, {GATE_COUNTS_HEAP, 2}}},
        {"Go mutex", "contentions", "count", 1, .types = {{"contentions", "count"}, {"delay", "nanoseconds"}},
         .expected = {{GATE_COUNTS_VALUE, GATE_NO_INDEX}, {GATE_COUNTS_DELAY, 0}}},
        {"Go goroutine", "goroutine", "count", 1, .types = {{"goroutine", "count"}},
         .expected = {{GATE_COUNTS_VALUE, GATE_NO_INDEX}}},
        {"fgprof", "wallclock", "nanoseconds", 10101010, .types = {{"samples", "count"}, {"time", "nanoseconds"}},
         .expected = {{GATE_COUNTS_VALUE, GATE_NO_INDEX}, {GATE_COUNTS_COLUMN, 0}}},
        {"pprof-rs", "", "", 0, .types = {{"cpu", "count"}}, .expected = {{GATE_COUNTS_VALUE, GATE_NO_INDEX}}},
        {"Datadog", "cpu-time", "nanoseconds", 10000000,
         .types = {{"cpu-time", "nanoseconds"},
                   {"cpu-samples", "count"},
                   {"alloc-samples", "count"},
                   {"alloc-space", "bytes"}},
         .expected = {{GATE_COUNTS_COLUMN, 1},
                      {GATE_COUNTS_VALUE, GATE_NO_INDEX},
                      {GATE_COUNTS_UNKNOWN, GATE_NO_INDEX},
                      {GATE_COUNTS_UNKNOWN, GATE_NO_INDEX}}},
        {"Node wall", "wall", "nanoseconds", 10000000, .types = {{"sample", "count"}, {"wall", "nanoseconds"}},
         .expected = {{GATE_COUNTS_VALUE, GATE_NO_INDEX}, {GATE_COUNTS_COLUMN, 0}}},
        {"JFR", "cpu", "nanoseconds", 10000000,
         .types = {{"samples", "count"}, {"cpu", "nanoseconds"}, {"contentions", "count"}, {"delay", "nanoseconds"}},
         .expected = {{GATE_COUNTS_VALUE, GATE_NO_INDEX},
                      {GATE_COUNTS_COLUMN, 0},
                      {GATE_COUNTS_VALUE, GATE_NO_INDEX},
                      {GATE_COUNTS_DELAY, 2}}},
        {"JFR without CPU time", "", "", 0,
         .types =
             {{"wall_samples", "count"}, {"wall", "nanoseconds"}, {"alloc_samples", "count"}, {"alloc_space", "bytes"}},
         .expected = {{GATE_COUNTS_VALUE, GATE_NO_INDEX},
                      {GATE_COUNTS_COLUMN, 0},
                      {GATE_COUNTS_VALUE, 2},
                      {GATE_COUNTS_COLUMN, 2}}},
        {"Node heap", "space", "bytes", 524288, .types = {{"objects", "count"}, {"space", "bytes"}},
         .expected = {{GATE_COUNTS_HEAP, 0}, {GATE_COUNTS_HEAP, 0}}},
        {"Julia allocations", "heap", "bytes", 1, .types = {{"allocs", "count"}, {"size", "bytes"}},
         .expected = {{GATE_COUNTS_VALUE, GATE_NO_INDEX}, {GATE_COUNTS_COLUMN, 0}}},
        {"one column with a period", "cpu", "nanoseconds", 10000000, .types = {{"cpu", "nanoseconds"}},
         .expected = {{GATE_COUNTS_PERIOD, GATE_NO_INDEX}}},
        {"period in another unit", "cpu", "milliseconds", 10, .types = {{"cpu", "microseconds"}},
         .expected = {{GATE_COUNTS_PERIOD, GATE_NO_INDEX}}},
        {"one column without", "", "", 0, .types = {{"wall", "nanoseconds"}},
         .expected = {{GATE_COUNTS_UNKNOWN, GATE_NO_INDEX}}},
        {"steps of a virtual machine", "", "", 0, .types = {{"running time", "steps"}},
         .expected = {{GATE_COUNTS_UNKNOWN, GATE_NO_INDEX}}},
        {"hardware counter", "", "", 0, .types = {{"cycles", "count"}},
         .expected = {{GATE_COUNTS_UNKNOWN, GATE_NO_INDEX}}},
        {"perf", "", "", 0, .types = {{"cycles_sample", "count"}, {"cycles_event", "count"}},
         .expected = {{GATE_COUNTS_VALUE, GATE_NO_INDEX}, {GATE_COUNTS_COLUMN, 0}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_value_type types[COLUMNS_MAX];
        struct gate_profile profile = profile_of(&rows[i], types);
        for (uint32_t j = 0; j < profile.sample_type_count; j++) {
            struct gate_counts_model model = gate_counts_choose(&profile, j, NULL);
            if (model.kind != rows[i].expected[j].kind)
                fail_msg("%s, column %u: '%s', expected '%s'", rows[i].name, j, gate_counts_kind_name(model.kind),
                         gate_counts_kind_name(rows[i].expected[j].kind));
            if (rows[i].expected[j].count_column != GATE_NO_INDEX)
                assert_int_equal(model.count_column, rows[i].expected[j].count_column);
        }
    }
}

static void close_to(double got, double wanted) {
    if (fabs(got - wanted) > 1e-9 * fabs(wanted))
        fail_msg("%.17g, expected %.17g", got, wanted);
}

static void expect_events(struct gate_counts_model model, const int64_t *values, double events, double weight_sq) {
    double got_events = -1, got_weight_sq = -1;
    gate_counts_of(&model, values, &got_events, &got_weight_sq);
    close_to(got_events, events);
    close_to(got_weight_sq, weight_sq);
}

TEST(formulas_match_numbers_worked_out_by_hand) {
    struct gate_counts_model column = {GATE_COUNTS_COLUMN, 1, 0, GATE_NO_INDEX, 0, 1, 0, NULL};
    struct gate_counts_model value = {GATE_COUNTS_VALUE, 0, GATE_NO_INDEX, GATE_NO_INDEX, 0, 1, 0, NULL};
    struct gate_counts_model thinned = {GATE_COUNTS_VALUE, 0, GATE_NO_INDEX, GATE_NO_INDEX, 0, 5, 0, NULL};
    struct gate_counts_model period = {GATE_COUNTS_PERIOD, 1, GATE_NO_INDEX, GATE_NO_INDEX, 10, 1, 0, NULL};
    struct gate_counts_model delay = {GATE_COUNTS_DELAY, 1, 0, GATE_NO_INDEX, 0, 1, 0, NULL};
    struct gate_counts_model unknown = {GATE_COUNTS_UNKNOWN, 1, GATE_NO_INDEX, GATE_NO_INDEX, 0, 1, 0, NULL};
    struct gate_counts_model repeated = {GATE_COUNTS_COLUMN, 1, 0, GATE_NO_INDEX, 0, 1, 4, NULL};
    struct gate_counts_model exact = {GATE_COUNTS_EXACT, 0, GATE_NO_INDEX, GATE_NO_INDEX, 0, 1, 4, NULL};
    expect_events(column, (int64_t[]){4, 40}, 4, 400);
    expect_events(column, (int64_t[]){0, 40}, 1, 1600); /* a value without a count is one event */
    expect_events(column, (int64_t[]){4, 0}, 0, 0);
    expect_events(column, (int64_t[]){-4, -40}, 4, 400); /* a saved diff: the sign is ignored */
    expect_events(value, (int64_t[]){7, 0}, 7, 7);
    expect_events(thinned, (int64_t[]){10, 0}, 2, 50);
    expect_events(period, (int64_t[]){0, 40}, 4, 400);
    expect_events(delay, (int64_t[]){4, 40}, 4, 5 * 400.0);
    expect_events(unknown, (int64_t[]){4, 40}, 0, 0);
    expect_events(repeated, (int64_t[]){4, 40}, 1, 1600); /* four profiles with the same events */
    expect_events(exact, (int64_t[]){7, 0}, 7, 7);        /* no event is sampled */
    expect_events(value, (int64_t[]){INT64_MIN, 0}, 9223372036854775808.0, 9223372036854775808.0);
}

/* 8 objects of 64 KiB at a rate of 512 KiB. Each is sampled with probability 1 - exp(-1/8) = 0.1175030974154046. */
TEST(heap_samples_are_unscaled) {
    struct gate_counts_model space = {GATE_COUNTS_HEAP, 1, 0, 1, 524288, 1, 0, NULL};
    struct gate_counts_model objects = {GATE_COUNTS_HEAP, 0, 0, 1, 524288, 1, 0, NULL};
    const double kept = 0.1175030974154046;
    const int64_t values[] = {8, 8 * 65536};
    expect_events(space, values, 8 * kept, 8 * kept * (65536 / kept) * (65536 / kept));
    expect_events(objects, values, 8 * kept, 8 * kept / (kept * kept));
    expect_events(space, (int64_t[]){0, 10}, 0, 0);
    /* Objects far larger than the rate are all sampled, so each is one event. */
    expect_events(space, (int64_t[]){3, INT64_C(3) << 40}, 3, 3 * 1099511627776.0 * 1099511627776.0);
}

TEST(options_replace_facts_that_the_profile_lacks) {
    struct gate_value_type types[2] = {{GATE_STR("alloc-samples"), GATE_STR("count")},
                                       {GATE_STR("alloc-space"), GATE_STR("bytes")}};
    struct gate_profile profile = {.sample_types = types, .sample_type_count = 2};
    struct gate_value_type mutex[2] = {{GATE_STR("contentions"), GATE_STR("count")},
                                       {GATE_STR("delay"), GATE_STR("nanoseconds")}};
    struct gate_profile contended = {.sample_types = mutex, .sample_type_count = 2};
    struct gate_counts_options options = {.period = 4194304, .mutex_fraction = 5};
    profile.period_type = contended.period_type = (struct gate_value_type){GATE_STR(""), GATE_STR("")};
    struct gate_counts_model model = gate_counts_choose(&profile, 1, &options);
    assert_int_equal(model.kind, GATE_COUNTS_HEAP);
    assert_true(model.period == 4194304);
    model = gate_counts_choose(&contended, 1, &options);
    assert_int_equal(model.kind, GATE_COUNTS_DELAY);
    assert_true(model.fraction == 5);
    expect_events(model, (int64_t[]){10, 100}, 2, 5 * 10000.0 / 2);
}

/* The values of a single column: `low` records of about `divisor`, and `high` records about 2^`power` times as large.
 * `divisor` is the greatest common divisor of all values. */
struct lone {
    uint64_t divisor;
    uint32_t low, high;
    int power;
};

static struct gate_value_spread spread_of(struct lone lone) {
    struct gate_value_spread spread = {.divisor = lone.divisor};
    int first = 63 - __builtin_clzll(lone.divisor);
    spread.sizes[first] += lone.low;
    spread.sizes[first + lone.power] += lone.high;
    spread.total = (double)lone.divisor * (lone.low + ldexp(lone.high, lone.power));
    return spread;
}

/* Profiles merged by Pyroscope or Parca have one column, and a guessed period or none. An implausible period is
 * replaced by the greatest common divisor of the values. */
TEST(the_period_of_a_merged_profile_is_not_used) {
    static const struct {
        const char *type, *period_unit;
        int64_t period;
        double told;
        enum gate_counts_kind kind;
        double expected;
    } rows[] = {
        {"cpu", "nanoseconds", 1000000000, 0, GATE_COUNTS_WEIGHT, 10000000}, /* Pyroscope, process_cpu */
        {"cpu", "nanoseconds", 0, 0, GATE_COUNTS_WEIGHT, 10000000},          /* Parca */
        {"cpu", "nanoseconds", 1, 0, GATE_COUNTS_WEIGHT, 10000000},
        {"cpu", "milliseconds", 1000, 0, GATE_COUNTS_WEIGHT, 10000000},
        {"cpu", "nanoseconds", 1000000000, 5e6, GATE_COUNTS_PERIOD, 5e6}, /* --period */
        {"cpu", "nanoseconds", 10000000, 0, GATE_COUNTS_PERIOD, 10000000},
        {"cpu", "cycles", 1, 0, GATE_COUNTS_UNKNOWN, 0},
        {"wall", "nanoseconds", 1, 0, GATE_COUNTS_UNKNOWN, 0}, /* Pyroscope; 1 ns is not an event */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_value_type type = {gate_str_from(rows[i].type), GATE_STR("nanoseconds")};
        struct gate_profile profile = {.sample_types = &type,
                                       .sample_type_count = 1,
                                       .period = rows[i].period,
                                       .period_type = {type.type, gate_str_from(rows[i].period_unit)},
                                       .spread = spread_of((struct lone){10000000, 100, 74, 6})};
        const struct gate_counts_options options = {.period = rows[i].told};
        struct gate_counts_model model = gate_counts_choose(&profile, 0, &options);
        if (model.kind != rows[i].kind || model.period != rows[i].expected)
            fail_msg("row %zu: '%s', period %g", i, gate_counts_kind_name(model.kind), model.period);
    }
}

/* Collapsed stacks have the type "samples", whether their values are counts or weights. */
TEST(weights_of_collapsed_stacks_are_not_counts) {
    static const struct {
        const char *name;
        struct lone lone;
        double told; /* --period */
        enum gate_counts_kind kind;
        double period;
    } rows[] = {
        {"counts", {1, 100, 74, 6}, 0, GATE_COUNTS_VALUE, 1},
        {"one period", {10101010, 100, 74, 6}, 0, GATE_COUNTS_WEIGHT, 10101010},
        {"two stacks of one period", {10101010, 1, 1, 6}, 0, GATE_COUNTS_WEIGHT, 10101010},
        {"a lone stack tells nothing", {4711, 1, 0, 0}, 0, GATE_COUNTS_VALUE, 1},
        {"milliseconds", {10, 12, 18, 8}, 0, GATE_COUNTS_WEIGHT, 10},
        {"a few counts that tens divide", {10, 2, 2, 3}, 0, GATE_COUNTS_VALUE, 1},
        {"two counts that thousands divide", {5000, 1, 1, 1}, 0, GATE_COUNTS_VALUE, 1},
        {"two stacks, in microseconds", {1000, 1, 1, 6}, 0, GATE_COUNTS_WEIGHT, 1000},
        {"nanoseconds of a clock of microseconds", {1000, 1, 300, 10}, 0, GATE_COUNTS_UNKNOWN, 0},
        {"uneven periods", {1, 0, 174, 25}, 0, GATE_COUNTS_UNKNOWN, 0},
        {"uneven periods, the first ones light", {1, 100, 74, 25}, 0, GATE_COUNTS_UNKNOWN, 0},
        {"uneven milliseconds", {1, 1, 200, 7}, 0, GATE_COUNTS_UNKNOWN, 0},
        {"counts of a long run", {1, 30, 170, 10}, 0, GATE_COUNTS_VALUE, 1},
        {"counts of three hot stacks", {1, 1, 2, 15}, 0, GATE_COUNTS_VALUE, 1},
        {"more than three stacks have", {1, 1, 4, 15}, 0, GATE_COUNTS_UNKNOWN, 0},
        {"uneven periods, told", {1, 0, 174, 25}, 31e6, GATE_COUNTS_PERIOD, 31e6},
        {"one period, told otherwise", {10101010, 100, 74, 6}, 1, GATE_COUNTS_PERIOD, 1},
    };
    struct gate_value_type types[2] = {{GATE_STR("samples"), GATE_STR("count")},
                                       {GATE_STR("cpu"), GATE_STR("nanoseconds")}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_profile profile = {.sample_types = types, .sample_type_count = 1};
        struct gate_counts_options options = {.period = rows[i].told};
        profile.spread = spread_of(rows[i].lone);
        profile.period_type = (struct gate_value_type){GATE_STR(""), GATE_STR("")};
        struct gate_counts_model model = gate_counts_choose(&profile, 0, &options);
        if (model.kind != rows[i].kind || model.period != rows[i].period)
            fail_msg("%s: '%s', period %g", rows[i].name, gate_counts_kind_name(model.kind), model.period);
        profile.sample_type_count = 2; /* with two columns, as in Go's CPU profile, they are counts */
        assert_int_equal(gate_counts_choose(&profile, 0, &options).kind, GATE_COUNTS_VALUE);
    }
    struct gate_counts_model weight = {GATE_COUNTS_WEIGHT, 0, GATE_NO_INDEX, GATE_NO_INDEX, 10, 1, 0, NULL};
    expect_events(weight, (int64_t[]){40}, 4, 400);
}

/* jfrconv writes one column per file, without a count column and without a period. */
TEST(every_column_of_jfrconv_has_events) {
    static const struct {
        const char *type, *unit;
        struct lone lone;
        enum gate_counts_kind kind;
        double events, weight_sq; /* of the value 40 */
    } rows[] = {
        {"cpu", "count", {1, 20, 9, 6}, GATE_COUNTS_VALUE, 40, 40},
        {"cpu", "nanoseconds", {1, 20, 9, 6}, GATE_COUNTS_VALUE, 40, 40}, /* samples, despite the unit */
        {"cpu", "nanoseconds", {10, 20, 9, 6}, GATE_COUNTS_WEIGHT, 4, 400},
        {"allocations", "count", {1, 20, 9, 6}, GATE_COUNTS_VALUE, 40, 40},
        {"allocations", "bytes", {8, 20, 9, 6}, GATE_COUNTS_RECORD, 1, 1600},
        {"malloc", "count", {1, 20, 9, 6}, GATE_COUNTS_VALUE, 40, 40},
        {"malloc", "bytes", {8, 20, 9, 6}, GATE_COUNTS_RECORD, 1, 1600},
        {"locks", "count", {1, 20, 9, 6}, GATE_COUNTS_VALUE, 40, 40},
        {"locks", "nanoseconds", {1, 20, 9, 6}, GATE_COUNTS_DELAY, 1, 5 * 1600},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_value_type type = {gate_str_from(rows[i].type), gate_str_from(rows[i].unit)};
        struct gate_profile profile = {.sample_types = &type, .sample_type_count = 1};
        profile.spread = spread_of(rows[i].lone);
        profile.period_type = (struct gate_value_type){GATE_STR(""), GATE_STR("")};
        struct gate_counts_model model = gate_counts_choose(&profile, 0, NULL);
        if (model.kind != rows[i].kind)
            fail_msg("%s/%s: '%s'", rows[i].type, rows[i].unit, gate_counts_kind_name(model.kind));
        expect_events(model, (int64_t[]){40}, rows[i].events, rows[i].weight_sq);
    }
}
