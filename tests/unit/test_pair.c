/* SPDX-License-Identifier: Apache-2.0 */
/* Both sides on one frame table: names, skid frames charged to their caller, ignored and renamed frames, granularity,
 * errors. */
#include "gate/compare/walk.h"
#include "tests/unit/pair_fixture.h"

static const struct gate_pair_options plain = {0};

TEST(both_sides_share_one_frame_table) {
    AT_END(fixture_end) struct pair_fixture f = {0};
    fixture_add(&f, GATE_BASELINE, "main;a 3\nmain;b 1\n");
    fixture_add(&f, GATE_CANARY, "main;c 2\nmain;a 2\n");
    fixture_make(&f, &plain);
    assert_int_equal(f.pair.frame_count, 4);
    assert_int_equal(f.pair.sides[GATE_BASELINE].total, 4);
    assert_int_equal(f.pair.sides[GATE_CANARY].total, 4);
    assert_int_equal(fixture_value(&f, "a", GATE_SELF, GATE_BASELINE), 3);
    assert_int_equal(fixture_value(&f, "a", GATE_SELF, GATE_CANARY), 2);
    assert_int_equal(fixture_value(&f, "c", GATE_SELF, GATE_BASELINE), 0);
}

TEST(runs_of_a_side_are_summed) {
    AT_END(fixture_end) struct pair_fixture f = {0};
    fixture_add(&f, GATE_BASELINE, "main;a 3\n");
    fixture_add(&f, GATE_BASELINE, "main;a 4\nmain;b 5\n");
    fixture_add(&f, GATE_CANARY, "main;a 2\n");
    fixture_make(&f, &plain);
    assert_int_equal(f.pair.sides[GATE_BASELINE].total, 12);
    assert_int_equal(fixture_value(&f, "a", GATE_SELF, GATE_BASELINE), 7);
    uint32_t a = fixture_frame(&f, "a");
    assert_int_equal(gate_tally_at(&f.deltas, GATE_SELF, 0, a)->value, 3);
    assert_int_equal(gate_tally_at(&f.deltas, GATE_SELF, 1, a)->value, 4);
    assert_int_equal(gate_tally_at(&f.deltas, GATE_SELF, 2, a)->value, 2);
}

TEST(skid_at_a_leaf_belongs_to_its_caller) {
    AT_END(fixture_end) struct pair_fixture f = {0};
    fixture_add(&f, GATE_BASELINE, "main;a;runtime.asyncPreempt 3\nmain;a 1\nruntime.asyncPreempt;b 2\n");
    fixture_add(&f, GATE_CANARY, "main;a 1\n");
    fixture_make(&f, &plain);
    assert_int_equal(fixture_value(&f, "a", GATE_SELF, GATE_BASELINE), 4);
    assert_int_equal(fixture_value(&f, "runtime.asyncPreempt", GATE_SELF, GATE_BASELINE), 0);
    assert_int_equal(fixture_value(&f, "runtime.asyncPreempt", GATE_CUMULATIVE, GATE_BASELINE), 2);
}

TEST(exact_names_fold_and_rewrite_nothing) {
    const struct gate_pair_options exact = {.frames = {.exact_names = true}};
    AT_END(fixture_end) struct pair_fixture f = {0};
    fixture_add(&f, GATE_BASELINE, "main;main.run.func1;runtime.asyncPreempt 3\n");
    fixture_add(&f, GATE_CANARY, "main;main.run.func2 1\n");
    fixture_make(&f, &exact);
    assert_int_equal(fixture_value(&f, "runtime.asyncPreempt", GATE_SELF, GATE_BASELINE), 3);
    assert_int_equal(fixture_value(&f, "main.run.func1", GATE_CUMULATIVE, GATE_BASELINE), 3);
    assert_int_equal(fixture_value(&f, "main.run.func2", GATE_CUMULATIVE, GATE_CANARY), 1);
}

TEST(numbered_closures_of_two_builds_are_one_frame) {
    AT_END(fixture_end) struct pair_fixture f = {0};
    fixture_add(&f, GATE_BASELINE, "main;main.run.func1 3\n");
    fixture_add(&f, GATE_CANARY, "main;main.run.func2 1\n");
    fixture_make(&f, &plain);
    assert_int_equal(f.pair.frame_count, 2);
}

