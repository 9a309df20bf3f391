/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that V8 inlined: which function a sample belongs to by its line, and which samples stay where they are. */
#include "foreign_fixture.h"
#include "gate/compare/v8_inlined_lines.h"
#include "gate/model/shared_tables.h"

/* A call in a profile. Its id is its index, from 1, and `parent` the id of its caller. `ticks` are its samples by line,
 * as JSON. */
struct call {
    const char *name, *file;
    int line, column, parent, samples;
    const char *ticks;
};

static void print_call(struct gate_buf *out, const struct call *call, int id) {
    gate_buf_printf(out,
                    "{\"id\":%d,\"parent\":%d,\"callFrame\":{\"functionName\":\"%s\",\"url\":\"%s\",\"lineNumber\":%d,"
                    "\"columnNumber\":%d},\"positionTicks\":[%s]}",
                    id, call->parent, call->name, call->file, call->line - 1, call->column,
                    call->ticks == NULL ? "" : call->ticks);
}

/* Print a .cpuprofile, whose samples last 10 us each. */
static void print_profile(struct gate_buf *out, const struct call *calls, int count) {
    int samples = 0;
    gate_buf_text(out, "{\"nodes\":[{\"id\":999,\"callFrame\":{\"functionName\":\"(root)\",\"url\":\"\"}}");
    for (int i = 0; i < count; i++) {
        struct call call = calls[i];
        call.parent = call.parent == 0 ? 999 : call.parent;
        gate_buf_text(out, ",");
        print_call(out, &call, i + 1);
    }
    gate_buf_text(out, "],\"samples\":[");
    for (int i = 0; i < count; i++)
        for (int k = 0; k < calls[i].samples; k++)
            gate_buf_printf(out, samples++ == 0 ? "%d" : ",%d", i + 1);
    gate_buf_text(out, "],\"timeDeltas\":[");
    for (int i = 0; i < samples; i++)
        gate_buf_text(out, i == 0 ? "0" : ",10");
    gate_buf_printf(out, "],\"startTime\":0,\"endTime\":%d}", 10 * samples);
}

#define AT(line, count) "{\"line\":" #line ",\"ticks\":" #count "}"

/* ---- expectations ------------------------------------------------------------------------------------------------ */

enum { RUNS_MOST = 2, STACKS_MOST = 32 };

/* Runs of both sides, from texts. */
struct world {
    struct gate_arena arena;
    struct gate_profile profiles[GATE_SIDES][RUNS_MOST];
    struct gate_run runs[GATE_SIDES][RUNS_MOST];
    struct gate_side sides[GATE_SIDES];
};

static void world_end(struct world *world) {
    gate_arena_free(&world->arena);
}

static void add_text(struct world *world, int side, struct gate_str text) {
    uint32_t i = world->sides[side].run_count++;
    struct gate_profile *profile = &world->profiles[side][i];
    assert_true(i < RUNS_MOST);
    if (!gate_profile_load(profile, gate_str_copy(&world->arena, text), NULL, &world->arena, &err))
        fail_msg("not read: %s", err.message);
    profile->has_language = true;
    profile->language = GATE_LANGUAGE_NODE;
    world->runs[side][i].input.profile = profile;
    world->sides[side].runs = world->runs[side];
}

static void add_run(struct world *world, int side, const struct call *calls, int count) {
    AT_END(gate_buf_free) struct gate_buf text = {0};
    print_profile(&text, calls, count);
    add_text(world, side, gate_buf_view(&text));
}

/* Print the names of a stack, the innermost first. */
static void print_stack(struct gate_buf *out, const struct gate_profile *profile, struct gate_stack_ref stack) {
    uint64_t id = 0;
    for (uint32_t at = 0; gate_stack_next(stack, &at, &id);) {
        const struct gate_location location = gate_location_at(profile, gate_location_find(profile, id));
        struct gate_line_walk lines = gate_location_lines(profile, &location);
        for (struct gate_line line; gate_line_next(&lines, &line);) {
            gate_buf_text(out, out->len == 0 ? "" : "<");
            gate_buf_str(out, profile->functions[line.function].name);
        }
    }
}

/* Print "leaf<caller 3" for each different stack of names, in order of appearance. */
static struct gate_str print_sums(const struct gate_profile *profile, uint32_t column, struct gate_arena *arena) {
    struct gate_table names;
    int64_t sums[STACKS_MOST] = {0};
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    AT_END(gate_buf_free) struct gate_buf out = {0};
    gate_table_init(&names, arena);
    gate_sample_begin(&cursor, profile);
    while (gate_sample_next(&cursor, &sample, &err)) {
        AT_END(gate_buf_free) struct gate_buf text = {0};
        print_stack(&text, profile, sample.stack);
        uint32_t at = gate_table_intern_copy(&names, gate_buf_view(&text));
        assert_true(at < STACKS_MOST);
        sums[at] += sample.values[column];
    }
    gate_sample_end(&cursor);
    for (uint32_t i = 0; i < names.count; i++)
        gate_buf_printf(&out, "%.*s %lld\n", GATE_STR_ARG(names.keys[i]), (long long)sums[i]);
    return gate_str_copy(arena, gate_buf_view(&out));
}

static void expect_run(struct world *world, int side, uint32_t run, uint32_t column, const char *wanted) {
    struct gate_str got = print_sums(world->runs[side][run].input.profile, column, &world->arena);
    if (!gate_str_equal(got, gate_str_from(wanted)))
        fail_msg("got\n%.*sexpected\n%s", GATE_STR_ARG(got), wanted);
}

