/* SPDX-License-Identifier: Apache-2.0 */
/* Guards on stacks and frames: what makes each of them warn, what only just does not, and full arenas. */
#include "gate/compare/delta.h"
#include "gate/guards/guards_frames.h"
#include "gate/model/labels.h"
#include "tests/unit/guard_fixture.h"

TEST(cost_without_a_function_name_gets_a_warning) {
    struct guard_fixture f;
    begin(&f, PLAIN "main;serve;gone 160\n", PLAIN "main;serve;gone 10\n");
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_profile *profile = profile_of(&f, (enum gate_side_name)side);
        for (uint32_t i = 0; i < profile->function_count; i++)
            if (gate_str_equal(profile->functions[i].name, GATE_STR("gone")))
                profile->functions[i].name = GATE_STR("");
    }
    expect(&f, "unsymbolised", "13.8% of the baseline and 0.99% of the canary have no function name");
}

/* A stripped canary causes only one warning. Its different functions cause no further ones. */
TEST(a_side_without_names_is_reported_once) {
    for (int all = 0; all <= 1; all++) {
        struct guard_fixture f;
        begin(&f, PLAIN, all ? "main;a 1000\n" : "main;a 400\nmain;other 600\n");
        struct gate_profile *profile = profile_of(&f, GATE_CANARY);
        for (uint32_t i = 0; i < profile->function_count; i++)
            if (gate_str_equal(profile->functions[i].name, GATE_STR("a")))
                profile->functions[i].name = GATE_STR("");
        fixture_make(&f.pair, NULL);
        check_guards(&f);
        assert_int_equal(f.count, all ? 1 : 2); /* 40% without a name do not explain a different shape */
        assert_int_equal(f.warnings[0].guard, GATE_GUARD_UNSYMBOLISED);
        const struct gate_comparison comparison = {.pair = f.pair.pair, .deltas = f.pair.deltas};
        assert_int_equal(gate_guards_names_are_missing(&comparison, &f.rules), all);
        struct gate_guard_rule warns = {.guard = GATE_GUARD_UNSYMBOLISED, .severity = GATE_SEVERITY_WARN};
        f.rules.guards = &warns;
        f.rules.guard_count = 1;
        assert_false(gate_guards_names_are_missing(&comparison, &f.rules)); /* the other guards decide then */
        fixture_end(&f.pair);
    }
}

/* Reports give the share of all nameless code beside the totals. */
TEST(the_nameless_share_is_given_with_and_without_system_libraries) {
    struct guard_fixture f;
    begin(&f, PLAIN "main;libc 200\nmain;gone 160\n", PLAIN "main;libc 200\nmain;gone 160\n");
    fixture_make(&f.pair, NULL);
    for (uint32_t i = 0; i < f.pair.pair.frame_count; i++) {
        struct gate_frame *frame = &f.pair.pair.frames[i];
        bool is_libc = gate_str_equal(frame->name, GATE_STR("libc"));
        frame->is_symbolised = !is_libc && !gate_str_equal(frame->name, GATE_STR("gone"));
        frame->mapping = is_libc ? GATE_STR("/usr/lib/x86_64-linux-gnu/libc.so.6") : GATE_STR("/app/shop");
    }
    expect(&f, "unsymbolised",
           "26.5% of the baseline and 26.5% of the canary have no function name (without the kernel and the system's "
           "libraries: 11.8% and 11.8%), so");
}

/* Make the frame "gone" one without a name, in a mapping. */
static void begin_nameless(struct guard_fixture *f, const char *mapping, bool has_no_own) {
    begin(f, PLAIN "main;serve;gone 160\n", PLAIN "main;serve;gone 160\n");
    fixture_make(&f->pair, NULL);
    f->pair.pair.has_no_own = has_no_own;
    for (uint32_t i = 0; i < f->pair.pair.frame_count; i++)
        if (gate_str_equal(f->pair.pair.frames[i].name, GATE_STR("gone"))) {
            f->pair.pair.frames[i].mapping = gate_str_from(mapping);
            f->pair.pair.frames[i].is_symbolised = false;
        }
}

