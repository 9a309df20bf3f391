/* SPDX-License-Identifier: Apache-2.0 */
/* Which frames `select` selects: each pattern alone, patterns together, negated ones, and patterns that exceed their
 * limits. */

#include "gate/budget/hypotheses.h"
#include "gate/rules/rules_parse.h"
#include "tests/unit/unit.h"

static struct gate_frame frames[] = {
    {.name = {"main.checkout", 13}, .file = {"/src/shop/checkout.go", 21}, .mapping = {"/bin/shop", 9}},
    {.name = {"main.search", 11}, .file = {"/src/shop/search.go", 19}, .mapping = {"/bin/shop", 9}},
    {.name = {"encoding/json.Marshal", 21}, .file = {"/go/json/encode.go", 18}, .mapping = {"/bin/shop", 9}},
    {.name = {"github.com/x/vendor/lib.Run", 27}, .file = {"/src/vendor/lib.go", 18}, .mapping = {"/bin/shop", 9}},
    {.name = {"memcpy", 6}, .file = {"", 0}, .mapping = {"/lib/libc.so.6", 14}},
};
enum { FRAMES = sizeof frames / sizeof *frames };

/* Expect the frames that `select: text` selects, as a string of 0 and 1. */
static void expect_marks(const char *select, enum gate_granularity granularity, const char *expected) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    struct gate_pair pair = {.frames = frames, .frame_count = FRAMES, .granularity = granularity};
    struct gate_str text =
        gate_str_format(&arena, "version: 1\nbudgets: [{name: a, limit: +5pp, select: %s}]\n", select);
    uint8_t *marks = NULL;
    uint32_t matched = 0;
    uint32_t ones = 0;
    if (!gate_rules_parse(&rules, text, GATE_STR("rules.yml"), NULL, &arena, &err) ||
        !gate_select_frames(&marks, &matched, &rules.budgets[0].select, &pair, &arena, &err))
        fail_msg("%s: %s", select, err.message);
    for (uint32_t i = 0; i < FRAMES; i++) {
        if (marks[i] != expected[i] - '0')
            fail_msg("%s: frame %.*s is %u", select, GATE_STR_ARG(frames[i].name), marks[i]);
        ones += marks[i];
    }
    assert_int_equal(matched, ones);
}

TEST(a_pattern_selects_by_function_package_file_or_mapping) {
    expect_marks("'.*'", GATE_BY_FUNCTION, "11111");
    expect_marks("'^main\\.'", GATE_BY_FUNCTION, "11000");
    expect_marks("{function: 'checkout$'}", GATE_BY_FUNCTION, "10000");
    expect_marks("{function: main}", GATE_BY_FUNCTION, "11000");
    expect_marks("{function: Main}", GATE_BY_FUNCTION, "00000");
    expect_marks("{function: '(?i)Main'}", GATE_BY_FUNCTION, "11000");
    expect_marks("{package: '^encoding/json$'}", GATE_BY_FUNCTION, "00100");
    expect_marks("{package: '^main$'}", GATE_BY_FUNCTION, "11000");
    expect_marks("{file: 'search\\.go$'}", GATE_BY_FUNCTION, "01000");
    expect_marks("{mapping: libc}", GATE_BY_FUNCTION, "00001");
}

TEST(a_glob_matches_whole_names_and_its_star_stops_at_slashes) {
    expect_marks("'glob:main.*'", GATE_BY_FUNCTION, "11000");
    expect_marks("'glob:ain.*'", GATE_BY_FUNCTION, "00000");
    expect_marks("'glob:*Marshal'", GATE_BY_FUNCTION, "00000"); /* '*' stops at the slash */
    expect_marks("'glob:**Marshal'", GATE_BY_FUNCTION, "00100");
    expect_marks("'glob:mem?py'", GATE_BY_FUNCTION, "00001");
    expect_marks("{file: 'glob:/src/*/*.go'}", GATE_BY_FUNCTION, "11010");
}

TEST(all_patterns_must_match_and_no_negated_one) {
    expect_marks("{function: '^main', file: search}", GATE_BY_FUNCTION, "01000");
    expect_marks("{function: '^main', mapping: libc}", GATE_BY_FUNCTION, "00000");
    expect_marks("{not: '^main'}", GATE_BY_FUNCTION, "00111");
    expect_marks("{not: {package: vendor}}", GATE_BY_FUNCTION, "11101");
    expect_marks("{not: {file: '\\.go$'}}", GATE_BY_FUNCTION, "00001");
    expect_marks("{not: {mapping: libc, function: search}}", GATE_BY_FUNCTION, "10110");
    expect_marks("{function: '^main', not: {function: search}}", GATE_BY_FUNCTION, "10000");
}

