/* SPDX-License-Identifier: Apache-2.0 */
/* Guards on the metadata and the origin of profiles: what makes each of them warn, and what only just does not. */
#include "gate/rules/guard_rules.h"
#include "tests/unit/guard_fixture.h"

TEST(comparable_profiles_get_no_warning) {
    struct guard_fixture f;
    begin(&f, PLAIN, PLAIN);
    expect(&f, NULL, NULL);
}

TEST(a_canary_profiled_long_before_the_baseline_looks_swapped) {
    struct guard_fixture f;
    begin(&f, PLAIN, PLAIN);
    profile_of(&f, GATE_BASELINE)->time_ns = INT64_C(1000000000000);
    profile_of(&f, GATE_CANARY)->time_ns = INT64_C(399999999999);
    expect(&f, "swapped", "the canary was taken 10 minutes before the baseline");
    begin(&f, PLAIN, PLAIN); /* exactly 10 minutes is allowed */
    profile_of(&f, GATE_BASELINE)->time_ns = INT64_C(1000000000000);
    profile_of(&f, GATE_CANARY)->time_ns = INT64_C(400000000000);
    expect(&f, NULL, NULL);
    begin(&f, PLAIN, PLAIN);
    profile_of(&f, GATE_BASELINE)->time_ns = INT64_C(940000000000);
    profile_of(&f, GATE_CANARY)->time_ns = INT64_C(940000000000);
    expect(&f, NULL, NULL);
    begin(&f, PLAIN, PLAIN); /* the canary's time is unknown */
    profile_of(&f, GATE_BASELINE)->time_ns = INT64_C(940000000000);
    expect(&f, NULL, NULL);
    begin(&f, PLAIN, PLAIN); /* alternating runs: the sides overlap in time */
    fixture_add(&f.pair, GATE_BASELINE, PLAIN);
    f.pair.profiles[GATE_BASELINE][0].time_ns = INT64_C(1000000000000);
    f.pair.profiles[GATE_CANARY][0].time_ns = INT64_C(2000000000000);
    f.pair.profiles[GATE_BASELINE][1].time_ns = INT64_C(3000000000000);
    expect(&f, NULL, NULL);
}