static void restore(struct world *world) {
    assert_true(gate_inlined_lines_restore(world->sides, &world->arena, &err));
}

/* Expect the stacks of a single run after inlined calls are restored from its own calls. */
static void expect_calls(const struct call *calls, int count, uint32_t column, const char *wanted) {
    AT_END(world_end) struct world world = {0};
    add_run(&world, GATE_BASELINE, calls, count);
    restore(&world);
    expect_run(&world, GATE_BASELINE, 0, column, wanted);
}

/* Expect the stacks of one run per side. If `baseline` is NULL, that side is not compared. */
static void expect_both(const struct call *before, int before_count, const struct call *after, int after_count,
                        const char *baseline, const char *canary) {
    AT_END(world_end) struct world world = {0};
    add_run(&world, GATE_BASELINE, before, before_count);
    add_run(&world, GATE_CANARY, after, after_count);
    restore(&world);
    if (baseline != NULL)
        expect_run(&world, GATE_BASELINE, 0, 0, baseline);
    expect_run(&world, GATE_CANARY, 0, 0, canary);
}

#define COUNT(calls) (int)(sizeof(calls) / sizeof *(calls))
#define EXPECT(calls, wanted) expect_calls((calls), COUNT(calls), 0, (wanted))
#define EXPECT_BOTH(before, after, baseline, canary)                                                                   \
    expect_both((before), COUNT(before), (after), COUNT(after), (baseline), (canary))

/* ---- lines and functions ----------------------------------------------------------------------------------------- */

/* price is inlined into handle, except for one call: 3 of 5 samples of handle are at lines of price. */
TEST(a_line_before_its_function_belongs_to_the_function_that_begins_there) {
    static const struct call calls[] = {{"handle", "a.js", 20, 15, 0, 5, AT(11, 2) "," AT(12, 1) "," AT(22, 2)},
                                        {"price", "a.js", 10, 14, 1, 1, AT(12, 1)}};
    EXPECT(calls, "price<handle 4\nhandle 2\n");
    expect_calls(calls, 2, 1, "price<handle 40000\nhandle 20000\n");
}

/* Line 14 is close after the last of price's own samples. Line 15 may be in a function without samples. */
TEST(lines_of_a_function_are_known_up_to_its_own_samples) {
    static const struct call calls[] = {{"handle", "a.js", 20, 15, 0, 5, AT(11, 1) "," AT(14, 1) "," AT(15, 3)},
                                        {"price", "a.js", 10, 14, 1, 2, AT(10, 1) "," AT(12, 1)}};
    static const struct call none[] = {{"handle", "a.js", 20, 15, 0, 5, AT(11, 5)},
                                       {"price", "a.js", 10, 14, 1, 1, NULL}};
    EXPECT(calls, "price<handle 4\nhandle 3\n");
    EXPECT(none, "handle 5\nprice<handle 1\n");
}

/* Both functions start at the left margin: their columns differ only by the lengths of their names. So handle ends
 * before price. */
TEST(a_line_behind_the_caller_counts_from_the_next_function_on_its_level) {
    static const struct call calls[] = {{"handle", "a.js", 10, 15, 0, 5, AT(11, 2) "," AT(21, 3)},
                                        {"price", "a.js", 20, 14, 1, 1, AT(21, 1)}};
    static const struct call far[] = {{"handle", "a.js", 10, 15, 0, 5, AT(11, 2) "," AT(31, 3)},
                                      {"price", "a.js", 20, 14, 1, 1, AT(21, 1)},
                                      {"text", "a.js", 30, 13, 1, 1, AT(31, 1)}};
    EXPECT(calls, "handle 2\nprice<handle 4\n");
    EXPECT(far, "handle 2\ntext<handle 4\nprice<handle 1\n");
}

/* `inner` starts further to the right, so it is inside of handle, which continues after it. */
TEST(lines_after_a_nested_function_stay_with_the_outer_one) {
    static const struct call calls[] = {{"handle", "a.js", 10, 15, 0, 5, AT(11, 2) "," AT(21, 3)},
                                        {"inner", "a.js", 20, 18, 1, 1, AT(21, 1)}};
    EXPECT(calls, "handle 5\ninner<handle 1\n");
}

/* The function of a whole file contains all others. A line at which one of these has samples is that function's. */
TEST(lines_of_a_module_are_of_its_functions) {
    static const struct call calls[] = {{"", "a.js", 1, 0, 0, 6, AT(11, 2) "," AT(15, 1) "," AT(31, 3)},
                                        {"price", "a.js", 10, 14, 1, 2, AT(10, 1) "," AT(12, 1)},
                                        {"far", "b.js", 30, 12, 1, 1, AT(31, 1)}};
    EXPECT(calls, "price<(anonymous) 4\n(anonymous) 4\nfar<(anonymous) 1\n");
}

/* The indentation of a function without a name is unknown, so it may contain any function that begins after it. */
TEST(lines_behind_a_function_without_a_name_stay) {
    static const struct call calls[] = {{"", "a.js", 10, 9, 0, 5, AT(9, 1) "," AT(21, 3)},
                                        {"price", "a.js", 20, 14, 1, 1, AT(21, 1)},
                                        {"text", "a.js", 8, 13, 1, 1, AT(9, 1)}};
    EXPECT(calls, "text<(anonymous) 2\n(anonymous) 4\nprice<(anonymous) 1\n");
}

