/* SPDX-License-Identifier: Apache-2.0 */
/* An idle CPU profile causes the warning `idle` if there are enough samples to compare, else `no_load`, which forbids a
 * pass. */
#include "tests/unit/guard_fixture.h"

/* `serve` is own code. `main` and `futex` are excluded from own code by the options of `make`. */
static const char busy[] = "main;serve 950\nmain;futex 50\n";
static const char idle[] = "main;serve 9\nmain;futex 50\n";
static const char few[] = "main;serve 99\nmain;futex 1\n";

static void make(struct guard_fixture *f, const char *baseline, const char *canary, const char *type) {
    struct gate_regex *own = NULL;
    begin(f, baseline, canary);
    f->rules.min_samples = 100;
    for (int side = 0; side < GATE_SIDES; side++)
        set_type(profile_of(f, (enum gate_side_name)side), type, "count");
    assert_true(gate_regex_compile(&own, GATE_STR("^futex$|^main$"), &err));
    const struct gate_regex *const exclude[] = {own};
    const struct gate_pair_options options = {.frames.own = {.exclude = exclude, .exclude_count = 1}};
    fixture_make(&f->pair, &options);
    gate_regex_free(own);
}

/* CPU profiles with 10 ms per sample. The baseline takes 10 s, the canary `canary_ns`. */
static void make_cpu(struct guard_fixture *f, const char *baseline, const char *canary, int64_t canary_ns) {
    make(f, baseline, canary, "cpu");
    f->pair.pair.type.unit = GATE_STR("nanoseconds");
    for (int side = 0; side < GATE_SIDES; side++)
        f->pair.pair.sides[side].runs[0].total *= 10000000;
    profile_of(f, GATE_BASELINE)->duration_ns = INT64_C(10000000000);
    profile_of(f, GATE_CANARY)->duration_ns = canary_ns;
}

static bool has(struct guard_fixture *f, const char *code) {
    check_guards(f);
    bool found = false;
    for (uint32_t i = 0; i < f->count; i++)
        found = found || strcmp(gate_guard_name(f->warnings[i].guard), code) == 0;
    return found;
}

TEST(a_busy_side_is_fine) {
    struct guard_fixture f;
    make_cpu(&f, busy, busy, INT64_C(10000000000));
    assert_false(has(&f, "no_load"));
    assert_false(has(&f, "idle"));
    fixture_end(&f.pair);
}

/* Less than 0.1 cores over a long time, but hundreds of samples: they can be compared, so a warning is enough. */
TEST(a_slow_long_profile_only_warns) {
    struct guard_fixture f;
    make_cpu(&f, busy, busy, INT64_C(1000000000000));
    assert_true(has(&f, "idle"));
    assert_false(has(&f, "no_load"));
    fixture_end(&f.pair);
}

TEST(an_idle_side_with_little_own_code_does_not_pass) {
    struct guard_fixture f;
    make_cpu(&f, busy, few, INT64_C(10010000000)); /* 0.0999 cores, 99 samples of own code */
    assert_true(has(&f, "no_load"));
    assert_true(gate_str_find(f.warnings[0].message, GATE_STR("longer profiles, or give it more of the traffic"), 0) !=
                SIZE_MAX);
    assert_false(has(&f, "idle")); /* one warning is enough */
    fixture_end(&f.pair);
    make_cpu(&f, busy, "main;serve 1\nmain;futex 999\n", INT64_C(10000000000)); /* busy with other code */
    assert_false(has(&f, "no_load"));
    fixture_end(&f.pair);
    make_cpu(&f, busy, few, INT64_C(10000000000)); /* exactly 0.1 cores */
    assert_false(has(&f, "no_load"));
    fixture_end(&f.pair);
}

/* Without durations a side is idle if its share of own code is less than a tenth of the other side's. */
TEST(without_durations_a_side_is_idle_relative_to_the_other) {
    struct guard_fixture f;
    make(&f, busy, idle, "samples");
    assert_false(has(&f, "no_load")); /* 15% against 95% is more than a tenth */
    fixture_end(&f.pair);
    make(&f, busy, "main;serve 9\nmain;futex 500\n", "samples");
    assert_true(has(&f, "no_load"));
    fixture_end(&f.pair);
    make_cpu(&f, busy, "main;serve 9\nmain;futex 500\n", 0);
    assert_true(has(&f, "no_load"));
    fixture_end(&f.pair);
    make(&f, "main;serve 100\n", "main;serve 9\nmain;futex 500\n", "samples"); /* just enough */
    assert_true(has(&f, "no_load"));
    fixture_end(&f.pair);
    make(&f, idle, "main;serve 1\nmain;futex 500\n", "samples"); /* both have little: few_samples covers it */
    assert_false(has(&f, "no_load"));
    fixture_end(&f.pair);
}