TEST(little_own_code_gets_a_warning) {
    static const struct {
        int64_t charged[GATE_SIDES]; /* of 1000, to the only own function */
        const char *code;
    } rows[] = {{{49, 49}, "own_code"}, {{50, 10}, NULL}, {{10, 50}, NULL}};
    static struct gate_budget charged = {.measure = GATE_MEASURE_CHARGED, .severity = GATE_SEVERITY_ERROR};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guard_fixture f;
        begin(&f, PLAIN, PLAIN);
        fixture_make(&f.pair, NULL);
        f.rules.budgets = &charged;
        f.rules.budget_count = 1;
        f.pair.pair.has_no_own = false;
        for (uint32_t frame = 0; frame < f.pair.pair.frame_count; frame++) {
            f.pair.pair.frames[frame].is_own = gate_str_equal(f.pair.pair.frames[frame].name, GATE_STR("parse"));
            for (int side = 0; side < GATE_SIDES && f.pair.pair.frames[frame].is_own; side++)
                f.pair.deltas.items[frame].value[GATE_CHARGED][side] = rows[i].charged[side];
        }
        expect(&f, rows[i].code,
               "only 4.9% of the baseline and 4.9% of the canary is charged to code that is recognised as");
    }
}

TEST(nameless_system_libraries_hide_no_cost_beside_own_code) {
    static const struct {
        const char *mapping;
        bool has_no_own, hides;
    } rows[] = {
        {"/usr/lib/x86_64-linux-gnu/libc.so.6", false, false},
        {"[kernel.kallsyms]", false, false},
        {"/usr/lib/x86_64-linux-gnu/libc.so.6", true, true}, /* its cost is not charged to own code */
        {"/app/lib/libprice.so", false, true},
        {"/app/shop", false, true},
        {"/usr/lib/postgresql/15/bin/postgres", false, true},
        {"", false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guard_fixture f;
        begin_nameless(&f, rows[i].mapping, rows[i].has_no_own);
        double share[GATE_SIDES];
        gate_delta_hidden(share, &f.pair.pair, &f.pair.deltas);
        if ((share[GATE_CANARY] > 0.1) != rows[i].hides)
            fail_msg("'%s': %.3f of the canary is hidden", rows[i].mapping, share[GATE_CANARY]);
        fixture_end(&f.pair);
    }
    struct guard_fixture f;
    begin_nameless(&f, "/usr/lib/x86_64-linux-gnu/libc.so.6", false);
    f.pair.pair.has_no_own = false;
    check_guards(&f);
    for (uint32_t i = 0; i < f.count; i++)
        assert_int_not_equal(f.warnings[i].guard, GATE_GUARD_UNSYMBOLISED);
    fixture_end(&f.pair);
    begin_nameless(&f, "/app/shop", false);
    check_guards(&f);
    assert_true(f.count > 0 && f.warnings[0].guard == GATE_GUARD_UNSYMBOLISED);
    fixture_end(&f.pair);
}

TEST(addresses_are_not_names) {
    struct guard_fixture f;
    begin(&f, PLAIN "main;0x7f12a4b0c8d0 160\n", PLAIN);
    expect(&f, "unsymbolised", "13.8% of the baseline and 0% of the canary");
    begin(&f, PLAIN "main;00007f12a4b0 160\n",
          PLAIN "main;sub_4A2F10 160\n"); /* also if both sides lack names equally */
    expect(&f, "unsymbolised", "13.8% of the baseline and 13.8% of the canary");
    begin(&f, PLAIN "main;0x7f12a4b0c8d0 100\n", PLAIN); /* 9.1 % */
    expect(&f, NULL, NULL);
    begin(&f, PLAIN "main;added 160\nmain;dead 160\nmain;facade_1 160\n", PLAIN); /* words, though made of hex digits */
    expect(&f, NULL, NULL);
}

static char *deep_stacks(unsigned depth, unsigned stacks, bool is_whole) {
    struct gate_buf text = {0};
    gate_buf_text(&text, PLAIN);
    for (unsigned s = 0; s < stacks; s++) {
        for (unsigned i = 0; i < depth; i++)
            if (i == 0 && is_whole)
                gate_buf_text(&text, "main");
            else
                gate_buf_printf(&text, "%sf%u_%u", i == 0 ? "" : ";", s, i);
        gate_buf_text(&text, " 10\n");
    }
    gate_buf_char(&text, '\0');
    return text.ptr;
}

TEST(stacks_cut_at_a_usual_depth_limit_get_a_warning) {
    static const struct {
        unsigned depth, stacks;
        bool speaks, is_whole;
    } rows[] = {{32, 2, true, false},  {64, 3, true, false},  {128, 2, true, false},
                {127, 2, true, false}, {33, 3, false, false}, {63, 3, false, false},
                {32, 1, false, false}, {64, 3, false, true}}; /* deep, but the root is main as in all others */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guard_fixture f;
        char part[64];
        char *canary = deep_stacks(rows[i].depth, rows[i].stacks, rows[i].is_whole);
        begin(&f, PLAIN, canary);
        (void)snprintf(part, sizeof part, "stacks of the canary seem cut at %u frames", rows[i].depth);
        expect(&f, rows[i].speaks ? "truncated_stacks" : NULL, part);
        free(canary);
    }
}