/* Build times and versions take precedence over the times of profiling. */
TEST(build_times_and_versions_override_profiling_times) {
    static const struct {
        const char *baseline, *canary;
        bool canary_first; /* profiled an hour before the baseline */
        const char *part;  /* part of the message; NULL: no warning */
    } rows[] = {
        {"build_time=2026-11-20T12:00:00Z", "build_time=2026-11-20T09:00:00Z", false,
         "the canary was built 3 hours before the baseline"},
        {"build_time=2026-11-20T09:00:00Z", "build_time=2026-11-20T12:00:00Z", true, NULL},
        {"version=1.10.0", "version=1.9.3", false, "the canary is version 1.9.3, the baseline 1.10.0"},
        {"version=1.9.3", "version=1.10.0", true, NULL},
        {"version=1.9.3", "version=1.9.3", true, "was taken 60 minutes before"},
        {"version=1.9.3", "version=1.9.3", false, NULL},
        {"version=1.10.0", "no version", false, NULL},
        {"version=9fceb02", "version=1234567", false, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guard_fixture f;
        struct gate_str comments[GATE_SIDES] = {gate_str_from(rows[i].baseline), gate_str_from(rows[i].canary)};
        begin(&f, PLAIN, PLAIN);
        for (int side = 0; side < GATE_SIDES; side++) {
            struct gate_profile *profile = profile_of(&f, (enum gate_side_name)side);
            profile->comments = &comments[side];
            profile->comment_count = 1;
            profile->time_ns =
                rows[i].canary_first == (side == GATE_CANARY) ? INT64_C(1000000000000) : INT64_C(4600000000000);
        }
        expect(&f, rows[i].part == NULL ? NULL : "swapped", rows[i].part);
    }
}

/* Only one of the baseline's two builds is newer than the canary's, so the sides are not clearly swapped. */
TEST(a_baseline_of_older_and_newer_builds_is_not_swapped) {
    struct guard_fixture f;
    struct gate_str comments[] = {GATE_STR("version=1.10.0"), GATE_STR("version=1.8.0"), GATE_STR("version=1.9.0")};
    begin(&f, PLAIN, PLAIN);
    fixture_add(&f.pair, GATE_BASELINE, PLAIN);
    f.pair.profiles[GATE_BASELINE][0].comments = &comments[0];
    f.pair.profiles[GATE_BASELINE][1].comments = &comments[1];
    f.pair.profiles[GATE_CANARY][0].comments = &comments[2];
    f.pair.profiles[GATE_BASELINE][0].comment_count = f.pair.profiles[GATE_BASELINE][1].comment_count = 1;
    f.pair.profiles[GATE_CANARY][0].comment_count = 1;
    expect(&f, NULL, NULL);
}

TEST(sides_with_different_sample_types_get_a_warning) {
    static struct gate_value_type two[2];
    struct guard_fixture f;
    begin(&f, PLAIN, PLAIN);
    fixture_make(&f.pair, NULL);
    /* Add the type after the pair is made, because the samples have only one value. */
    struct gate_profile *canary = profile_of(&f, GATE_CANARY);
    two[0] = canary->sample_types[0];
    two[1] = (struct gate_value_type){GATE_STR("extra"), GATE_STR("count")};
    canary->sample_types = two;
    canary->sample_type_count = 2;
    expect(&f, "different_types", ", extra/count; capture both sides with the same profiler");
}

TEST(sampling_periods_that_differ_much_get_a_warning) {
    struct guard_fixture f;
    begin(&f, PLAIN, PLAIN);
    profile_of(&f, GATE_BASELINE)->period = 10000000;
    profile_of(&f, GATE_CANARY)->period = 1000000;
    expect(&f, "different_period", "10000000 / in the baseline, 1000000 / in the canary");
    begin(&f, PLAIN, PLAIN); /* as far apart as allowed */
    profile_of(&f, GATE_BASELINE)->period = 10000000;
    profile_of(&f, GATE_CANARY)->period = 8000000;
    expect(&f, NULL, NULL);
    begin(&f, PLAIN, PLAIN); /* periods of different types */
    profile_of(&f, GATE_BASELINE)->period = profile_of(&f, GATE_CANARY)->period = 10000000;
    profile_of(&f, GATE_CANARY)->period_type = (struct gate_value_type){GATE_STR("wall"), GATE_STR("nanoseconds")};
    expect(&f, "different_period", "10000000 wall/nanoseconds in the canary");
    begin(&f, PLAIN, PLAIN);
    profile_of(&f, GATE_BASELINE)->period = 10000000;
    profile_of(&f, GATE_CANARY)->period = 0; /* unknown period */
    expect(&f, NULL, NULL);
    begin(&f, PLAIN, PLAIN); /* measured periods: those of the first runs are far apart, their means are not */
    fixture_add(&f.pair, GATE_CANARY, PLAIN "main;serve;sort 1\n");
    profile_of(&f, GATE_BASELINE)->period = 10000000;
    f.pair.profiles[GATE_CANARY][0].period = 14000000;
    f.pair.profiles[GATE_CANARY][1].period = 10000000;
    expect(&f, NULL, NULL);
}

TEST(durations_that_differ_more_than_twofold_get_a_warning) {
    struct guard_fixture f;
    begin(&f, PLAIN, PLAIN);
    profile_of(&f, GATE_BASELINE)->duration_ns = INT64_C(10000000000);
    profile_of(&f, GATE_CANARY)->duration_ns = INT64_C(20000000001);
    expect(&f, "different_duration", "20s in the canary (more than 2x); capture both sides for the same time");
    begin(&f, PLAIN, PLAIN); /* a whole execution is as long as it takes */
    f.rules.equal = GATE_EQUAL_RUN;
    profile_of(&f, GATE_BASELINE)->duration_ns = INT64_C(10000000000);
    profile_of(&f, GATE_CANARY)->duration_ns = INT64_C(20000000001);
    expect(&f, "different_duration", "with --equal run each is one whole execution: check that none was cut short");
    begin(&f, PLAIN, PLAIN); /* what costs more takes longer */
    f.equal = GATE_EQUAL_WORK;
    profile_of(&f, GATE_BASELINE)->duration_ns = INT64_C(10000000000);
    profile_of(&f, GATE_CANARY)->duration_ns = INT64_C(20000000001);
    expect(&f, "different_duration", "costs are per unit of the work that was given: check that both sides had the");
    begin(&f, PLAIN, PLAIN);
    profile_of(&f, GATE_BASELINE)->duration_ns = INT64_C(20000000000);
    profile_of(&f, GATE_CANARY)->duration_ns = INT64_C(10000000000);
    expect(&f, NULL, NULL);  /* exactly twice */
    begin(&f, PLAIN, PLAIN); /* two runs against one run of the same length */
    fixture_add(&f.pair, GATE_BASELINE, PLAIN);
    f.pair.profiles[GATE_BASELINE][0].duration_ns = f.pair.profiles[GATE_BASELINE][1].duration_ns = 1000;
    profile_of(&f, GATE_CANARY)->duration_ns = 1000;
    expect(&f, NULL, NULL);
}

TEST(a_side_below_a_tenth_of_a_core_is_idle) {
    struct guard_fixture f;
    for (int busy = 0; busy <= 1; busy++) {
        begin(&f, PLAIN, PLAIN);
        for (int side = 0; side < GATE_SIDES; side++) {
            set_type(profile_of(&f, (enum gate_side_name)side), "cpu", "milliseconds");
            /* 1000 ms of CPU in 10 s is exactly a tenth of a core */
            profile_of(&f, (enum gate_side_name)side)->duration_ns = INT64_C(10000000000);
        }
        profile_of(&f, GATE_CANARY)->duration_ns += busy ? 0 : 1000000000;
        expect(&f, busy ? NULL : "idle", "the canary was almost idle: it used 9.1% of one core");
    }
    begin(&f, PLAIN, PLAIN); /* not CPU time */
    profile_of(&f, GATE_BASELINE)->duration_ns = profile_of(&f, GATE_CANARY)->duration_ns = INT64_C(100000000000000);
    expect(&f, NULL, NULL);
}

TEST(a_difference_or_a_window_on_one_side_is_a_delta_profile) {
    static const struct {
        int64_t duration_ns[GATE_SIDES];
        const char *code;
    } rows[] = {{{0, 30}, "delta_profile"}, {{30, 30}, NULL}, {{0, 0}, NULL}};
    struct guard_fixture f;
    begin(&f, PLAIN, PLAIN);
    fixture_make(&f.pair, NULL);
    profile_of(&f, GATE_BASELINE)->is_saved_diff = true; /* a pair would refuse it */
    expect(&f, "delta_profile", "a baseline run is the difference of two profiles (it carries pprof's diff label)");
    begin(&f, PLAIN, PLAIN); /* a profile without a duration is not a window */
    set_type(profile_of(&f, GATE_BASELINE), "alloc_space", "bytes");
    set_type(profile_of(&f, GATE_CANARY), "alloc_space", "bytes");
    fixture_make(&f.pair, NULL);
    profile_of(&f, GATE_CANARY)->has_negative_values = true;
    expect(&f, "delta_profile", "a canary run is the difference of two profiles (it has negative values)");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(&f, PLAIN, PLAIN);
        for (int side = 0; side < GATE_SIDES; side++) {
            set_type(profile_of(&f, (enum gate_side_name)side), "alloc_space", "bytes");
            profile_of(&f, (enum gate_side_name)side)->duration_ns = rows[i].duration_ns[side];
        }
        expect(&f, rows[i].code, "the canary covers a window");
    }
}