/* The line is in `near`, which handle does not call. It is not in price, although price begins before it. */
TEST(a_line_of_a_function_that_is_not_called_stays) {
    static const struct call calls[] = {{"handle", "a.js", 40, 15, 0, 5, AT(21, 5)},
                                        {"price", "a.js", 10, 14, 1, 1, AT(12, 1)},
                                        {"near", "a.js", 20, 13, 0, 1, AT(21, 1)}};
    EXPECT(calls, "handle 5\nprice<handle 1\nnear 1\n");
}

/* The callers in between are those of a known call; of several known calls, the nearest one is used. */
TEST(calls_between_are_restored_up_to_three_levels) {
    static const struct call three[] = {{"handle", "a.js", 40, 15, 0, 4, AT(11, 3) "," AT(41, 1)},
                                        {"own", "a.js", 30, 12, 1, 1, AT(31, 1)},
                                        {"map", "", 0, 0, 2, 1, NULL},
                                        {"price", "a.js", 10, 14, 3, 1, AT(11, 1)}};
    static const struct call four[] = {{"handle", "a.js", 40, 15, 0, 4, AT(11, 3) "," AT(41, 1)},
                                       {"own", "a.js", 30, 12, 1, 1, AT(31, 1)},
                                       {"map", "", 0, 0, 2, 1, NULL},
                                       {"each", "", 0, 0, 3, 1, NULL},
                                       {"price", "a.js", 10, 14, 4, 1, AT(11, 1)}};
    static const struct call near[] = {{"handle", "a.js", 40, 15, 0, 4, AT(11, 3) "," AT(41, 1)},
                                       {"own", "a.js", 30, 12, 1, 1, AT(31, 1)},
                                       {"price", "a.js", 10, 14, 2, 1, AT(11, 1)},
                                       {"price", "a.js", 10, 14, 1, 1, AT(11, 1)}};
    EXPECT(three, "price<map<own<handle 4\nhandle 1\nown<handle 1\nmap<own<handle 1\n");
    EXPECT(four, "handle 4\nown<handle 1\nmap<own<handle 1\neach<map<own<handle 1\nprice<each<map<own<handle 1\n");
    EXPECT(near, "price<handle 4\nhandle 1\nown<handle 1\nprice<own<handle 1\n");
}

/* A line number has no file. If several callees may contain the line, the one with samples of its own there is
 * chosen. */
TEST(of_several_callees_the_one_with_samples_at_the_line_counts) {
    static const struct call one[] = {{"handle", "a.js", 40, 15, 0, 4, AT(11, 4)},
                                      {"price", "b.js", 10, 14, 1, 1, AT(11, 1)},
                                      {"text", "c.js", 20, 13, 1, 1, AT(21, 1)}};
    static const struct call two[] = {{"handle", "a.js", 40, 15, 0, 4, AT(11, 4)},
                                      {"price", "b.js", 10, 14, 1, 1, AT(11, 1)},
                                      {"text", "c.js", 9, 13, 1, 1, AT(12, 1)}};
    static const struct call same[] = {{"handle", "a.js", 40, 15, 0, 4, AT(11, 4)},
                                       {"price", "b.js", 10, 14, 1, 1, AT(11, 1)},
                                       {"text", "a.js", 9, 13, 1, 1, AT(12, 1)}};
    EXPECT(one, "price<handle 5\ntext<handle 1\n");
    EXPECT(two, "price<handle 5\ntext<handle 1\n");
    EXPECT(same, "price<handle 5\ntext<handle 1\n");
}

TEST(of_callees_that_are_as_clear_the_one_of_the_same_file_counts) {
    static const struct call both[] = {{"handle", "a.js", 40, 15, 0, 4, AT(11, 4)},
                                       {"price", "b.js", 10, 14, 1, 1, AT(11, 1)},
                                       {"text", "c.js", 9, 13, 1, 1, AT(11, 1)}};
    static const struct call same[] = {{"handle", "a.js", 40, 15, 0, 4, AT(11, 4)},
                                       {"price", "b.js", 10, 14, 1, 1, AT(11, 1)},
                                       {"text", "a.js", 9, 13, 1, 1, AT(11, 1)}};
    static const struct call none[] = {{"handle", "a.js", 40, 15, 0, 4, AT(11, 4)},
                                       {"price", "b.js", 10, 14, 1, 1, AT(12, 1)},
                                       {"text", "a.js", 9, 13, 1, 1, AT(12, 1)}};
    static const struct call half[] = {{"handle", "a.js", 40, 15, 0, 4, AT(11, 2) "," AT(13, 2)},
                                       {"price", "b.js", 10, 14, 1, 2, AT(11, 1) "," AT(14, 1)},
                                       {"text", "a.js", 9, 13, 1, 1, AT(14, 1)}};
    EXPECT(both, "handle 4\nprice<handle 1\ntext<handle 1\n");
    EXPECT(same, "text<handle 5\nprice<handle 1\n");
    EXPECT(none, "text<handle 5\nprice<handle 1\n");
    EXPECT(half, "handle 4\nprice<handle 2\ntext<handle 1\n");
}

/* Most samples of parseOrder and of handle are at line 9. But parseOrder has almost none at lines 10 and 7. */
#define HANDLE                                                                                                         \
    { "handle", "main.js", 27, 16, 0, 486, AT(9, 330) "," AT(10, 115) "," AT(7, 21) "," AT(28, 20) }