/* Allocations: own code of one side allocated almost nothing compared with the other, or with few samples, neither
 * side's own code allocated anything. */
TEST(a_side_that_hardly_allocates_does_not_pass) {
    static const struct {
        const char *baseline, *canary, *type;
        enum gate_equal equal;
        bool is_idle;
    } rows[] = {
        {busy, "main;serve 9\nmain;futex 500\n", "alloc_space", GATE_EQUAL_UNKNOWN, true},
        {"main;serve 9\nmain;futex 500\n", busy, "alloc_objects", GATE_EQUAL_UNKNOWN, true},
        {busy, "main;serve 9\nmain;futex 500\n", "alloc_space", GATE_EQUAL_WORK, false}, /* it did the work */
        {busy, "main;serve 9\nmain;futex 500\n", "inuse_space", GATE_EQUAL_UNKNOWN, false},
        {busy, idle, "alloc_space", GATE_EQUAL_UNKNOWN, false},                                /* 15% against 95% */
        {busy, "main;serve 100\nmain;futex 5000\n", "alloc_space", GATE_EQUAL_UNKNOWN, false}, /* enough samples */
        {"main;futex 12\n", "main;futex 10\n", "alloc_space", GATE_EQUAL_UNKNOWN, true},
        {"main;futex 12\n", "main;futex 10\n", "alloc_space", GATE_EQUAL_WORK, false},
        {"main;futex 12\n", "main;futex 10\n", "alloc_space", GATE_EQUAL_RUN, false},
        {"main;futex 12\n", "main;futex 10\n", "alloc_space", GATE_EQUAL_TIME, true},
        {"main;futex 100\n", "main;futex 10\n", "alloc_space", GATE_EQUAL_UNKNOWN, false}, /* enough */
        {"main;serve 4\nmain;futex 12\n", "main;futex 10\n", "alloc_space", GATE_EQUAL_UNKNOWN, true},
        {"main;serve 4\nmain;futex 12\n", "main;serve 1\nmain;futex 10\n", "alloc_space", GATE_EQUAL_UNKNOWN, false},
        {"main;serve 2\nmain;futex 200\n", "main;futex 200\n", "alloc_space", GATE_EQUAL_UNKNOWN,
         false}, /* by chance */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guard_fixture f;
        make(&f, rows[i].baseline, rows[i].canary, rows[i].type);
        f.pair.pair.has_no_own = false; /* own code is in other values of these profiles */
        for (uint32_t i = 0; i < f.pair.pair.frame_count; i++)
            f.pair.pair.frames[i].is_own = gate_str_equal(f.pair.pair.frames[i].name, GATE_STR("serve"));
        for (int side = 0; side < GATE_SIDES;
             side++) /* one event per sample, which the message does not state for memory */
            f.pair.pair.sides[side].events = (double)f.pair.pair.sides[side].total;
        f.equal = rows[i].equal;
        f.is_judged = true;
        if (has(&f, "no_load") != rows[i].is_idle)
            fail_msg("row %zu", i);
        fixture_end(&f.pair);
    }
}

/* A run of a side has almost no samples for its duration. */
TEST(an_idle_run_beside_a_busy_one_does_not_pass) {
    static const char none[] = "main;serve 40\nmain;futex 9\n", some[] = "main;serve 41\nmain;futex 9\n";
    static const struct {
        const char *run;
        int64_t duration_ns, first_ns;
        bool is_idle;
    } rows[] = {
        {none, 0, 0, true},    {some, 0, 0, false}, /* 5% of 1,000 samples */
        {none, 10, 10, true},  {none, 9, 10, false},
        {some, 10, 10, false}, {none, 1000, 10, true}, /* the minimum does not depend on the duration */
        {none, 0, 10, true},                           /* its duration is not known */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guard_fixture f;
        begin(&f, busy, busy);
        f.rules.min_samples = 100;
        fixture_add(&f.pair, GATE_CANARY, rows[i].run);
        for (int side = 0; side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < f.pair.counts[side]; r++)
                set_type(&f.pair.profiles[side][r], "samples", "count");
        f.pair.profiles[GATE_CANARY][0].duration_ns = rows[i].first_ns;
        f.pair.profiles[GATE_CANARY][1].duration_ns = rows[i].duration_ns;
        fixture_make(&f.pair, NULL);
        if (has(&f, "no_load") != rows[i].is_idle)
            fail_msg("row %zu", i);
        fixture_end(&f.pair);
    }
}