static struct gate_regex *compile(const char *pattern) {
    struct gate_regex *regex = NULL;
    assert_true(gate_regex_compile(&regex, gate_str_from(pattern), &err));
    return regex;
}

TEST(ignored_frames_give_their_cost_to_the_caller) {
    struct gate_regex *regex = compile("^gone$");
    const struct gate_regex *const ignore[] = {regex};
    const struct gate_pair_options options = {.frames = {.ignore = ignore, .ignore_count = 1}};
    AT_END(fixture_end) struct pair_fixture f = {0};
    fixture_add(&f, GATE_BASELINE, "main;a;gone 3\ngone;main;b 1\n");
    fixture_add(&f, GATE_CANARY, "main;gone;a 1\n");
    fixture_make(&f, &options);
    assert_int_equal(fixture_value(&f, "a", GATE_SELF, GATE_BASELINE), 3);
    assert_int_equal(fixture_value(&f, "gone", GATE_CUMULATIVE, GATE_BASELINE), 0);
    assert_int_equal(fixture_value(&f, "b", GATE_SELF, GATE_BASELINE), 1);
    gate_regex_free(regex);
}

TEST(ignoring_the_only_frame_is_refused) {
    struct gate_regex *regex = compile("^main$");
    const struct gate_regex *const ignore[] = {regex};
    const struct gate_pair_options options = {.frames = {.ignore = ignore, .ignore_count = 1}};
    AT_END(fixture_end) struct pair_fixture f = {0};
    fixture_add(&f, GATE_BASELINE, "main;main 3\n");
    fixture_add(&f, GATE_CANARY, "main;main 4\n");
    assert_false(fixture_try(&f, &options));
    assert_non_null(strstr(f.err.message, "leaves nothing to compare"));
    gate_regex_free(regex);
}

TEST(renames_apply_before_the_frame_table) {
    struct gate_regex *regex = compile("^(.*)V2$");
    const struct gate_rename rename = {.match = regex, .to = GATE_STR("$1")};
    const struct gate_pair_options options = {.frames = {.renames = &rename, .rename_count = 1}};
    AT_END(fixture_end) struct pair_fixture f = {0};
    fixture_add(&f, GATE_BASELINE, "main;serve 3\n");
    fixture_add(&f, GATE_CANARY, "main;serveV2 4\n");
    fixture_make(&f, &options);
    assert_int_equal(fixture_value(&f, "serve", GATE_SELF, GATE_BASELINE), 3);
    assert_int_equal(fixture_value(&f, "serve", GATE_SELF, GATE_CANARY), 4);
    gate_regex_free(regex);
}

TEST(adjacent_frames_of_one_package_become_one) {
    const struct gate_pair_options options = {.frames = {.granularity = GATE_BY_PACKAGE}};
    AT_END(fixture_end) struct pair_fixture f = {0};
    fixture_add(&f, GATE_BASELINE, "main.main;net/http.a;net/http.b;encoding/json.c 3\n");
    fixture_add(&f, GATE_CANARY, "main.main;net/http.a 1\n");
    fixture_make(&f, &options);
    uint32_t frames[16];
    const struct gate_run *run = &f.pair.sides[GATE_BASELINE].runs[0];
    const struct gate_stack stack = gate_stacks_at(&run->stacks, 0);
    assert_int_equal(gate_walk_frames(run, &stack, frames), 3);
    assert_int_equal(fixture_value(&f, "net/http", GATE_CUMULATIVE, GATE_BASELINE), 3);
    assert_int_equal(fixture_value(&f, "encoding/json", GATE_SELF, GATE_BASELINE), 3);
}

TEST(a_missing_sample_type_is_named) {
    const struct gate_pair_options options = {.sample_type = GATE_STR("alloc_space")};
    AT_END(fixture_end) struct pair_fixture f = {0};
    fixture_add(&f, GATE_BASELINE, "main;a 1\n");
    fixture_add(&f, GATE_CANARY, "main;a 1\n");
    assert_false(fixture_try(&f, &options));
    assert_int_equal(f.err.code, GATE_ERR_INPUT);
    assert_non_null(strstr(f.err.message, "base: "));
    assert_non_null(strstr(f.err.message, "alloc_space"));
}