#define PARSE_ORDER                                                                                                    \
    { "parseOrder", "main.js", 6, 20, 1, 160, AT(9, 120) "," AT(8, 36) "," AT(10, 3) "," AT(11, 1) }

TEST(the_function_with_samples_at_the_callers_lines_comes_before_one_of_the_same_file) {
    static const struct call calls[] = {
        HANDLE, PARSE_ORDER, {"scoreItems", "score.js", 4, 20, 1, 150, AT(9, 84) "," AT(10, 58) "," AT(7, 8)}};
    EXPECT(calls, "scoreItems<handle 616\nhandle 20\nparseOrder<handle 160\n");
}

/* Line 8 belongs to parseOrder, although the other lines belong to scoreItems. */
TEST(functions_may_be_inlined_beside_each_other) {
    static const struct call calls[] = {
        {"handle", "main.js", 27, 16, 0, 516, AT(9, 330) "," AT(10, 115) "," AT(7, 21) "," AT(28, 20) "," AT(8, 30)},
        PARSE_ORDER,
        {"scoreItems", "score.js", 4, 20, 1, 150, AT(9, 84) "," AT(10, 58) "," AT(7, 8)}};
    EXPECT(calls, "scoreItems<handle 616\nhandle 20\nparseOrder<handle 190\n");
}

/* No run has a call with samples at lines 10 and 7. */
TEST(a_function_without_samples_at_the_line_does_not_get_it) {
    static const struct call calls[] = {HANDLE, PARSE_ORDER};
    EXPECT(calls, "parseOrder<handle 490\nhandle 156\n");
}

/* page has most of its samples at line 8, where handle has none. Without own samples at line 10, it does not get that
 * line. With some, it does: its samples at line 8 may be in calls that were not inlined, so that V8 keeps its frame. */
TEST(a_function_whose_main_lines_are_missing_needs_samples_at_the_line) {
    static const struct call calls[] = {{"handle", "main.js", 27, 16, 0, 120, AT(10, 100) "," AT(28, 20)},
                                        {"page", "render.js", 6, 14, 1, 90, AT(8, 90)}};
    static const struct call some[] = {{"handle", "main.js", 27, 16, 0, 120, AT(10, 100) "," AT(28, 20)},
                                       {"page", "render.js", 6, 14, 1, 90, AT(8, 75) "," AT(10, 15)}};
    EXPECT(calls, "handle 120\npage<handle 90\n");
    EXPECT(some, "page<handle 190\nhandle 20\n");
}

/* By their samples, line 7 may belong to distance or to table. Only the callers between main and distance have samples
 * there, too. */
TEST(functions_beneath_a_caller_with_samples_at_the_line_call_the_same_function) {
    static const struct call calls[] = {{"main", "work.js", 30, 14, 0, 128, AT(7, 108) "," AT(39, 20)},
                                        {"reconcile", "work.js", 18, 19, 1, 39, AT(7, 29) "," AT(21, 10)},
                                        {"best", "match.js", 18, 14, 2, 58, AT(7, 53) "," AT(22, 5)},
                                        {"distance", "match.js", 2, 18, 3, 54, AT(3, 46) "," AT(7, 8)},
                                        {"publish", "work.js", 24, 17, 1, 10, AT(28, 10)},
                                        {"table", "report.js", 4, 15, 5, 26, AT(7, 17) "," AT(6, 5) "," AT(9, 4)}};
    EXPECT(calls, "distance<best<reconcile<main 244\nmain 20\nreconcile<main 10\nbest<reconcile<main 5\n"
                  "publish<main 10\ntable<publish<main 26\n");
}

/* A function is not its own callee. Entries that are not functions of a file are never inlined. */
TEST(recursive_calls_and_runtime_frames_are_not_inlined) {
    static const struct call calls[] = {{"walk", "a.js", 40, 13, 0, 2, AT(11, 2)},
                                        {"walk", "a.js", 40, 13, 1, 1, NULL},
                                        {"(garbage collector)", "a.js", 10, 0, 1, 1, AT(11, 1)},
                                        {"(program)", "", 0, 0, 0, 3, AT(11, 3)}};
    EXPECT(calls, "walk 2\nwalk<walk 1\n(garbage collector)<walk 1\n(program) 3\n");
}

TEST(runs_of_other_languages_and_without_lines_stay) {
    AT_END(world_end) struct world world = {0};
    static const struct call calls[] = {{"handle", "a.js", 20, 15, 0, 5, AT(11, 5)},
                                        {"price", "a.js", 10, 14, 1, 1, AT(11, 1)}};
    static const struct call plain[] = {{"handle", "a.js", 20, 15, 0, 5, NULL}};
    add_run(&world, GATE_BASELINE, calls, 2);
    add_run(&world, GATE_BASELINE, plain, 1);
    world.profiles[GATE_BASELINE][0].language = GATE_LANGUAGE_JVM;
    restore(&world);
    for (int i = 0; i < 2; i++)
        assert_ptr_equal(world.runs[GATE_BASELINE][i].input.profile, &world.profiles[GATE_BASELINE][i]);
}

/* ---- several runs ------------------------------------------------------------------------------------------------ */

/* handle with price inlined, in a run without a call of price. */
static const struct call inlined[] = {{"handle", "a.js", 20, 15, 0, 5, AT(11, 4) "," AT(22, 1)}};