TEST(sides_that_share_little_self_cost_get_a_warning) {
    struct guard_fixture f;
    begin(&f, PLAIN, "main;serve;parse 300\nmain;other;a 400\nmain;other;b 300\n");
    expect(&f, "shape_changed",
           "share only 30.0% of their self cost: different traffic, a different program, or a large change");
    begin(&f, PLAIN, "main;serve;parse 300\nmain;serve;encode 200\nmain;other;b 500\n"); /* 50% is shared */
    expect(&f, NULL, NULL);
    begin(&f, "main;a 3\nmain;b 1\n", "main;c 2\nmain;b 1\nmain;d 2\n"); /* 7 samples are too few */
    expect(&f, NULL, NULL);
}

TEST(much_startup_work_gets_a_cold_start_warning) {
#define COMPILES(samples) PLAIN "start;CompileBroker::compiler_thread_loop;opt " #samples "\n"
    static const char canary[] = "the canary was not warmed up: 33.3%",
                      baseline[] = "the baseline was not warmed up: 33.3%";
    static const struct {
        const char *text[GATE_SIDES], *part; /* of the warning, or NULL */
    } rows[] = {
        {{PLAIN, PLAIN "main;runtime.doInit;lib.init;build 500\n"}, canary},
        {{COMPILES(500), PLAIN}, "the JVM was not warmed up: its compilers took 33.3% of the baseline"},
        {{PLAIN, COMPILES(500)}, "its compilers took 0% of the baseline and 33.3% of the canary"},
        {{COMPILES(600), COMPILES(500)}, "its compilers took 37.5% of the baseline and 33.3% of the canary"},
        {{COMPILES(400), PLAIN}, NULL},                              /* 28.6% */
        {{PLAIN, PLAIN "main;my.runtime.doInit;build 500\n"}, NULL}, /* the word is at the start of no name */
        {{PLAIN, PLAIN "main;lib.init;build 500\n"}, canary},
        {{PLAIN, PLAIN "main;lib.initial;build 500\n"}, NULL},                          /* at the end of no name */
        {{PLAIN "start;java.lang.ClassLoader.loadClass0;find 500\n", PLAIN}, baseline}, /* anywhere */
        {{PLAIN "start;ClassLoader.loadClass;find 500\n", PLAIN}, baseline},
        /* equally cold on both sides */
        {{PLAIN "main;runtime.gcBgMarkWorker;scan 500\n", PLAIN "main;runtime.gcBgMarkWorker;scan 500\n"}, NULL},
        {{PLAIN, PLAIN "main;runtime.doInit;build 400\n"}, NULL}, /* 28.6% */
    };
#undef COMPILES
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guard_fixture f;
        begin(&f, rows[i].text[GATE_BASELINE], rows[i].text[GATE_CANARY]);
        expect(&f, rows[i].part != NULL ? "cold_start" : NULL, rows[i].part);
    }
}

TEST(calls_that_pyinstrument_left_out_are_noted) {
    struct gate_str comment = GATE_STR(GATE_COMMENT_PRUNED);
    struct guard_fixture f;
    begin(&f, PLAIN, PLAIN);
    fixture_make(&f.pair, NULL);
    f.pair.profiles[GATE_CANARY][0].comments = &comment;
    f.pair.profiles[GATE_CANARY][0].comment_count = 1;
    expect(&f, "truncated_stacks", "calls of less than 1% of the time are left out of the canary");
}