TEST(every_arena_limit_ends_cleanly) {
    AT_END(fixture_end) struct pair_fixture f = {0};
    fixture_add(&f, GATE_BASELINE, "main;a;b 3\nmain;c 4\n");
    fixture_add(&f, GATE_CANARY, "main;a;b 5\nmain;d 1\n");
    const struct gate_run_input *const inputs[GATE_SIDES] = {f.inputs[0], f.inputs[1]};
    bool done = false;
    size_t refused = 0;
    for (size_t limit = 1; !done && limit < 1 << 20; limit += 48) {
        AT_END(gate_arena_free) struct gate_arena arena;
        struct gate_pair pair;
        struct gate_delta_list deltas;
        struct gate_error err = {0};
        gate_arena_init(&arena, limit);
        done = gate_pair_make(&pair, inputs, f.counts, &plain, &arena, &err) &&
               gate_delta_fold(&deltas, &pair, NULL, &arena, &err);
        if (!done) {
            assert_true(err.code == GATE_ERR_LIMIT || err.code == GATE_ERR_MEMORY);
            refused++;
        }
    }
    assert_true(done);
    assert_true(refused > 10);
}

/* Three anonymous functions of one file, at lines 10, 20 and 30, are one frame. A function of a library at line 7 is
 * called by one of them. Each sample lasts 1 ms. */
static const char *anonymous_text(struct gate_arena *arena, int first, int second, int second_library) {
    static const char node[] = "{\"id\":%d,\"callFrame\":{\"functionName\":\"%s\",\"scriptId\":\"1\",\"url\":\"file:///"
                               "app/%s\",\"lineNumber\":%d,\"columnNumber\":0},\"children\":[%s]}%s";
    static const struct {
        int id;
        const char *function, *file, *children;
        int line;
    } nodes[] = {{1, "(root)", "", "4", -1},
                 {2, "", "a.js", "", 9},
                 {3, "", "a.js", "5", 19},
                 {4, "", "a.js", "2,3", 29},
                 {5, "pad", "node_modules/pad/b.js", "", 6}};
    const int counts[] = {0, first, second, 1, second_library};
    struct gate_str text = GATE_STR("{\"nodes\":["), samples = GATE_STR("1"), deltas = GATE_STR("0");
    for (int i = 0; i < 5; i++) {
        struct gate_str item = gate_str_format(arena, node, nodes[i].id, nodes[i].function, nodes[i].file,
                                               nodes[i].line, nodes[i].children, i < 4 ? "," : "");
        text = gate_str_format(arena, "%.*s%.*s", GATE_STR_ARG(text), GATE_STR_ARG(item));
        for (int k = 0; k < counts[i]; k++) {
            samples = gate_str_format(arena, "%.*s,%d", GATE_STR_ARG(samples), nodes[i].id);
            deltas = gate_str_format(arena, "%.*s,1000", GATE_STR_ARG(deltas));
        }
    }
    return gate_str_format(arena, "%.*s],\"startTime\":0,\"endTime\":16000,\"samples\":[%.*s],\"timeDeltas\":[%.*s]}",
                           GATE_STR_ARG(text), GATE_STR_ARG(samples), GATE_STR_ARG(deltas))
        .ptr;
}

/* The line of a frame is that of the function which costs the canary most, with the libraries that it calls. */
TEST(a_shared_frame_has_the_line_of_its_costliest_function) {
    static const struct {
        int first, second, second_library, line;
    } rows[] = {{9, 5, 1, 10}, {5, 8, 2, 20}, {5, 1, 9, 20}, {8, 1, 6, 10}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int runs = 1; runs < 3; runs++) {
            AT_END(fixture_end) struct pair_fixture f = {0};
            fixture_add(&f, GATE_BASELINE, anonymous_text(&f.arena, 4, 4, 4));
            for (int run = 0; run < runs; run++)
                fixture_add(&f, GATE_CANARY,
                            anonymous_text(&f.arena, rows[i].first, rows[i].second, rows[i].second_library));
            fixture_make(&f, NULL);
            const struct gate_frame *frame = &f.pair.frames[fixture_frame(&f, "a.js (anonymous)")];
            if (frame->start_line != rows[i].line)
                fail_msg("row %zu: line %lld", i, (long long)frame->start_line);
        }
}