/* The same program, in which price is called. */
static const struct call called[] = {{"handle", "a.js", 20, 15, 0, 1, AT(22, 1)},
                                     {"price", "a.js", 10, 14, 1, 4, AT(11, 4)}};

TEST(calls_of_one_run_are_known_in_the_others) {
    AT_END(world_end) struct world world = {0};
    add_run(&world, GATE_CANARY, inlined, COUNT(inlined));
    add_run(&world, GATE_CANARY, called, COUNT(called));
    restore(&world);
    expect_run(&world, GATE_CANARY, 0, 0, "price<handle 4\nhandle 1\n");
    expect_run(&world, GATE_CANARY, 1, 0, "handle 1\nprice<handle 4\n");
    /* The profile that was loaded stays as it was. */
    assert_int_equal(world.profiles[GATE_CANARY][0].function_count, 1);
    assert_true(world.runs[GATE_CANARY][0].input.profile->function_count >= 2);
    assert_true(world.runs[GATE_CANARY][0].input.profile->max_frames >= 2);
}

TEST(calls_of_one_side_are_known_on_the_other_if_the_file_is_the_same) {
    EXPECT_BOTH(called, inlined, NULL, "price<handle 4\nhandle 1\n");
}

/* Both sides are the same program in two folders. The call that is added to the baseline has the baseline's path. */
TEST(calls_of_a_file_in_another_folder_are_those_of_the_file) {
    AT_END(world_end) struct world world = {0};
    static const struct call before[] = {{"handle", "/srv/old/a.js", 20, 15, 0, 5, AT(11, 4) "," AT(22, 1)}};
    static const struct call after[] = {{"handle", "/srv/new/a.js", 20, 15, 0, 1, AT(22, 1)},
                                        {"price", "/srv/new/a.js", 10, 14, 1, 4, AT(11, 4)}};
    add_run(&world, GATE_BASELINE, before, COUNT(before));
    add_run(&world, GATE_CANARY, after, COUNT(after));
    restore(&world);
    expect_run(&world, GATE_BASELINE, 0, 0, "price<handle 4\nhandle 1\n");
    const struct gate_profile *profile = world.runs[GATE_BASELINE][0].input.profile;
    for (uint32_t i = 0; i < profile->function_count; i++)
        assert_true(profile->functions[i].file.len == 0 ||
                    gate_str_equal(profile->functions[i].file, GATE_STR("/srv/old/a.js")));
}

/* price was renamed to cost, which the baseline does not have. */
TEST(a_function_with_another_name_at_its_place_is_on_one_side) {
    static const struct call before[] = {{"handle", "a.js", 20, 15, 0, 5, AT(11, 4) "," AT(22, 1)},
                                         {"price", "a.js", 10, 14, 1, 1, AT(11, 1)}};
    static const struct call after[] = {{"handle", "a.js", 20, 15, 0, 5, AT(11, 4) "," AT(22, 1)},
                                        {"cost", "a.js", 10, 13, 1, 1, AT(11, 1)}};
    EXPECT_BOTH(before, after, "price<handle 5\nhandle 1\n", "cost<handle 5\nhandle 1\n");
}

/* price is in different files on both sides. Each side's lines are those of its own file. */
TEST(a_function_of_a_file_of_one_side_has_no_lines_on_the_other) {
    static const struct call before[] = {{"handle", "a.js", 40, 15, 0, 5, AT(11, 4) "," AT(42, 1)},
                                         {"price", "b.js", 10, 14, 1, 1, AT(11, 1)}};
    static const struct call after[] = {{"handle", "a.js", 40, 15, 0, 5, AT(11, 4) "," AT(42, 1)},
                                        {"price", "c.js", 9, 14, 1, 1, AT(11, 1)}};
    EXPECT_BOTH(before, after, "price<handle 5\nhandle 1\n", "price<handle 5\nhandle 1\n");
}

/* handle begins at another line in the canary, so line 11 may be other code than in the baseline. */
TEST(a_file_that_changed_is_another_one) {
    static const struct call changed[] = {{"handle", "a.js", 21, 15, 0, 5, AT(11, 4) "," AT(22, 1)}};
    EXPECT_BOTH(called, changed, "handle 1\nprice<handle 4\n", "handle 5\n");
}

/* A function that only one run contains ends the lines of the function before it in all runs. */
TEST(functions_of_all_runs_bound_lines) {
    static const struct call more[] = {{"handle", "a.js", 20, 15, 0, 1, AT(22, 1)},
                                       {"text", "a.js", 8, 13, 1, 2, AT(9, 1) "," AT(11, 1)}};
    AT_END(world_end) struct world world = {0};
    add_run(&world, GATE_BASELINE, more, COUNT(more));
    add_run(&world, GATE_BASELINE, called, COUNT(called));
    add_run(&world, GATE_CANARY, inlined, COUNT(inlined));
    restore(&world);
    expect_run(&world, GATE_BASELINE, 0, 0, "handle 1\ntext<handle 1\nline 11 (inlined)<text<handle 1\n");
    expect_run(&world, GATE_CANARY, 0, 0, "price<handle 4\nhandle 1\n");
}

/* ---- lines that travel ------------------------------------------------------------------------------------------- */

/* Line 18 may belong to handle, by its file, or to editDistance. In the other run, suggest has these samples. If the
 * line were handle's own, handle would have them there, too. */
