/* SPDX-License-Identifier: Apache-2.0 */
/* budget/trend_replaced.h: which functions of a series are folded, and into what. Each build has 1000 samples. */
#include "gate/budget/trend_replaced.h"

#include "tests/unit/pair_fixture.h"

struct series {
    struct pair_fixture fixture;
    struct gate_series_point points[FIXTURE_RUNS_MAX];
    struct gate_comparison comparison;
    struct gate_trend_replaced replaced;
};

/* Fold a series of builds with one run each. `stacks` ends with NULL. */
static void series_fold(struct series *s, const char *const *stacks) {
    uint32_t count = 0;
    fixture_begin(&s->fixture);
    for (; stacks[count] != NULL; count++) {
        fixture_add(&s->fixture, GATE_BASELINE, stacks[count]);
        s->points[count] = (struct gate_series_point){.title = GATE_STR("b"), .first = count, .count = 1};
    }
    fixture_add(&s->fixture, GATE_CANARY, stacks[0]);
    fixture_make(&s->fixture, NULL);
    for (uint32_t i = 0; i < s->fixture.pair.frame_count; i++)
        if (gate_str_starts(s->fixture.pair.frames[i].name, GATE_STR("lib.")))
            s->fixture.pair.frames[i].is_own = false;
    s->comparison =
        (struct gate_comparison){.name = GATE_STR("samples"), .pair = s->fixture.pair, .deltas = s->fixture.deltas};
    const struct gate_plan plan = {.comparisons = &s->comparison, .comparison_count = 1};
    if (!gate_trend_replaced_fold(&s->replaced, &plan, s->points, count, &s->fixture.arena, &s->fixture.err))
        fail_msg("%s", s->fixture.err.message);
    s->fixture.pair = s->comparison.pair;
    s->fixture.deltas = s->comparison.deltas;
}

static void series_end(struct series *s) {
    fixture_end(&s->fixture);
}

static int64_t charged(const struct series *s, const char *name, uint32_t build) {
    return gate_tally_at(&s->comparison.deltas, GATE_CHARGED, build, fixture_frame(&s->fixture, name))->value;
}

static bool is_folded(const struct series *s, const char *name) {
    return s->comparison.pair.frames[fixture_frame(&s->fixture, name)].is_folded;
}

/* Compare a group with "caller@since: gone, gone > new, new". */
static void expect_group(const struct series *s, uint32_t index, const char *text) {
    struct gate_buf out = {0};
    assert_true(index < s->replaced.list.count);
    const struct gate_replaced *group = &s->replaced.list.items[index];
    gate_buf_str(&out, group->caller == GATE_NO_INDEX ? GATE_STR("-") : s->comparison.pair.frames[group->caller].name);
    gate_buf_printf(&out, "@%u:", (unsigned)s->replaced.since[index]);
    for (uint32_t i = 0; i < group->gone_count + group->new_count; i++) {
        gate_buf_text(&out, i == group->gone_count ? " > " : i == 0 ? " " : ", ");
        gate_buf_str(&out, s->comparison.pair.frames[group->names[i].frame].name);
    }
    gate_buf_char(&out, '\0');
    assert_string_equal(out.ptr, text);
    gate_buf_free(&out);
}

/* The cost of a library function is charged to its caller, under the caller's old name and its new one. */
TEST(a_renamed_function_has_what_it_calls_of_a_library) {
    AT_END(series_end) struct series s;
    series_fold(&s, (const char *const[]){"main;serve;parse;lib.copy 100\nmain;serve 300\nmain;search 600",
                                          "main;serve;parse;lib.copy 110\nmain;serve 300\nmain;search 590",
                                          "main;serve;decode;lib.copy 220\nmain;serve 300\nmain;search 480",
                                          "main;serve;decode;lib.copy 200\nmain;serve 300\nmain;search 500", NULL});
    expect_group(&s, 0, "serve@2: parse > decode");
    const struct gate_replaced *group = &s.replaced.list.items[0];
    assert_float_equal(group->names[0].share, 0.105, 1e-12); /* 210 of 2000 */
    assert_float_equal(group->names[1].share, 0.21, 1e-12);  /* 420 of 2000 */
    assert_int_equal(charged(&s, "serve", 2), 520);
}

