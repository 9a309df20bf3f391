/* SPDX-License-Identifier: Apache-2.0 */
/* rules/starter.h: the parser accepts a starter file, its patterns select the functions that it names, and hostile
 * names cannot break it. */
#include "tests/unit/pair_fixture.h"

#include "gate/budget/hypotheses.h"
#include "gate/rules/rules_parse.h"
#include "gate/rules/starter.h"

struct starter_case {
    struct pair_fixture pair;
    struct gate_buf text;
    struct gate_rules rules;
};

/* The profile on both sides, the file that `init` makes of it, and that file parsed. Functions whose names begin with
 * `third_party` are third-party code; NULL: none are. */
static void begin_with(struct starter_case *c, const char *stacks, const char *third_party) {
    const struct gate_pair_options options = {.counts = {.period = 1}}; /* period 1: values are counts */
    const struct gate_starter_options how = {.source = GATE_STR("base.pb.gz")};
    *c = (struct starter_case){0};
    fixture_begin(&c->pair);
    fixture_add(&c->pair, GATE_BASELINE, stacks);
    fixture_add(&c->pair, GATE_CANARY, stacks);
    fixture_make(&c->pair, &options);
    for (uint32_t i = 0; third_party != NULL && i < c->pair.pair.frame_count; i++)
        if (gate_str_starts(c->pair.pair.frames[i].name, gate_str_from(third_party)))
            c->pair.pair.frames[i].code = GATE_CODE_THIRD_PARTY;
    if (!gate_starter_write(&c->text, &c->pair.pair, &c->pair.deltas, &how, &c->pair.arena, &c->pair.err))
        fail_msg("%s", c->pair.err.message);
    if (!gate_rules_parse(&c->rules, gate_buf_view(&c->text), GATE_STR("new.yml"), NULL, &c->pair.arena, &c->pair.err))
        fail_msg("%u:%u: %s\n%.*s", (unsigned)c->pair.err.line, (unsigned)c->pair.err.column, c->pair.err.message,
                 GATE_STR_ARG(gate_buf_view(&c->text)));
}

static void begin(struct starter_case *c, const char *stacks) {
    begin_with(c, stacks, NULL);
}

static void end(struct starter_case *c) {
    gate_rules_free(&c->rules);
    gate_buf_free(&c->text);
    fixture_end(&c->pair);
}

static const struct gate_budget *budget_of(const struct starter_case *c, const char *name) {
    for (uint32_t i = 0; i < c->rules.budget_count; i++)
        if (gate_str_equal(c->rules.budgets[i].name, gate_str_from(name)))
            return &c->rules.budgets[i];
    fail_msg("no budget '%s' in\n%.*s", name, GATE_STR_ARG(gate_buf_view(&c->text)));
    return NULL;
}

/* Expect that the budget's pattern selects `frames` frames, and that one of them is `function`. */
static void expect_selects(struct starter_case *c, const char *budget, const char *function, uint32_t frames) {
    uint8_t *marks = NULL;
    uint32_t matched = 0;
    assert_true(gate_select_frames(&marks, &matched, &budget_of(c, budget)->select, &c->pair.pair, &c->pair.arena,
                                   &c->pair.err));
    assert_int_equal(matched, frames);
    assert_int_equal(marks[fixture_frame(&c->pair, function)], 1);
}

static void expect_text(const struct starter_case *c, const char *text) {
    if (gate_str_find(gate_buf_view(&c->text), gate_str_from(text), 0) == SIZE_MAX)
        fail_msg("no '%s' in\n%.*s", text, GATE_STR_ARG(gate_buf_view(&c->text)));
}

TEST(hot_own_functions_and_their_packages_get_budgets) {
    AT_END(end) struct starter_case c;
    begin(&c, "main.main;shop.parse 40000\nmain.main;shop.parse.deeper 5000\nmain.main;shop.encode 30000\n"
              "main.main;lib.hash 20000\nmain.main;shop.encode;runtime.mallocgc 90000\nmain.main;lib.rare 500\n");
    assert_int_equal(c.rules.budget_count, 8 + 4 + 1); /* recommended, functions, a package */
    expect_selects(&c, "shop.parse stays where it is", "shop.parse", 1);
    expect_selects(&c, "lib.hash stays where it is", "lib.hash", 1);
    expect_text(&c, "# 64.7% of the profile."); /* of encode, with the runtime's cost beneath it */
    expect_text(&c, "# charged: what a function of yours costs");
    const struct gate_budget *hot = budget_of(&c, "shop.parse stays where it is");
    assert_int_equal(hot->measure, GATE_MEASURE_CHARGED);
    assert_int_equal(hot->limits[0].kind, GATE_LIMIT_SHARE_INCREASE);
    assert_true(hot->limits[0].value <= 0.05);
    assert_true(hot->max_mde > hot->limits[0].value && hot->max_mde <= 3.01 * hot->limits[0].value);
    const struct gate_budget *package = budget_of(&c, "package lib as a whole"); /* of shop there is too much */
    assert_true(package->as_group);
    expect_selects(&c, "package lib as a whole", "lib.hash", 2);
    expect_text(&c, "Written from base.pb.gz (185500 effective");
}

/* A library's functions get no budget, because their cost is charged to their callers. Nor does the library's
 * package. */
