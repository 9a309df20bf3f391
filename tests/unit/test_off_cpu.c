/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a cause of grown wall time computes or waits. */
#include "gate/budget/off_cpu.h"
#include "tests/unit/pair_fixture.h"

#include <math.h>

#define SECOND INT64_C(1000000000)

/* A wall-time and a CPU-time comparison. A sample is 10 ms, and each side lasts 10 s. */
struct clocks {
    struct pair_fixture wall_pair, cpu_pair;
    struct gate_comparison comparisons[2];
    struct gate_cause cause;
};

static const struct gate_evidence *count_alone(const struct gate_evidence *judged, struct gate_arena *arena) {
    struct gate_evidence *e = GATE_NEW_ARRAY(arena, struct gate_evidence, 1);
    assert_non_null(e);
    *e = *judged;
    e->counts = (struct gate_counts2){.k1 = e->share[GATE_BASELINE] * e->sample_n[GATE_BASELINE],
                                      .n1 = e->sample_n[GATE_BASELINE],
                                      .k2 = e->share[GATE_CANARY] * e->sample_n[GATE_CANARY],
                                      .n2 = e->sample_n[GATE_CANARY]};
    e->phi = 1.0;
    e->df = 1e6;
    e->dilution = 1.0;
    return e;
}

static void make(struct pair_fixture *f, struct gate_comparison *out, const char *type, const char *baseline,
                 const char *canary) {
    const double no_work[GATE_SIDES] = {0, 0};
    fixture_begin(f);
    fixture_add(f, GATE_BASELINE, baseline);
    fixture_add(f, GATE_CANARY, canary);
    fixture_make(f, NULL);
    f->pair.type = (struct gate_value_type){gate_str_from(type), GATE_STR("ns")};
    for (int side = 0; side < GATE_SIDES; side++) {
        f->profiles[side][0].duration_ns = 10 * SECOND;
        f->pair.sides[side].duration_ns = 10 * SECOND;
    }
    *out = (struct gate_comparison){.name = gate_str_from(type), .pair = f->pair, .deltas = f->deltas};
    if (!gate_comparison_judge(out, no_work, &f->arena, &f->err))
        fail_msg("%s", f->err.message);
    for (int side = 0; side < GATE_SIDES; side++)
        out->pair.sides[side].total *= SECOND / 100;
    for (uint32_t i = 0; i < out->pair.frame_count; i++) /* remove all variation except that of counts */
        out->frames[i].evidence[GATE_CHARGED] = count_alone(out->frames[i].evidence[GATE_CHARGED], &f->arena);
}

static void begin(struct clocks *c, const char *cpu_baseline, const char *cpu_canary) {
    *c = (struct clocks){0};
    make(&c->wall_pair, &c->comparisons[0], "wall", "main;f 300\nmain;g 700\n", "main;f 700\nmain;g 300\n");
    make(&c->cpu_pair, &c->comparisons[1], "cpu", cpu_baseline, cpu_canary);
    c->cause = (struct gate_cause){.frame = fixture_frame(&c->wall_pair, "f"),
                                   .function = GATE_STR("f"),
                                   .measure = GATE_MEASURE_CHARGED,
                                   .evidence = {.delta = 0.4}};
}

static enum gate_off_cpu_where find(struct clocks *c) {
    struct gate_cause_list list = {&c->cause, 1};
    gate_off_cpu_find(&list, c->comparisons, 2);
    return gate_off_cpu_where(&c->cause, &c->comparisons[c->cause.comparison]);
}

static void end(struct clocks *c) {
    fixture_end(&c->wall_pair);
    fixture_end(&c->cpu_pair);
}

/* Function f: 4 s more of wall time and 4 s more of CPU time. */
TEST(growth_with_cpu_time_is_on_the_cpu) {
    AT_END(end) struct clocks c;
    begin(&c, "main;f 300\nmain;g 300\n", "main;f 700\nmain;g 300\n");
    assert_int_equal(find(&c), GATE_OFF_CPU_ON);
    assert_true(fabs(c.cause.on_cpu - 1.0) < 1e-9);
}

TEST(growth_without_cpu_time_is_off_the_cpu) {
    AT_END(end) struct clocks c;
    begin(&c, "main;f 300\nmain;g 300\n", "main;f 300\nmain;g 300\n");
    assert_int_equal(find(&c), GATE_OFF_CPU_OFF);
    assert_true(c.cause.on_cpu < 1e-9);
    assert_true(c.cause.on_cpu_bounds[1] > 0.0); /* the interval allows some CPU time */
}