TEST(a_renamed_function_is_part_of_its_caller_in_all_builds) {
    AT_END(series_end) struct series s;
    series_fold(&s, (const char *const[]){"main;serve;parse 100\nmain;serve 300\nmain;search 600",
                                          "main;serve;parse 110\nmain;serve 300\nmain;search 590",
                                          "main;serve;decode 220\nmain;serve 300\nmain;search 480",
                                          "main;serve;decode 200\nmain;serve 300\nmain;search 500", NULL});
    assert_int_equal(s.replaced.list.count, 1);
    expect_group(&s, 0, "serve@2: parse > decode");
    const struct gate_replaced *group = &s.replaced.list.items[0];
    assert_float_equal(group->share[GATE_BASELINE], 0.105, 1e-12); /* 210 of 2000 */
    assert_float_equal(group->share[GATE_CANARY], 0.21, 1e-12);    /* 420 of 2000 */
    assert_float_equal(group->names[1].share, 0.21, 1e-12);
    assert_true(is_folded(&s, "parse") && is_folded(&s, "decode"));
    assert_false(is_folded(&s, "search"));
    assert_int_equal(charged(&s, "serve", 0), 400);
    assert_int_equal(charged(&s, "serve", 1), 410);
    assert_int_equal(charged(&s, "serve", 2), 520);
    assert_int_equal(charged(&s, "serve", 3), 500);
    assert_int_equal(charged(&s, "decode", 3), 200);
    assert_int_equal(s.replaced.renames.count, 1);
    assert_true(gate_str_equal(s.replaced.renames.from[0], GATE_STR("decode")));
    assert_true(gate_str_equal(s.replaced.renames.to[0], GATE_STR("parse")));
    assert_int_equal(s.replaced.began[0][fixture_frame(&s.fixture, "decode")], 2);
    assert_int_equal(s.replaced.began[0][fixture_frame(&s.fixture, "parse")], 0);
}

TEST(a_new_function_that_replaced_none_is_not_folded) {
    AT_END(series_end) struct series s;
    series_fold(&s, (const char *const[]){"main;serve 300\nmain;search 700", "main;serve 310\nmain;search 690",
                                          "main;serve 300\nmain;serve;audit 100\nmain;search 600",
                                          "main;serve 300\nmain;serve;audit 150\nmain;search 550", NULL});
    assert_int_equal(s.replaced.list.count, 0);
    assert_false(is_folded(&s, "audit"));
    assert_int_equal(charged(&s, "serve", 3), 300);
    assert_int_equal(charged(&s, "audit", 3), 150);
    assert_int_equal(s.comparison.pair.one_sided, GATE_NO_INDEX);
}

/* A function that ends in one caller does not explain one that begins in another caller. */
TEST(names_are_replaced_within_a_caller) {
    AT_END(series_end) struct series s;
    series_fold(&s, (const char *const[]){"main;serve;parse 100\nmain;serve 300\nmain;search 600",
                                          "main;serve 300\nmain;search;rank 100\nmain;search 600", NULL});
    assert_int_equal(s.replaced.list.count, 0);
}

TEST(a_rename_that_is_taken_back_is_two_groups) {
    AT_END(series_end) struct series s;
    series_fold(&s, (const char *const[]){"main;parse 100\nmain 900", "main;decode 101\nmain 899",
                                          "main;decode 102\nmain 898", "main;parse 103\nmain 897", NULL});
    assert_int_equal(s.replaced.list.count, 2);
    expect_group(&s, 0, "main@1: parse > decode");
    expect_group(&s, 1, "main@3: decode > parse");
    assert_int_equal(charged(&s, "main", 1), 1000);
    assert_int_equal(s.replaced.renames.count, 1);
    assert_int_equal(s.replaced.began[0][fixture_frame(&s.fixture, "parse")], 3);
    assert_int_equal(s.replaced.began[0][fixture_frame(&s.fixture, "decode")], 0);
}

/* A function counts in the shares of its change, also beneath one that is replaced in another build. */
TEST(a_change_beneath_another_has_its_own_shares) {
    AT_END(series_end) struct series s;
    series_fold(&s, (const char *const[]){"main;a.order;tax 100\nmain 900", "main;a.order;vat 200\nmain 800",
                                          "main;b.order;vat 200\nmain 800", NULL});
    for (uint32_t i = 0; i < s.replaced.list.count; i++)
        if (s.replaced.since[i] == 1) {
            expect_group(&s, i, "main@1: tax > vat");
            assert_float_equal(s.replaced.list.items[i].share[GATE_BASELINE], 0.1, 1e-12);
            assert_float_equal(s.replaced.list.items[i].share[GATE_CANARY], 0.2, 1e-12);
            return;
        }
    fail_msg("no change in the second build");
}