TEST(functions_and_packages_of_third_parties_get_no_budget) {
    AT_END(end) struct starter_case c;
    begin_with(&c, "main.main;shop.parse 40000\nmain.main;shop.encode 30000\nmain.main;lib.hash 20000\n", "lib.");
    assert_int_equal(c.rules.budget_count,
                     8 + 2); /* no budget for the package shop either: it has too much of the profile */
    expect_selects(&c, "shop.parse stays where it is", "shop.parse", 1);
}

TEST(own_callers_get_budgets_instead_of_library_functions) {
    AT_END(end) struct starter_case c;
    begin(&c, "main.main;shop.render;fmt.Sprintf;strconv.AppendInt 60000\nmain.main;fmt.Sprintf 30000\n"
              "runtime.gcBgMarkWorker 10000\n");
    assert_int_equal(c.rules.budget_count, 8 + 2 + 1);
    expect_selects(&c, "shop.render stays where it is", "shop.render", 1);
    expect_selects(&c, "main.main stays where it is", "main.main", 1);
    expect_selects(&c, "package shop as a whole", "shop.render", 1);
}

/* In collapsed stacks of an unknown language, each function with a name is own code, unless it belongs to a runtime. */
TEST(named_functions_of_an_unknown_language_are_own_code) {
    AT_END(end) struct starter_case c;
    begin(&c, "start;work 60000\nstart;work;__libc_malloc 10000\nstart;[unknown] 30000\n");
    assert_int_equal(c.rules.budget_count, 8 + 2);
    expect_selects(&c, "work stays where it is", "work", 1);
    expect_selects(&c, "start stays where it is", "start", 1);
    expect_text(&c, "# 70.0% of the profile.");
}

TEST(a_profile_with_few_samples_gives_no_function_budgets) {
    AT_END(end) struct starter_case c;
    begin(&c, "main;a 3\nmain;b 2\n");
    assert_int_equal(c.rules.budget_count, 8);
    expect_text(&c, "# With fewer than 100 effective samples per side nothing can fail");
}

/* A function with nearly all cost gets no budget: it cannot grow by as much as could be detected. */
TEST(a_function_with_nearly_all_cost_gets_no_budget) {
    AT_END(end) struct starter_case c;
    begin(&c, "main.main;shop.parse 970\nmain.main;shop.encode 30\n");
    assert_int_equal(c.rules.budget_count, 8 + 1);
    expect_selects(&c, "shop.encode stays where it is", "shop.encode", 1);
}

/* Names that try to break out of YAML, of a pattern, or of the terminal that shows the file. */
TEST(a_hostile_function_name_selects_exactly_one_frame) {
    static const char *const names[] = {
        "it's(a) [trap]* {x}+ \\d $1 ^| ?",
        "a: b # c",
        "'",
        "- name: x",
        "&a *b !!c %d @e `f",
        "\"quoted\"",
        "colon: {flow}, [x]",
        "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E::f",
        "<T as core::ops::Fn>::call",
        "operator()(int)",
        "##[error] ::set-output",
        "reversed\xE2\x80\xAEtext",
        "tab\there",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        AT_END(end) struct starter_case c;
        AT_END(gate_buf_free) struct gate_buf stacks = {0};
        gate_buf_printf(&stacks, "main;%s 90000\nmain;other 1000\n", names[i]);
        gate_buf_char(&stacks, '\0');
        begin(&c, stacks.ptr);
        const struct gate_budget *budget = &c.rules.budgets[8];
        uint8_t *marks = NULL;
        uint32_t matched = 0;
        assert_true(gate_select_frames(&marks, &matched, &budget->select, &c.pair.pair, &c.pair.arena, &c.pair.err));
        if (matched != 1)
            fail_msg("%s: the pattern '%.*s' means %u frames", names[i], GATE_STR_ARG(budget->select.function.text),
                     (unsigned)matched);
    }
}

TEST(the_order_of_the_stacks_does_not_change_the_file) {
    AT_END(end) struct starter_case a;
    AT_END(end) struct starter_case b;
    begin(&a, "main;x 5000\nmain;y 5000\nmain;z 5000\n");
    begin(&b, "main;z 5000\nmain;x 5000\nmain;y 5000\n");
    assert_true(gate_str_equal(gate_buf_view(&a.text), gate_buf_view(&b.text)));
}

TEST(every_memory_limit_that_is_too_small_is_a_clean_error) {
    const struct gate_starter_options how = {.source = GATE_STR("base.pb.gz")};
    AT_END(end) struct starter_case c;
    bool done = false;
    begin(&c, "main;shop.x 50000\nmain;shop.y 50000\n");
    for (size_t limit = 1; limit < (1u << 20) && !done; limit += 64) {
        AT_END(gate_buf_free) struct gate_buf text = {0};
        gate_arena_free(&arena);
        gate_arena_init(&arena, limit);
        done = gate_starter_write(&text, &c.pair.pair, &c.pair.deltas, &how, &arena, &c.pair.err);
        assert_true(done ? gate_str_equal(gate_buf_view(&text), gate_buf_view(&c.text))
                         : c.pair.err.code == GATE_ERR_LIMIT || c.pair.err.code == GATE_ERR_MEMORY);
    }
    assert_true(done);
}