TEST(samples_without_debug_non_safepoints_are_noted) {
    struct guard_fixture f;
    begin(&f, PLAIN, PLAIN);
    fixture_make(&f.pair, NULL);
    f.pair.pair.lacks_debug_flag = true;
    expect(&f, "misplaced_samples", "a side was recorded without -XX:+DebugNonSafepoints");
}

TEST(a_jvm_that_interprets_much_is_not_warmed_up) {
    static const struct {
        double interpreted[GATE_SIDES];
        const char *part; /* NULL: no warning */
    } rows[] = {{{0.28, 0.42}, "it interpreted 28.0% of the baseline and 42.0% of the canary"},
                {{0.60, 0.61}, "it interpreted 60.0% of the baseline"}, /* cold on both sides is cold */
                {{0.42, 0.02}, "it interpreted 42.0% of the baseline and 2.0% of the canary"},
                {{0.30, 0.05}, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct guard_fixture f;
        begin(&f, PLAIN, PLAIN);
        fixture_make(&f.pair, NULL);
        memcpy(f.pair.pair.interpreted, rows[i].interpreted, sizeof rows[i].interpreted);
        expect(&f, rows[i].part != NULL ? "cold_start" : NULL, rows[i].part);
    }
}

/* Python threads with `leaf` as leaf in this many samples of each side, beside 1000 others. */
static void begin_python(struct guard_fixture *f, const char *leaf, unsigned baseline, unsigned canary) {
    char text[2][512];
    for (int side = 0; side < GATE_SIDES; side++)
        (void)snprintf(text[side], sizeof text[side],
                       "main (shop.py:1);serve (shop.py:2);parse (shop.py:3) 600\n"
                       "main (shop.py:1);serve (shop.py:2);encode (shop.py:4) 400\n"
                       "main (shop.py:1);run (/usr/lib/python3.11/asyncio/runners.py:44);%s %u\n",
                       leaf, side == GATE_CANARY ? canary : baseline);
    begin(f, text[0], text[1]);
}

TEST(a_large_share_of_waiting_threads_gets_a_warning) {
    struct guard_fixture f;
    begin_python(&f, "EpollSelector.select (/usr/lib/python3.11/selectors.py:468)", 1, 1001);
    expect(&f, "mostly_waiting",
           "0.10% of the baseline and 50.0% of the canary are threads that wait (select, accept, "
           "threading.wait), so that the shares of what runs hardly show growth (over 50%)");
    begin_python(&f, "EpollSelector.select (/usr/lib/python3.11/selectors.py:468)", 999, 1);
    expect(&f, "waiting", "50.0% of the baseline");
    begin_python(&f, "EpollSelector.select (/usr/lib/python3.11/selectors.py:468)", 1, 150);
    expect(&f, "waiting", "0.10% of the baseline and 13.0% of the canary are threads that wait");
    begin_python(&f, "EpollSelector.select (/usr/lib/python3.11/selectors.py:468)", 150, 1);
    expect(&f, "waiting", "13.0% of the baseline and 0.10% of the canary are threads that wait");
    begin_python(&f, "EpollSelector.select (/usr/lib/python3.11/selectors.py:468)", 1, 100); /* 9.1% */
    expect(&f, NULL, NULL);
    begin_python(&f, "EpollSelector.register (/usr/lib/python3.11/selectors.py:68)", 1, 150);
    expect(&f, NULL, NULL);
    begin_python(&f, "EpollSelector.select (/usr/lib/python3.11/selectors.py:468)", 1, 150);
    for (int side = 0; side < GATE_SIDES; side++) /* from a sampler that leaves out waiting threads */
        profile_of(&f, (enum gate_side_name)side)->format = GATE_FORMAT_PPROF;
    expect(&f, NULL, NULL);
}

TEST(profiler_cost_above_two_percent_gets_a_warning) {
    struct guard_fixture f;
    begin(&f, PLAIN, PLAIN "main;runtime/pprof.profileWriter;compress 30\n");
    expect(&f, "profiler_overhead", "takes 0% of the baseline and 2.9% of the canary (over 2%)");
    begin(&f, PLAIN "main;runtime/pprof.profileWriter;compress 30\n", PLAIN);
    expect(&f, "profiler_overhead", "takes 2.9% of the baseline and 0% of the canary (over 2%)");
    begin(&f, PLAIN, PLAIN "main;runtime/pprof.profileWriter;compress 20\n"); /* 1.96 % */
    expect(&f, NULL, NULL);
    begin(&f, PLAIN, "main;runtime/pprof.Do;serve;parse 300\nmain;serve;encode 300\nmain;sort 200\nmain;hash 200\n");
    expect(&f, NULL, NULL); /* code that runs under profiler labels is not overhead */
    begin(&f, PLAIN, PLAIN "main;runtime/pprof.profileWriter;compress 30\n");
    expect(&f, "profiler_overhead", ": lower its rate");
    begin(&f, PLAIN, PLAIN "main;runtime/pprof.profileWriter;compress 30\n"); /* writing a profile allocates */
    fixture_make(&f.pair, NULL);
    for (int side = 0; side < GATE_SIDES; side++)
        f.pair.pair.sides[side].runs[0].counts.kind = GATE_COUNTS_HEAP;
    expect(&f, "profiler_overhead", ": take fewer and longer profiles");
    begin(&f, PLAIN, PLAIN "main;runtime/pprof.profileWriter;compress 500\n");
    for (int side = 0; side < GATE_SIDES; side++) /* a goroutine that waits costs nothing */
        set_type(profile_of(&f, (enum gate_side_name)side), "goroutine", "count");
    expect(&f, NULL, NULL);
}

TEST(every_memory_limit_that_is_too_small_is_a_clean_error) {
    struct guard_fixture f;
    bool done = false;
    begin(&f, PLAIN, PLAIN "main;runtime/pprof.profileWriter;compress 500\nmain;0x12345678 500\n");
    fixture_make(&f.pair, NULL);
    const struct gate_comparison made = {.pair = f.pair.pair, .deltas = f.pair.deltas};
    for (size_t limit = 1; limit < (1u << 20) && !done; limit += 1 + limit / 8) {
        gate_arena_free(&arena);
        gate_arena_init(&arena, limit);
        f.pair.err.code = GATE_OK;
        done = gate_guards_check(&f.warnings, &f.count, GATE_GUARDS_AS_MADE, &made, &f.rules, &arena, &f.pair.err);
        assert_true(done || f.pair.err.code == GATE_ERR_LIMIT || f.pair.err.code == GATE_ERR_MEMORY);
        if (done)
            assert_int_equal(f.count, 2); /* unsymbolised, profiler_overhead */
    }
    assert_true(done);
    fixture_end(&f.pair);
}

/* Functions that were joined, as gate_pair_make leaves them. */
TEST(a_large_share_of_minified_functions_gets_a_warning) {
    static const char *const joined[] = {PLAIN "(minified) dist/shop.js 150\n", PLAIN "(minified) dist/shop.js 100\n"};
    for (int i = 0; i < 2; i++) {
        struct guard_fixture f;
        begin(&f, PLAIN "(minified) dist/shop.js 10\n", joined[i]);
        fixture_make(&f.pair, NULL);
        f.pair.pair.minified = GATE_STR("dist/shop.js");
        expect(&f, i == 0 ? "minified" : NULL,
               "0.99% of the baseline and 13.0% of the canary are minified functions of two builds (dist/shop.js)");
    }
}

/* Lines of Rust without addresses and files of mappings, on both sides, are those of the crate pprof. */
TEST(both_sides_have_to_be_of_the_crate_pprof) {
    for (int other = 0; other <= GATE_SIDES; other++) {
        struct guard_fixture f;
        begin(&f, PLAIN, PLAIN);
        fixture_make(&f.pair, NULL);
        f.pair.pair.language = GATE_LANGUAGE_RUST;
        f.pair.pair.frames[f.pair.pair.frame_count - 1].file = GATE_STR("src/cart.rs");
        for (int side = 0; side < GATE_SIDES; side++)
            profile_of(&f, (enum gate_side_name)side)->format = side == other ? GATE_FORMAT_OTLP : GATE_FORMAT_PPROF;
        assert_int_equal(gate_guards_names_are_random(&f.pair.pair), other == GATE_SIDES);
        fixture_end(&f.pair);
    }
}