/* A function that moved is selected, and left out, by its name in the baseline, too. */
TEST(a_moved_function_has_both_names) {
    frames[0].old_name = GATE_STR("cart.pay");
    expect_marks("'^cart\\.pay$'", GATE_BY_FUNCTION, "10000");
    expect_marks("'^main\\.checkout$'", GATE_BY_FUNCTION, "10000");
    expect_marks("{package: '^cart$'}", GATE_BY_FUNCTION, "10000");
    expect_marks("{package: '^main$'}", GATE_BY_FUNCTION, "11000");
    expect_marks("{not: '^cart\\.pay$'}", GATE_BY_FUNCTION, "01111");
    expect_marks("{not: '^main\\.checkout$'}", GATE_BY_FUNCTION, "01111");
    expect_marks("{not: {package: '^cart$'}}", GATE_BY_FUNCTION, "01111");
    expect_marks("{file: cart}", GATE_BY_FUNCTION, "00000");
    frames[0].old_name = GATE_STR("");
}

/* `under` restricts the stacks that count, not the frames that are selected. */
TEST(under_restricts_stacks_and_not_frames) {
    expect_marks("{under: '^main\\.search'}", GATE_BY_FUNCTION, "11111");
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    struct gate_pair pair = {.frames = frames, .frame_count = FRAMES};
    uint8_t *marks = NULL;
    assert_true(gate_rules_parse(&rules,
                                 GATE_STR("version: 1\nbudgets: [{name: a, limit: +5pp, select: {under: search}},"
                                          "{name: b, limit: +5pp}]\n"),
                                 GATE_STR("rules.yml"), NULL, &arena, &err));
    assert_true(gate_select_under(&marks, &rules.budgets[0].select, &pair, &arena, &err));
    assert_memory_equal(marks, "\0\1\0\0\0", FRAMES);
    assert_true(gate_select_under(&marks, &rules.budgets[1].select, &pair, &arena, &err));
    assert_null(marks);
}

/* A package pattern matches the name of a frame if frames are packages. */
TEST(a_package_pattern_matches_the_names_of_package_frames) {
    struct gate_frame packages[] = {{.name = GATE_STR("net/http")}, {.name = GATE_STR("main")}};
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    struct gate_pair pair = {.frames = packages, .frame_count = 2, .granularity = GATE_BY_PACKAGE};
    uint8_t *marks = NULL;
    uint32_t matched = 0;
    assert_true(gate_rules_parse(
        &rules, GATE_STR("version: 1\nbudgets: [{name: a, limit: +5pp, select: {package: '^net/http$'}}]\n"),
        GATE_STR("rules.yml"), NULL, &arena, &err));
    assert_true(gate_select_frames(&marks, &matched, &rules.budgets[0].select, &pair, &arena, &err));
    assert_int_equal(matched, 1);
    assert_int_equal(marks[0], 1);
}

TEST(a_pair_without_frames_matches_nothing) {
    struct gate_pair pair = {0};
    struct gate_select select = {0};
    uint8_t *marks = NULL;
    uint32_t matched = 7;
    assert_true(gate_select_frames(&marks, &matched, &select, &pair, &arena, &err));
    assert_non_null(marks);
    assert_int_equal(matched, 0);
}

/* A pattern that backtracks without end is an error that names the pattern. It does not silently match nothing. */
TEST(a_pattern_that_backtracks_without_end_is_an_error) {
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    struct gate_frame long_name = {.name =
                                       GATE_STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")};
    struct gate_pair pair = {.frames = &long_name, .frame_count = 1};
    uint8_t *marks = NULL;
    uint32_t matched = 0;
    assert_true(gate_rules_parse(&rules, GATE_STR("version: 1\nbudgets: [{name: a, limit: +5pp, select: '^(a+)+$'}]\n"),
                                 GATE_STR("rules.yml"), NULL, &arena, &err));
    assert_false(gate_select_frames(&marks, &matched, &rules.budgets[0].select, &pair, &arena, &err));
    assert_int_equal(err.code, GATE_ERR_CONFIG);
    assert_non_null(strstr(err.message, "pattern '^(a+)+$' gave up on frame 'aaaa"));
}