static const struct call in_handle[] = {{"handle", "shop.js", 13, 8, 0, 25, AT(15, 5) "," AT(18, 20)},
                                        {"suggest", "shop.js", 50, 9, 1, 1, AT(52, 1)},
                                        {"editDistance", "strings.js", 11, 21, 2, 4, AT(12, 2) "," AT(18, 2)},
                                        {"order", "shop.js", 19, 7, 0, 1, AT(20, 1)}};
static const struct call in_suggest[] = {{"handle", "shop.js", 13, 8, 0, 5, AT(15, 5)},
                                         {"suggest", "shop.js", 50, 9, 1, 21, AT(52, 1) "," AT(18, 20)},
                                         {"editDistance", "strings.js", 11, 21, 2, 4, AT(12, 2) "," AT(18, 2)},
                                         {"order", "shop.js", 19, 7, 0, 1, AT(20, 1)}};

TEST(a_line_that_functions_beneath_have_in_another_run_is_not_a_functions_own) {
    EXPECT_BOTH(in_handle, in_suggest, "handle 5\neditDistance<suggest<handle 24\nsuggest<handle 1\norder 1\n",
                "handle 5\nsuggest<handle 1\neditDistance<suggest<handle 24\norder 1\n");
}

/* A run with one sample is enough. */
TEST(one_sample_in_another_run_shows_an_inlined_line) {
    static const struct call one[] = {{"handle", "shop.js", 13, 8, 0, 0, NULL},
                                      {"suggest", "shop.js", 50, 9, 1, 1, AT(18, 1)}};
    EXPECT_BOTH(in_handle, one, "handle 5\neditDistance<suggest<handle 24\nsuggest<handle 1\norder 1\n",
                "line 18 (inlined)<suggest<handle 1\n");
}

/* A few samples may be from a part of the run in which the function was inlined elsewhere. */
TEST(a_line_counts_as_inlined_if_at_most_a_tenth_is_left) {
    for (int left = 3; left <= 6; left += 3) {
        AT_END(world_end) struct world world = {0};
        AT_END(gate_buf_free) struct gate_buf here = {0}, there = {0};
        gate_buf_printf(&here, AT(15, 5) ",{\"line\":18,\"ticks\":%d}", left);
        gate_buf_printf(&there, AT(52, 1) ",{\"line\":18,\"ticks\":%d}", 43 - left);
        gate_buf_char(&here, '\0');
        gate_buf_char(&there, '\0');
        static const struct call full[] = {{"handle", "shop.js", 13, 8, 0, 48, AT(15, 5) "," AT(18, 43)},
                                           {"suggest", "shop.js", 50, 9, 1, 1, AT(52, 1)},
                                           {"editDistance", "strings.js", 11, 21, 2, 4, AT(12, 2) "," AT(18, 2)},
                                           {"order", "shop.js", 19, 7, 0, 1, AT(20, 1)}};
        const struct call less[] = {{"handle", "shop.js", 13, 8, 0, 5 + left, gate_buf_view(&here).ptr},
                                    {"suggest", "shop.js", 50, 9, 1, 44 - left, gate_buf_view(&there).ptr},
                                    {"editDistance", "strings.js", 11, 21, 2, 4, AT(12, 2) "," AT(18, 2)},
                                    {"order", "shop.js", 19, 7, 0, 1, AT(20, 1)}};
        add_run(&world, GATE_BASELINE, full, COUNT(full));
        add_run(&world, GATE_CANARY, less, COUNT(less));
        restore(&world);
        struct gate_str got = print_sums(world.runs[GATE_CANARY][0].input.profile, 0, &world.arena);
        bool is_moved = gate_str_starts(got, GATE_STR("handle 5\n"));
        assert_int_equal(is_moved, left == 3);
    }
}

/* No other function has samples at the same line, so handle became slower. */
TEST(a_line_that_grew_stays) {
    static const struct call before[] = {{"handle", "shop.js", 13, 8, 0, 5, AT(15, 5)},
                                         {"suggest", "shop.js", 50, 9, 1, 21, AT(52, 1) "," AT(53, 20)},
                                         {"editDistance", "strings.js", 11, 21, 2, 4, AT(12, 2) "," AT(18, 2)},
                                         {"order", "shop.js", 19, 7, 0, 1, AT(20, 1)}};
    EXPECT_BOTH(before, in_handle, NULL, "handle 25\nsuggest<handle 1\neditDistance<suggest<handle 4\norder 1\n");
}

/* The same program in two folders: lines in files that only one side has are not compared between the sides. */
TEST(lines_in_files_of_one_side_are_not_compared) {
    static const struct call blue[] = {{"handle", "blue/a.js", 20, 15, 0, 5, AT(11, 4) "," AT(22, 1)},
                                       {"price", "blue/a.js", 10, 14, 1, 1, AT(11, 1)}};
    static const struct call green[] = {{"handle", "green/a.js", 20, 15, 0, 5, AT(11, 4) "," AT(22, 1)},
                                        {"price", "green/a.js", 10, 14, 1, 1, AT(11, 1)}};
    EXPECT_BOTH(blue, green, "price<handle 5\nhandle 1\n", "price<handle 5\nhandle 1\n");
}