TEST(names_that_change_twice_all_get_the_first_name) {
    AT_END(series_end) struct series s;
    series_fold(&s, (const char *const[]){"main;parse 100\nmain 900", "main;decode 101\nmain 899",
                                          "main;readItem 102\nmain 898", NULL});
    assert_int_equal(s.replaced.list.count, 2);
    assert_int_equal(s.replaced.renames.count, 2);
    assert_true(gate_str_equal(gate_renamed(&s.replaced.renames, GATE_STR("decode")), GATE_STR("parse")));
    assert_true(gate_str_equal(gate_renamed(&s.replaced.renames, GATE_STR("readItem")), GATE_STR("parse")));
}

/* The new function replaced three others at three times. Two of these end where none begins. */
TEST(all_that_begins_or_ends_in_a_caller_with_replaced_names_is_folded) {
    AT_END(series_end) struct series s;
    series_fold(&s, (const char *const[]){"main;a 60\nmain;b 60\nmain 880", "main;any 60\nmain;b 61\nmain 879",
                                          "main;any 120\nmain 880", "main;any 121\nmain 879", NULL});
    assert_int_equal(s.replaced.list.count, 1);
    expect_group(&s, 0, "main@1: a > any");
    assert_true(is_folded(&s, "b"));
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(charged(&s, "main", i), 1000);
    /* b ended later, so "any" does not count as a function that only began */
    assert_int_equal(s.replaced.began[0][fixture_frame(&s.fixture, "any")], 0);
}

/* A function ends only where 20 of its events were expected. With 2% of 1000 samples one build without it is enough,
 * with 1.9% it is not. */
TEST(a_name_missing_by_chance_has_not_ended) {
    static const struct {
        const char *rare, *other;
        uint32_t groups;
    } rows[] = {{"main;rare 20\nmain 980", "main;other 20\nmain 980", 1},
                {"main;rare 19\nmain 981", "main;other 19\nmain 981", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(series_end) struct series s;
        series_fold(&s, (const char *const[]){rows[i].rare, rows[i].other, NULL});
        assert_int_equal(s.replaced.list.count, rows[i].groups);
    }
}

/* One function ends in build 3, another begins in build 4. A function with 1.5% of 1000 samples may be missing from a
 * build by chance. */
TEST(two_names_are_joined_across_a_build_that_may_have_missed_both_by_chance) {
    static const struct {
        const char *one, *other;
        uint32_t groups;
    } rows[] = {{"main;parse 15\nmain 985", "main;decode 15\nmain 985", 1},
                {"main;parse 25\nmain 975", "main;decode 15\nmain 985", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(series_end) struct series s;
        series_fold(&s, (const char *const[]){rows[i].one, rows[i].one, "main;x 1\nmain 999", rows[i].other,
                                              rows[i].other, NULL});
        assert_int_equal(s.replaced.list.count, rows[i].groups);
        if (rows[i].groups > 0)
            expect_group(&s, 0, "main@3: parse > decode");
    }
}

TEST(without_a_common_caller_a_frame_of_its_own_is_charged) {
    AT_END(series_end) struct series s;
    series_fold(&s, (const char *const[]){"main 600\nworker;load 400", "main 600\ntask;read 400", NULL});
    assert_int_equal(s.replaced.list.count, 1);
    expect_group(&s, 0, "-@1: load, worker > read, task");
    const struct gate_replaced *group = &s.replaced.list.items[0];
    assert_float_equal(group->share[GATE_BASELINE], 0.4, 1e-12); /* load is beneath worker and counts once */
    assert_float_equal(group->names[0].share, 0.4, 1e-12);
    assert_float_equal(group->names[1].share, 0.0, 1e-12);
    assert_int_equal(charged(&s, GATE_SOME_BUILDS_NAME, 0), 400);
    assert_int_equal(charged(&s, GATE_SOME_BUILDS_NAME, 1), 400);
    assert_int_equal(charged(&s, "main", 1), 600);
}

TEST(the_note_counts_the_other_changes) {
    AT_END(series_end) struct series s;
    series_fold(&s, (const char *const[]){"main;parse 100\nmain;scan 50\nmain 850", "main;decode 150\nmain 850",
                                          "main;readItem 151\nmain 849", NULL});
    s.points[1].title = GATE_STR("r2");
    const struct gate_plan plan = {.comparisons = &s.comparison, .comparison_count = 1};
    struct gate_str note = gate_trend_replaced_sentence(&s.replaced, &plan, s.points, &s.fixture.arena);
    assert_true(gate_str_starts(
        note, GATE_STR("samples: in main, decode (15.0%) replaces parse and 1 more (15.0%) from r2 on, and 1 more such "
                       "change: ")));
}