TEST(different_languages_or_formats_get_a_warning) {
    struct guard_fixture f;
    begin(&f, PLAIN, PLAIN);
    set_file(profile_of(&f, GATE_BASELINE), "parse", "/src/parse.go");
    set_file(profile_of(&f, GATE_CANARY), "parse", "/src/parse.py");
    expect(&f, "different_producer", "of the baseline are Go, those of the canary Python");
    begin(&f, PLAIN, PLAIN); /* one C file among Go does not make it a C program */
    set_file(profile_of(&f, GATE_BASELINE), "parse", "/src/parse.go");
    set_file(profile_of(&f, GATE_CANARY), "parse", "/src/parse.go");
    set_file(profile_of(&f, GATE_CANARY), "sort", "/src/sort.go");
    set_file(profile_of(&f, GATE_CANARY), "hash", "/src/hash.c");
    expect(&f, NULL, NULL);
    begin(&f, PLAIN, PLAIN);
    profile_of(&f, GATE_BASELINE)->format = GATE_FORMAT_PPROF;
    expect(&f, "different_producer", "the baseline is pprof, the canary collapsed stacks");
}

TEST(the_ending_of_a_file_name_gives_its_language) {
    static const char *const rows[][2] = {
        {".go", "Go"},         {".rs", "Rust"},       {".java", "the JVM"},   {".kt", "the JVM"},
        {".scala", "the JVM"}, {".js", "JavaScript"}, {".mjs", "JavaScript"}, {".cjs", "JavaScript"},
        {".ts", "JavaScript"}, {".rb", "Ruby"},       {".c", "C or C++"},     {".cc", "C or C++"},
        {".cpp", "C or C++"},  {".cxx", "C or C++"},  {".h", "C or C++"},     {".hpp", "C or C++"},
        {".cs", ".NET"},       {".php", "PHP"},       {".jl", "Julia"},       {".swift", "Swift"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guard_fixture f;
        char file[32], said[64];
        (void)snprintf(file, sizeof file, "/src/parse%s", rows[i][0]);
        (void)snprintf(said, sizeof said, "of the baseline are Python, those of the canary %s;", rows[i][1]);
        begin(&f, PLAIN, PLAIN);
        set_file(profile_of(&f, GATE_BASELINE), "parse", "/src/parse.py");
        set_file(profile_of(&f, GATE_CANARY), "parse", file);
        expect(&f, "different_producer", said);
    }
}

TEST(different_architectures_in_file_names_get_a_warning) {
    static struct gate_mapping amd64 = {.file = {"/lib/x86_64-linux-gnu/libc.so.6", 31}};
    static struct gate_mapping arm64 = {.file = {"/lib/aarch64-linux-gnu/libc.so.6", 32}};
    struct guard_fixture f;
    begin(&f, PLAIN, PLAIN);
    set_file(profile_of(&f, GATE_BASELINE), "hash", "/go/src/hash/crc32/crc32_amd64.s");
    set_file(profile_of(&f, GATE_CANARY), "hash", "/go/src/hash/crc32/crc32_arm64.s");
    expect(&f, "different_architecture", "amd64 in the baseline, arm64 in the canary");
    begin(&f, PLAIN, PLAIN);
    profile_of(&f, GATE_BASELINE)->functions[0].file = GATE_STR("/go/src/hash/crc32/crc32_amd64.go");
    set_file(profile_of(&f, GATE_CANARY), "hash", "/go/src/hash/crc32/crc32_s390x.go");
    expect(&f, "different_architecture", "amd64 in the baseline, s390x in the canary");
    begin(&f, PLAIN, PLAIN);
    profile_of(&f, GATE_BASELINE)->mappings = &arm64;
    profile_of(&f, GATE_CANARY)->mappings = &amd64;
    profile_of(&f, GATE_BASELINE)->mapping_count = profile_of(&f, GATE_CANARY)->mapping_count = 1;
    expect(&f, "different_architecture", "arm64 in the baseline, amd64 in the canary");
    begin(&f, PLAIN, PLAIN); /* unknown on one side */
    profile_of(&f, GATE_BASELINE)->mappings = &arm64;
    profile_of(&f, GATE_BASELINE)->mapping_count = 1;
    expect(&f, NULL, NULL);
}

TEST(a_debug_folder_or_a_sanitizer_makes_a_debug_build) {
    static struct gate_mapping debug = {.file = {"/home/me/app/target/debug/app", 29}};
    struct guard_fixture f;
    begin(&f, PLAIN, PLAIN);
    profile_of(&f, GATE_CANARY)->mappings = &debug;
    profile_of(&f, GATE_CANARY)->mapping_count = 1;
    expect(&f, "debug_build", "the canary looks like a debug build: its binary is in a debug folder");
    begin(&f, PLAIN "main;serve;__asan_memcpy 20\n", PLAIN);
    expect(&f, "debug_build", "the baseline looks like a debug build: it runs with a sanitizer");
    begin(&f, PLAIN "main;serve;__asan_memcpy 5\n", PLAIN); /* less than 1% */
    expect(&f, NULL, NULL);
}

/* Stacks "main;f0", "main;f1", … in Go files: many locations, none of them inlined. */
TEST(a_go_program_without_inlined_functions_is_a_debug_build) {
    static const struct {
        unsigned functions;
        const char *clock, *guard;
    } rows[] = {
        {198, "cpu", NULL},
        {199, "cpu", "debug_build"}, /* with "main" these are 200 locations, enough for the guard */
        {199, "wallclock", NULL},    /* fgprof does not show inlining */
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        AT_END(gate_buf_free) struct gate_buf text = {0};
        struct guard_fixture f;
        for (unsigned i = 0; i < rows[row].functions; i++)
            gate_buf_printf(&text, "main;f%u 10\n", i);
        gate_buf_char(&text, '\0');
        begin(&f, text.ptr, text.ptr);
        for (int side = 0; side < GATE_SIDES; side++) {
            struct gate_profile *profile = profile_of(&f, (enum gate_side_name)side);
            profile->format = GATE_FORMAT_PPROF;
            profile->period_type.type = gate_str_from(rows[row].clock);
            set_file(profile, "main", "main.go");
        }
        expect(&f, rows[row].guard, "no function is inlined");
    }
}

/* In the rules, `off` disables a guard and a limit moves its threshold. The caller acts on the severity. */
TEST(rules_disable_a_guard_or_move_its_limit) {
    struct guard_fixture f;
    struct gate_guard_rule rule = {.guard = GATE_GUARD_PROFILER_OVERHEAD, .severity = GATE_SEVERITY_OFF};
    begin(&f, PLAIN, PLAIN "main;net/http/pprof.Profile;compress 500\n");
    f.rules.guards = &rule;
    f.rules.guard_count = 1;
    expect(&f, NULL, NULL);
    rule = (struct gate_guard_rule){GATE_GUARD_PROFILER_OVERHEAD, GATE_SEVERITY_ERROR, true, 0.4};
    begin(&f, PLAIN, PLAIN "main;net/http/pprof.Profile;compress 500\n");
    f.rules.guards = &rule;
    f.rules.guard_count = 1;
    assert_int_equal(gate_guard_severity(&f.rules, GATE_GUARD_PROFILER_OVERHEAD), GATE_SEVERITY_ERROR);
    assert_int_equal(gate_guard_severity(&f.rules, GATE_GUARD_SWAPPED), GATE_SEVERITY_WARN);
    expect(&f, NULL, NULL);
    rule.limit = 0.3;
    begin(&f, PLAIN, PLAIN "main;net/http/pprof.Profile;compress 500\n");
    f.rules.guards = &rule;
    f.rules.guard_count = 1;
    expect(&f, "profiler_overhead", "(over 30%)");
}

/* One sample stands for total value / events. The guard warns if that differs by more than half between the sides. */
TEST(sampling_rates_that_differ_by_half_get_a_warning) {
    for (int speaks = 0; speaks <= 1; speaks++) {
        struct guard_fixture f;
        begin(&f, PLAIN, PLAIN);
        set_type(profile_of(&f, GATE_BASELINE), "wall", "nanoseconds");
        set_type(profile_of(&f, GATE_CANARY), "wall", "nanoseconds");
        fixture_make(&f.pair, NULL);
        for (int side = 0; side < GATE_SIDES; side++)
            f.pair.pair.sides[side].runs[0].counts.kind = GATE_COUNTS_COLUMN;
        f.pair.pair.sides[GATE_BASELINE].events = 1000;
        f.pair.pair.sides[GATE_CANARY].events = speaks ? 660 : 670; /* a sample stands for 1.52 or 1.49 times as much */
        expect(&f, speaks ? "different_rate" : NULL, "represents 1ns in the baseline and 2ns in the canary");
    }
}

/* Without the guard that asks for memory in any case, and last. */
TEST(every_arena_limit_is_a_clean_error) {
    struct gate_guard_rule rule = {.guard = GATE_GUARD_ONE_PAIR, .severity = GATE_SEVERITY_OFF};
    struct guard_fixture f;
    bool ok = false;
    begin(&f, PLAIN, PLAIN);
    fixture_make(&f.pair, NULL);
    f.rules.guards = &rule;
    f.rules.guard_count = 1;
    const struct gate_comparison comparison = {.pair = f.pair.pair, .deltas = f.pair.deltas};
    for (size_t limit = 16; !ok; limit += 16) {
        AT_END(gate_arena_free) struct gate_arena little;
        struct gate_error lack = {0};
        gate_arena_init(&little, limit);
        ok = gate_guards_check(&f.warnings, &f.count, GATE_GUARDS_AS_JUDGED, &comparison, &f.rules, &little, &lack);
        assert_int_equal(lack.code, ok ? GATE_OK : GATE_ERR_LIMIT);
    }
    fixture_end(&f.pair);
}

/* Guards that need a judged comparison: their order, and which of them replace all others. */
TEST(warnings_have_a_fixed_order_and_some_replace_all_others) {
    static const struct {
        bool same, uncounted, work;
        double min_samples;
        const char *codes[4];
    } rows[] = {
        {.same = true, .uncounted = true, .work = true, .min_samples = 1e6, .codes = {"same_file"}},
        {.uncounted = true, .work = true, .min_samples = 1e6, .codes = {"uncounted_events"}},
        {.work = true, .min_samples = 1e6, .codes = {"few_samples", "total_cost", "one_pair"}},
        {.min_samples = 1e6, .codes = {"few_samples", "one_pair"}},
        {.min_samples = 1000, .codes = {"one_pair"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guard_fixture f;
        begin(&f, PLAIN, PLAIN);
        fixture_make(&f.pair, NULL);
        struct gate_comparison comparison = {.name = GATE_STR("cpu"), .pair = f.pair.pair, .deltas = f.pair.deltas};
        comparison.same_input = rows[i].same;
        comparison.work_is_known = rows[i].work;
        comparison.work_ratio = 0.5; /* the same cost for half of the work */
        f.rules.min_samples = rows[i].min_samples;
        if (rows[i].uncounted)
            comparison.pair.sides[GATE_CANARY].runs[0].counts.kind = GATE_COUNTS_UNKNOWN;
        assert_true(gate_guards_check(&f.warnings, &f.count, GATE_GUARDS_AS_JUDGED, &comparison, &f.rules,
                                      &f.pair.arena, &f.pair.err));
        uint32_t expected = 0;
        for (; expected < 4 && rows[i].codes[expected] != NULL; expected++)
            if (expected >= f.count ||
                strcmp(gate_guard_name(f.warnings[expected].guard), rows[i].codes[expected]) != 0)
                fail_msg("row %zu: expected %s as warning %u of %u", i, rows[i].codes[expected], expected + 1, f.count);
        assert_int_equal(f.count, expected);
        fixture_end(&f.pair);
    }
}

TEST(too_few_samples_are_counted_on_each_side) {
    struct guard_fixture f;
    begin(&f, "main;serve;parse 90\n", "main;serve;parse 60\n");
    fixture_make(&f.pair, NULL);
    const struct gate_comparison comparison = {.name = GATE_STR("cpu"), .pair = f.pair.pair, .deltas = f.pair.deltas};
    f.rules.min_samples = 100;
    assert_true(gate_guards_check(&f.warnings, &f.count, GATE_GUARDS_AS_JUDGED, &comparison, &f.rules, &f.pair.arena,
                                  &f.pair.err));
    assert_true(f.count > 0 && f.warnings[0].guard == GATE_GUARD_FEW_SAMPLES);
    assert_non_null(strstr(f.warnings[0].message.ptr, "cpu: 90 effective samples in the baseline, 60 in the canary"));
    fixture_end(&f.pair);
}

/* Judge, and fail unless a guard's warning contains `part`, or there is none if `part` is NULL. */
static void assert_said(struct guard_fixture *f, const struct gate_comparison *comparison, enum gate_guard guard,
                        const char *part, size_t row) {
    const char *said = NULL;
    assert_true(gate_guards_check(&f->warnings, &f->count, GATE_GUARDS_AS_JUDGED, comparison, &f->rules, &f->pair.arena,
                                  &f->pair.err));
    for (uint32_t w = 0; w < f->count; w++)
        if (f->warnings[w].guard == guard)
            said = f->warnings[w].message.ptr;
    if (part == NULL ? said != NULL : said == NULL || strstr(said, part) == NULL)
        fail_msg("row %zu: expected '%s', found '%s'", row, part ? part : "nothing", said ? said : "nothing");
}

TEST(flight_recordings_that_sampled_a_small_part_of_the_counted_cpu_time_get_a_warning) {
#define COUNTED(all, collector, sampled)                                                                               \
    "# ns of cpu counted by the system: " all ", of the collector: " collector ", in samples: " sampled
    static const char half[] = COUNTED("2000000000", "0", "1000000000");
    static const struct {
        const char *baseline, *canary; /* comments of the profiles */
        const char *part;              /* of the message; NULL: no warning */
    } rows[] = {
        {half, COUNTED("4000000000", "500000000", "900000000"), NULL},
        {half, COUNTED("4000000000", "0", "900000000"),
         "sampled 50.0% of the CPU time of the baseline, and 22.5% of the canary's"},
        {COUNTED("4000000000", "0", "900000000"), half,
         "sampled 22.5% of the CPU time of the baseline, and 50.0% of the canary's"},
        {half, "another comment", NULL},
    };
#undef COUNTED
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_str comments[GATE_SIDES][2] = {{GATE_STR(GATE_COMMENT_COUNTED), gate_str_from(rows[i].baseline)},
                                                   {GATE_STR(GATE_COMMENT_COUNTED), gate_str_from(rows[i].canary)}};
        struct gate_profile profiles[GATE_SIDES];
        struct guard_fixture f;
        begin(&f, PLAIN, PLAIN);
        fixture_make(&f.pair, NULL);
        for (int side = 0; side < GATE_SIDES; side++) {
            struct gate_run_input *input = &f.pair.pair.sides[side].runs[0].input;
            profiles[side] = *input->profile;
            profiles[side].comments = comments[side];
            profiles[side].comment_count = 2;
            input->profile = &profiles[side];
        }
        const struct gate_comparison comparison = {
            .name = GATE_STR("cpu"), .pair = f.pair.pair, .deltas = f.pair.deltas};
        assert_said(&f, &comparison, GATE_GUARD_UNDERSAMPLED, rows[i].part, i);
        fixture_end(&f.pair);
    }
}

/* A total above 1.2 times the baseline's gets a warning. Above 20 times, or below a twentieth, the warning doubts the
 * numbers given to --work. */
TEST(an_increase_or_implausible_drop_of_the_total_cost_gets_a_warning) {
    static const struct {
        double work_ratio;
        const char *said; /* NULL: nothing */
    } rows[] = {
        {1 / 1.19, NULL},
        {1 / 1.21, "costs 1.21x as much per unit of work as in the baseline: no budget covers the total"},
        {1 / 19.9, "costs 19.9x as much per unit of work as in the baseline: no budget covers the total"},
        {1 / 20.1, "costs 20.1x as much per unit of work as in the baseline: check the numbers given to --work"},
        {19.9, NULL},
        {20.1, "costs 0.05x as much per unit of work as in the baseline: check the numbers given to --work"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guard_fixture f;
        begin(&f, PLAIN, PLAIN);
        fixture_make(&f.pair, NULL);
        const struct gate_comparison comparison = {.name = GATE_STR("cpu"),
                                                   .pair = f.pair.pair,
                                                   .deltas = f.pair.deltas,
                                                   .work_is_known = true,
                                                   .work_ratio = rows[i].work_ratio};
        assert_said(&f, &comparison, GATE_GUARD_TOTAL_COST, rows[i].said, i);
        fixture_end(&f.pair);
    }
}

/* Three of four functions cost the same, and the fourth 12 times as much, so the total is 2.8 times the baseline's.
 * Nothing else shows how much work was done. */
TEST(the_estimated_cost_is_silent_where_something_better_is_known) {
    static const struct {
        bool same, uncounted;
        enum gate_equal equal;
        bool is_raised;
    } rows[] = {
        {.is_raised = true}, {.same = true}, {.uncounted = true}, {.equal = GATE_EQUAL_WORK}, {.equal = GATE_EQUAL_RUN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guard_fixture f;
        begin(&f, PLAIN, "main;serve;parse 300\nmain;serve;encode 300\nmain;serve;sort 200\nmain;serve;hash 2000\n");
        fixture_make(&f.pair, NULL);
        struct gate_comparison comparison = {.name = GATE_STR("cpu"), .pair = f.pair.pair, .deltas = f.pair.deltas};
        comparison.work_ratio = 1.0;
        comparison.same_input = rows[i].same;
        comparison.equal = rows[i].equal;
        if (rows[i].uncounted)
            comparison.pair.sides[GATE_CANARY].runs[0].counts.kind = GATE_COUNTS_UNKNOWN;
        assert_true(gate_guards_check(&f.warnings, &f.count, GATE_GUARDS_AS_JUDGED, &comparison, &f.rules,
                                      &f.pair.arena, &f.pair.err));
        bool is_raised = false;
        for (uint32_t w = 0; w < f.count; w++)
            is_raised = is_raised || f.warnings[w].guard == GATE_GUARD_ESTIMATED_COST;
        if (is_raised != rows[i].is_raised)
            fail_msg("row %zu: raised %d", i, is_raised);
        fixture_end(&f.pair);
    }
}

/* If everything costs much less, the warning asks whether the sides are swapped. */
TEST(a_total_that_shrank_per_second_may_mean_swapped_sides) {
    static const struct {
        enum gate_equal equal;
        int64_t canary_s; /* the baseline takes 10 s */
        const char *canary, *part;
    } rows[] = {
        {GATE_EQUAL_UNKNOWN, 10, PLAIN, NULL},
        {GATE_EQUAL_UNKNOWN, 12, PLAIN, NULL},
        {GATE_EQUAL_UNKNOWN, 40, PLAIN,
         "cpu: are the sides swapped? the canary used only 0.25x of the baseline per second"},
        {GATE_EQUAL_UNKNOWN, 10, "main;serve;parse 400\n", NULL}, /* the guard no_load warns instead */
        {GATE_EQUAL_TIME, 40, PLAIN, NULL},                       /* the guard unequal_load warns instead */
        {GATE_EQUAL_RUN, 40, PLAIN, NULL},                        /* runs of the same cost */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guard_fixture f;
        begin(&f, PLAIN, rows[i].canary);
        fixture_make(&f.pair, NULL);
        struct gate_comparison comparison = {.name = GATE_STR("cpu"), .pair = f.pair.pair, .deltas = f.pair.deltas};
        comparison.equal = rows[i].equal;
        comparison.pair.type = (struct gate_value_type){GATE_STR("cpu"), GATE_STR("nanoseconds")};
        f.rules.min_samples = 500;
        comparison.pair.sides[GATE_BASELINE].duration_ns = INT64_C(10000000000);
        comparison.pair.sides[GATE_CANARY].duration_ns = rows[i].canary_s * 1000000000;
        profile_of(&f, GATE_BASELINE)->duration_ns = comparison.pair.sides[GATE_BASELINE].duration_ns;
        profile_of(&f, GATE_CANARY)->duration_ns = comparison.pair.sides[GATE_CANARY].duration_ns;
        assert_true(gate_guards_check(&f.warnings, &f.count, GATE_GUARDS_AS_JUDGED, &comparison, &f.rules,
                                      &f.pair.arena, &f.pair.err));
        bool found = false;
        for (uint32_t w = 0; w < f.count; w++)
            found = found || (f.warnings[w].guard == GATE_GUARD_TOTAL_SHRANK &&
                              gate_str_find(f.warnings[w].message,
                                            gate_str_from(rows[i].part == NULL ? "" : rows[i].part), 0) != SIZE_MAX);
        if (found != (rows[i].part != NULL))
            fail_msg("row %zu", i);
        fixture_end(&f.pair);
    }
}

/* Over the limit as measured, and significantly more than in the baseline. */
TEST(cost_per_second_grew_if_over_the_limit_and_significant) {
    static const struct {
        double ratio, low;
        bool has_grown;
    } rows[] = {{1.34, 1.17, true}, {1.34, 0.99, false}, {1.19, 1.1, false}, {2.0, 1.5, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gate_total_cost total = {.ratio = rows[i].ratio, .ratio_bounds = {rows[i].low, 3.0}};
        assert_int_equal(gate_guards_time_grew(&total, 1.2), rows[i].has_grown);
    }
}

/* With equal time, a canary whose functions all cost less had less load. One function that got cheaper does not show
 * this. */
TEST(a_drop_of_most_functions_in_equal_time_is_unequal_load) {
    static const struct {
        const char *canary;
        enum gate_equal equal;
        bool makes_load, is_found;
        const char *type; /* NULL: cpu */
        bool is_near;     /* more samples may bring it below the limit */
    } rows[] = {
        {"main;serve;parse 60\nmain;serve;encode 60\nmain;serve;sort 40\nmain;serve;hash 40\n", GATE_EQUAL_TIME, false,
         true, NULL, false},
        {"main;serve;parse 60\nmain;serve;encode 60\nmain;serve;sort 40\nmain;serve;hash 40\n", GATE_EQUAL_TIME, true,
         false, NULL, false},
        {"main;serve;parse 60\nmain;serve;encode 60\nmain;serve;sort 40\nmain;serve;hash 40\n", GATE_EQUAL_RUN, false,
         false, NULL, false},
        {"main;serve;parse 60\nmain;serve;encode 60\nmain;serve;sort 40\nmain;serve;hash 400\n", GATE_EQUAL_TIME, false,
         true, NULL, false},
        {"main;serve;parse 10\nmain;serve;encode 300\nmain;serve;sort 200\nmain;serve;hash 200\n", GATE_EQUAL_TIME,
         false, false, NULL, false},
        {"main;serve;parse 180\nmain;serve;encode 180\nmain;serve;sort 120\nmain;serve;hash 120\n", GATE_EQUAL_TIME,
         false, false, NULL, false},
        {"main;serve;parse 900\nmain;serve;encode 900\nmain;serve;sort 600\nmain;serve;hash 600\n", GATE_EQUAL_TIME,
         false, false, NULL, false},
        {"main;serve;parse 140\nmain;serve;encode 140\nmain;serve;sort 93\nmain;serve;hash 93\n", GATE_EQUAL_TIME,
         false, true, NULL, true},
        /* Too few samples of each function. */
        {"main;serve;parse 8\nmain;serve;encode 8\nmain;serve;sort 5\nmain;serve;hash 5\n", GATE_EQUAL_TIME, false,
         true, NULL, false},
        /* Functions that are gone are not evidence of less load. */
        {"main;serve;parse 300\n", GATE_EQUAL_TIME, false, false, NULL, false},
        /* Fewer allocations do not show a lower load. */
        {"main;serve;parse 8\nmain;serve;encode 8\nmain;serve;sort 5\nmain;serve;hash 5\n", GATE_EQUAL_TIME, false,
         false, "alloc_space", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guard_fixture f;
        begin(&f, PLAIN, rows[i].canary);
        profile_of(&f, GATE_BASELINE)->duration_ns = INT64_C(10000000000);
        profile_of(&f, GATE_CANARY)->duration_ns = INT64_C(10000000000);
        fixture_make(&f.pair, NULL);
        f.pair.pair.type.type = gate_str_from(rows[i].type != NULL ? rows[i].type : "cpu");
        f.rules.makes_load = rows[i].makes_load;
        struct gate_comparison comparison = {.name = GATE_STR("cpu"), .pair = f.pair.pair, .deltas = f.pair.deltas};
        comparison.equal = rows[i].equal;
        assert_true(gate_guards_check(&f.warnings, &f.count, GATE_GUARDS_AS_JUDGED, &comparison, &f.rules,
                                      &f.pair.arena, &f.pair.err));
        bool found = false, is_asked = false;
        for (uint32_t w = 0; w < f.count; w++) {
            bool is_unknown = gate_str_find(f.warnings[w].message, GATE_STR("to tell why"), 0) != SIZE_MAX;
            bool is_load = f.warnings[w].guard == GATE_GUARD_UNEQUAL_LOAD;
            assert_int_equal(f.warnings[w].may_end, is_load && (is_unknown || rows[i].is_near));
            found = found || is_load;
            is_asked = is_asked || f.warnings[w].guard == GATE_GUARD_TOTAL_SHRANK;
        }
        if (found != rows[i].is_found || (found && is_asked))
            fail_msg("row %zu", i);
        fixture_end(&f.pair);
    }
}

/* More runs can end the warnings few_samples and unseen. They cannot give symbols to a build that has none. */
TEST(more_runs_can_end_some_warnings) {
    assert_true(gate_guard_passes(GATE_GUARD_FEW_SAMPLES));
    assert_true(gate_guard_passes(GATE_GUARD_UNSEEN));
    assert_true(gate_guard_passes(GATE_GUARD_NEW_NAMES));
    assert_true(gate_guard_passes(GATE_GUARD_REPLACED_CODE)); /* its share refers to the samples so far */
    assert_false(gate_guard_passes(GATE_GUARD_UNSYMBOLISED));
}