/* Two files have a function "step". That of a.js calls price, which has most of the cost; that of b.js costs 3 ms. */
TEST(a_shared_frame_has_the_file_and_line_of_the_function_that_is_charged_most) {
    static const char text[] =
        "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"scriptId\":\"0\",\"url\":\"\","
        "\"lineNumber\":-1,"
        "\"columnNumber\":-1},\"children\":[4,2]},{\"id\":2,\"callFrame\":{\"functionName\":\"step\",\"scriptId\":"
        "\"1\","
        "\"url\":\"file:///app/a.js\",\"lineNumber\":9,\"columnNumber\":0},\"children\":[3]},{\"id\":3,\"callFrame\":{"
        "\"functionName\":\"price\",\"scriptId\":\"1\",\"url\":\"file:///app/"
        "a.js\",\"lineNumber\":19,\"columnNumber\":0}},"
        "{\"id\":4,\"callFrame\":{\"functionName\":\"step\",\"scriptId\":\"2\",\"url\":\"file:///app/"
        "b.js\",\"lineNumber\":"
        "39,\"columnNumber\":0}}],\"startTime\":0,\"endTime\":9000,\"samples\":[1,2,3,3,3,3,3,4,4,4],\"timeDeltas\":[0,"
        "1000,1000,1000,1000,1000,1000,1000,1000,1000]}";
    AT_END(fixture_end) struct pair_fixture f = {0};
    fixture_add(&f, GATE_BASELINE, text);
    fixture_add(&f, GATE_CANARY, text);
    fixture_make(&f, NULL);
    const struct gate_frame *frame = &f.pair.frames[fixture_frame(&f, "step")];
    assert_true(gate_str_ends(frame->file, GATE_STR("b.js")));
    assert_int_equal(frame->start_line, 40);
}

/* Of the JVM only samples of CPU are taken whether or not a thread has a processor; of Python all are. */
TEST(preempted_time_is_counted_by_some_samplers) {
    static const struct {
        enum gate_language language;
        enum gate_format format;
        const char *type;
        bool counts;
    } rows[] = {
        {GATE_LANGUAGE_JVM, GATE_FORMAT_JFR, "cpu", true},
        {GATE_LANGUAGE_JVM, GATE_FORMAT_JFR, "samples", true},
        {GATE_LANGUAGE_JVM, GATE_FORMAT_JFR, "alloc_space", false},
        {GATE_LANGUAGE_PYTHON, GATE_FORMAT_COLLAPSED, "samples", true},
        {GATE_LANGUAGE_PYTHON, GATE_FORMAT_COLLAPSED, "wall", true},
        {GATE_LANGUAGE_PYTHON, GATE_FORMAT_PPROF, "samples", false},
        {GATE_LANGUAGE_GO, GATE_FORMAT_PPROF, "cpu", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(fixture_end) struct pair_fixture f = {0};
        fixture_add(&f, GATE_BASELINE, "main;work 10\n");
        fixture_add(&f, GATE_CANARY, "main;work 10\n");
        f.profiles[GATE_CANARY][0].format = rows[i].format; /* one run is enough */
        f.profiles[GATE_BASELINE][0].format = GATE_FORMAT_PPROF;
        struct gate_str comment = GATE_STR(GATE_COMMENT_PREEMPTED); /* as the reader of flight recordings adds it */
        f.profiles[GATE_CANARY][0].comments = &comment;
        f.profiles[GATE_CANARY][0].comment_count = rows[i].format == GATE_FORMAT_JFR;
        fixture_make(&f, NULL);
        f.pair.language = rows[i].language;
        f.pair.type.type = gate_str_from(rows[i].type);
        if (gate_pair_counts_preempted(&f.pair) != rows[i].counts)
            fail_msg("row %zu", i);
    }
}