/* Minified code has one line, on which all functions begin. */
TEST(the_line_where_a_function_begins_is_its_own) {
    AT_END(world_end) struct world world = {0};
    static const struct call one[] = {{"p", "a.js", 1, 11, 0, 20, AT(1, 20)}, {"q", "a.js", 1, 41, 1, 1, AT(1, 1)}};
    static const struct call other[] = {{"p", "a.js", 1, 11, 0, 1, AT(1, 1)}, {"q", "a.js", 1, 41, 1, 20, AT(1, 20)}};
    static const struct call lines[] = {{"main", "b.js", 2, 13, 0, 1, AT(3, 1)}};
    add_run(&world, GATE_BASELINE, one, COUNT(one));
    add_run(&world, GATE_CANARY, other, COUNT(other));
    add_run(&world, GATE_CANARY, lines, COUNT(lines));
    restore(&world);
    expect_run(&world, GATE_BASELINE, 0, 0, "p 20\nq<p 1\n");
    expect_run(&world, GATE_CANARY, 0, 0, "p 1\nq<p 20\n");
}

/* With few samples, it is chance which function has them. */
TEST(a_line_with_few_samples_does_not_count_as_inlined) {
    static const struct call one[] = {{"handle", "shop.js", 13, 8, 0, 2, AT(15, 1) "," AT(72, 1)},
                                      {"total", "shop.js", 41, 7, 1, 0, NULL},
                                      {"suggest", "shop.js", 50, 9, 0, 250, AT(51, 250)}};
    static const struct call other[] = {{"handle", "shop.js", 13, 8, 0, 1, AT(15, 1)},
                                        {"total", "shop.js", 41, 7, 1, 1, AT(72, 1)},
                                        {"suggest", "shop.js", 50, 9, 0, 250, AT(51, 250)}};
    EXPECT_BOTH(one, other, "handle 2\nsuggest 250\n", "handle 1\ntotal<handle 1\nsuggest 250\n");
}

/* Line 18 is close after the samples of both functions. */
TEST(a_line_after_two_functions_is_given_to_neither) {
    static const struct call calls[] = {{"handle", "a.js", 40, 15, 0, 4, AT(18, 4)},
                                        {"price", "b.js", 10, 14, 1, 1, AT(15, 1)},
                                        {"text", "c.js", 12, 13, 1, 1, AT(16, 1)}};
    static const struct call one[] = {{"handle", "a.js", 40, 15, 0, 4, AT(18, 4)},
                                      {"price", "b.js", 10, 14, 1, 1, AT(15, 1)},
                                      {"text", "c.js", 12, 13, 1, 1, AT(14, 1)}};
    EXPECT(calls, "handle 4\nprice<handle 1\ntext<handle 1\n");
    EXPECT(one, "price<handle 5\ntext<handle 1\n");
}

/* discount, at line 70, is always inlined, so no run has a call of it. Its samples get the same name in both runs,
 * whatever function it is inlined into. */
TEST(inlined_lines_of_an_unknown_function_have_one_name_in_all_runs) {
    static const struct call one[] = {{"handle", "shop.js", 13, 8, 0, 5, AT(15, 5)},
                                      {"total", "shop.js", 41, 7, 1, 21, AT(42, 1) "," AT(72, 20)},
                                      {"suggest", "shop.js", 50, 9, 0, 1, AT(51, 1)}};
    static const struct call other[] = {{"handle", "shop.js", 13, 8, 0, 25, AT(15, 5) "," AT(72, 20)},
                                        {"total", "shop.js", 41, 7, 1, 1, AT(42, 1)},
                                        {"suggest", "shop.js", 50, 9, 0, 1, AT(51, 1)}};
    EXPECT_BOTH(one, other, "handle 5\ntotal<handle 1\nline 72 (inlined)<total<handle 20\nsuggest 1\n",
                "handle 5\nline 72 (inlined)<handle 20\ntotal<handle 1\nsuggest 1\n");
}

/* Lines are those of the script that ran; names are those from the source map. */
TEST(calls_have_the_names_of_source_maps) {
    AT_END(world_end) struct world world = {0};
    struct gate_profile named[2];
    add_run(&world, GATE_CANARY, inlined, COUNT(inlined));
    add_run(&world, GATE_CANARY, called, COUNT(called));
    for (int i = 0; i < 2; i++) {
        struct gate_location_edit edit;
        named[i] = world.profiles[GATE_CANARY][i];
        assert_true(gate_location_edit_init(&edit, &named[i], &world.arena));
        for (uint32_t k = 0; k < named[i].location_count; k++) {
            struct gate_location location = gate_location_at(&world.profiles[GATE_CANARY][i], k);
            struct gate_line line = gate_location_line(&world.profiles[GATE_CANARY][i], &location, 0);
            struct gate_function function = named[i].functions[line.function];
            bool is_price = gate_str_equal(function.name, GATE_STR("price"));
            function.name = is_price ? GATE_STR("Cart.price") : GATE_STR("Shop.handle");
            function.file = is_price ? GATE_STR("cart.ts") : GATE_STR("shop.ts");
            line.line = 3;
            line.function = gate_location_edit_function(&edit, &function);
            gate_location_edit_begin(&edit, k);
            assert_true(gate_location_edit_line(&edit, &line));
        }
        world.runs[GATE_CANARY][i].input.unnamed = &world.profiles[GATE_CANARY][i];
        world.runs[GATE_CANARY][i].input.profile = &named[i];
    }
    restore(&world);
    expect_run(&world, GATE_CANARY, 0, 0, "Cart.price<Shop.handle 4\nShop.handle 1\n");
    expect_run(&world, GATE_CANARY, 1, 0, "Shop.handle 1\nCart.price<Shop.handle 4\n");
}