TEST(a_function_that_no_cpu_time_is_charged_to_waits) {
    AT_END(end) struct clocks c;
    begin(&c, "main;g 300\n", "main;g 300\n");
    assert_int_equal(find(&c), GATE_OFF_CPU_OFF);
    /* rule of three: 0 of 300 samples allows 1% of 3 s of CPU time, and wall time grew by 4 s */
    assert_true(fabs(c.cause.on_cpu_bounds[1] - 3.0 / 300.0 * 3.0 / 4.0) < 1e-9);
}

/* Function f: 4 s more of wall time and 2 s more of CPU time, in too few samples to decide. */
TEST(an_interval_that_contains_a_half_is_undecided) {
    AT_END(end) struct clocks c;
    begin(&c, "main;f 300\nmain;g 300\n", "main;f 500\nmain;g 300\n");
    assert_int_equal(find(&c), GATE_OFF_CPU_OPEN);
    assert_true(fabs(c.cause.on_cpu - 0.5) < 1e-9);
}

TEST(missing_data_give_no_statement) {
    AT_END(end) struct clocks c;
    begin(&c, "main;f 300\nmain;g 300\n", "main;f 700\nmain;g 300\n");
    c.cpu_pair.profiles[GATE_CANARY][0].duration_ns = 0; /* without a duration there is no CPU time per second */
    assert_int_equal(find(&c), GATE_OFF_CPU_NO_PROFILE);
    c.cpu_pair.profiles[GATE_CANARY][0].duration_ns = 10 * SECOND;
    c.comparisons[1].is_filtered = true; /* a filtered comparison covers other samples */
    assert_int_equal(find(&c), GATE_OFF_CPU_NO_PROFILE);
    c.comparisons[1].is_filtered = false;
    c.cause.evidence.delta = -0.1;
    assert_int_equal(find(&c), GATE_OFF_CPU_NOT_APPLICABLE);
}

TEST(every_run_needs_a_duration) {
    AT_END(end) struct clocks c;
    begin(&c, "main;f 300\nmain;g 300\n", "main;f 700\nmain;g 300\n");
    struct gate_side *canary = &c.comparisons[1].pair.sides[GATE_CANARY];
    struct gate_profile timeless = *canary->runs[0].input.profile;
    timeless.duration_ns = 0;
    struct gate_run runs[2] = {canary->runs[0], canary->runs[0]};
    canary->runs = runs;
    canary->run_count = 2;
    assert_int_equal(find(&c), GATE_OFF_CPU_ON);
    runs[1].input.profile = &timeless;
    assert_int_equal(find(&c), GATE_OFF_CPU_NO_PROFILE);
}

/* A cause in the total: wall time stays at 10 s while the work halves, so it doubles per unit of work. CPU time per
 * unit of work stays equal. */
TEST(growth_of_the_total_uses_the_total_cpu_time) {
    AT_END(end) struct clocks c;
    begin(&c, "main;f 300\nmain;g 300\n", "main;f 150\nmain;g 150\n");
    c.cause.frame = GATE_NO_INDEX;
    c.cause.measure = GATE_MEASURE_TOTAL_COST;
    for (int i = 0; i < 2; i++) {
        c.comparisons[i].work_is_known = true;
        c.comparisons[i].work_ratio = 0.5;
    }
    assert_int_equal(find(&c), GATE_OFF_CPU_OFF);
    assert_true(fabs(c.cause.on_cpu) < 1e-9);
    assert_true(c.cause.on_cpu_bounds[0] <= 0.0);
    assert_true(c.cause.on_cpu_bounds[1] > 0.0); /* from the error of two counts */
}

TEST(the_clock_follows_from_the_type_then_the_name) {
    static const struct {
        const char *type, *name;
        enum gate_clock clock;
    } rows[] = {
        {"cpu", "cpu (wall)", GATE_CLOCK_CPU},
        {"wall", "x", GATE_CLOCK_WALL},
        {"wall-time", "x", GATE_CLOCK_WALL},
        {"delay", "delay (cpu)", GATE_CLOCK_WAIT},
        {"off-cpu", "x", GATE_CLOCK_WAIT},
        {"time", "time (wall)", GATE_CLOCK_WALL},
        {"samples", "samples (block)", GATE_CLOCK_WAIT},
        {"samples", "samples", GATE_CLOCK_OTHER},
        {"samples", "samples{e=/wallet}", GATE_CLOCK_OTHER},
        {"alloc_space", "alloc_space (cpu)", GATE_CLOCK_OTHER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gate_comparison comparison = {.name = gate_str_from(rows[i].name),
                                                   .pair.type = {gate_str_from(rows[i].type), GATE_STR("")}};
        if (gate_comparison_clock(&comparison) != rows[i].clock)
            fail_msg("%s of %s", rows[i].type, rows[i].name);
    }
}