/* Runs that share tables have the same locations, before and after. */
TEST(runs_with_the_same_tables_get_the_same_ones) {
    AT_END(world_end) struct world world = {0};
    struct gate_shared_tables tables;
    static struct gate_profile shared[2];
    add_run(&world, GATE_BASELINE, inlined, COUNT(inlined));
    add_run(&world, GATE_BASELINE, called, COUNT(called));
    gate_shared_tables_begin(&tables, &world.arena);
    for (int i = 0; i < 2; i++) {
        assert_true(gate_shared_tables_add(&shared[i], &tables, &world.profiles[GATE_BASELINE][i], &err));
        world.runs[GATE_BASELINE][i].input.profile = &shared[i];
    }
    gate_shared_tables_end(&tables);
    for (int i = 0; i < 2; i++) {
        shared[i].has_language = true;
        shared[i].language = GATE_LANGUAGE_NODE;
    }
    restore(&world);
    expect_run(&world, GATE_BASELINE, 0, 0, "price<handle 4\nhandle 1\n");
    expect_run(&world, GATE_BASELINE, 1, 0, "handle 1\nprice<handle 4\n");
    assert_ptr_equal(world.runs[GATE_BASELINE][0].input.profile->locations,
                     world.runs[GATE_BASELINE][1].input.profile->locations);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The number of samples is not changed by wrong counts in the lines. */
TEST(wrong_line_counts_do_not_change_the_samples) {
    static const struct call calls[] = {
        {"handle", "a.js", 20, 15, 0, 3, AT(11, 2) "," AT(-1, 9) "," AT(12, -4) "," AT(13, 7)},
        {"price", "a.js", 10, 14, 1, 1, AT(13, 1)},
        {"other", "a.js", 30, 14, 0, 1, AT(11, 1)}};
    EXPECT(calls, "price<handle 4\nother 1\n");
    expect_calls(calls, 3, 1, "price<handle 40000\nother 10000\n");
}

static void expect_text(const char *text, const char *wanted) {
    AT_END(world_end) struct world world = {0};
    add_text(&world, GATE_CANARY, gate_str_from(text));
    restore(&world);
    expect_run(&world, GATE_CANARY, 0, 0, wanted);
}

TEST(nested_calls_count_lines_from_one) {
    expect_text(
        "{\"head\":{\"id\":1,\"functionName\":\"(root)\",\"url\":\"\",\"lineNumber\":0,\"hitCount\":0,"
        "\"children\":[{\"id\":2,\"functionName\":\"handle\",\"url\":\"a.js\",\"lineNumber\":20,"
        "\"columnNumber\":16,\"hitCount\":3,\"positionTicks\":[" AT(10, 1) "," AT(
            20, 2) "],\"children\":["
                   "{\"id\":3,\"functionName\":\"price\",\"url\":\"a.js\",\"lineNumber\":10,\"columnNumber\":15,"
                   "\"hitCount\":1,\"positionTicks\":[" AT(
                       10, 1) "],\"children\":[]}]}]},\"startTime\":3,\"endTime\":4,"
                              "\"samples\":[2,2,2,3],\"timestamps\":[3000100,3000200,3000300,3000400]}",
        "price<handle 2\nhandle 2\n");
}

/* Traces list one line per sample, in the order of the samples. A chunk without known lines has no list. */
TEST(lines_of_a_trace_are_those_of_its_samples) {
#define CHUNK "{\"ph\":\"P\",\"pid\":1,\"tid\":7,\"id\":\"0x1\",\"name\":\"ProfileChunk\",\"args\":{\"data\":{"
#define PLACE(name, line, column)                                                                                      \
    "\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"a.js\",\"lineNumber\":" line ",\"columnNumber\":" column "}"
    expect_text("[" CHUNK "\"cpuProfile\":{\"nodes\":[{\"id\":1," PLACE(
                    "handle", "19",
                    "15") "},"
                          "{\"id\":2,\"parent\":1," PLACE("price", "9",
                                                          "14") "}],\"samples\":[1,2]},\"timeDeltas\":[10,10]}}}," CHUNK
                                                                "\"cpuProfile\":{\"samples\":[1,1,1,2]},\"timeDeltas\":"
                                                                "[10,10,10,10],\"lines\":[11,21,11,11]}}}]",
                "price<handle 4\nhandle 2\n");
}

/* Under each memory limit there is an error, or all calls are restored. */
TEST(every_memory_limit_is_an_error) {
    bool was_refused = false, is_whole = false;
    for (size_t limit = 64; !is_whole; limit += 64) {
        AT_END(world_end) struct world world = {0};
        struct gate_arena arena;
        struct gate_error err = {0};
        add_run(&world, GATE_BASELINE, called, COUNT(called));
        add_run(&world, GATE_CANARY, inlined, COUNT(inlined));
        gate_arena_init(&arena, limit);
        is_whole = gate_inlined_lines_restore(world.sides, &arena, &err);
        if (is_whole)
            expect_run(&world, GATE_CANARY, 0, 0, "price<handle 4\nhandle 1\n");
        else
            assert_true(err.code == GATE_ERR_LIMIT || err.code == GATE_ERR_MEMORY);
        was_refused = was_refused || !is_whole;
        gate_arena_free(&arena);
    }
    assert_true(was_refused);
}
