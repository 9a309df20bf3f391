/* SPDX-License-Identifier: Apache-2.0 */
/* Which comparisons a set of rules needs: each budget applies to each pair that it names, and no pair is left out. */
#include "gate/budget/plan.h"
#include "tests/unit/pair_fixture.h"

enum { BUDGETS_MAX = 4, INPUTS_MAX = 3 };

struct plan_fixture {
    struct pair_fixture profiles;
    struct gate_budget budgets[BUDGETS_MAX];
    struct gate_rules rules, spread;
    struct gate_plan_input inputs[INPUTS_MAX];
    uint32_t input_count;
    struct gate_plan plan;
};

static void plan_begin(struct plan_fixture *f) {
    *f = (struct plan_fixture){0};
    fixture_begin(&f->profiles);
    f->rules = (struct gate_rules){.source = GATE_STR("test"), .budgets = f->budgets};
}

static void plan_input(struct plan_fixture *f, const char *label, const char *baseline, const char *canary) {
    uint32_t at = f->input_count++;
    fixture_add(&f->profiles, GATE_BASELINE, baseline);
    fixture_add(&f->profiles, GATE_CANARY, canary);
    f->inputs[at] =
        (struct gate_plan_input){.label = gate_str_from(label),
                                 .runs = {&f->profiles.inputs[GATE_BASELINE][at], &f->profiles.inputs[GATE_CANARY][at]},
                                 .counts = {1, 1}};
}

static struct gate_budget *plan_budget(struct plan_fixture *f, const char *name, const char *type) {
    struct gate_budget *budget = &f->budgets[f->rules.budget_count++];
    *budget = (struct gate_budget){
        .name = gate_str_from(name), .severity = GATE_SEVERITY_ERROR, .sample_type = gate_str_from(type)};
    return budget;
}

static bool plan_try(struct plan_fixture *f, const char *sample_type) {
    const struct gate_plan_options options = {.sample_type = gate_str_from(sample_type)};
    return gate_plan_spread(&f->spread, &f->rules, f->inputs, f->input_count, &f->profiles.arena, &f->profiles.err) &&
           gate_plan_make(&f->plan, &f->spread, f->inputs, f->input_count, &options, &f->profiles.arena,
                          &f->profiles.err);
}

TEST(one_comparison_serves_budgets_of_one_type) {
    struct plan_fixture f;
    plan_begin(&f);
    plan_input(&f, "", "main;a 3\n", "main;a 4\n");
    plan_budget(&f, "one", "");
    plan_budget(&f, "two", "samples");
    assert_true(plan_try(&f, ""));
    assert_int_equal(f.plan.comparison_count, 1);
    assert_int_equal(f.plan.budget_comparison[0], 0);
    assert_int_equal(f.plan.budget_comparison[1], 0);
    fixture_end(&f.profiles);
}

TEST(a_type_that_no_profile_holds_has_no_comparison) {
    struct plan_fixture f;
    plan_begin(&f);
    plan_input(&f, "", "main;a 3\n", "main;a 4\n");
    plan_budget(&f, "heap", "alloc_space");
    assert_true(plan_try(&f, ""));
    assert_int_equal(f.plan.comparison_count, 1); /* made all the same, so that a report has something to show */
    assert_int_equal(f.plan.budget_comparison[0], GATE_NO_INDEX);
    fixture_end(&f.profiles);
}

TEST(a_preset_leaves_out_budgets_whose_type_no_profile_holds) {
    static const struct {
        const char *source, *types[2];
        uint32_t kept;
        const char *shown;
    } rows[] = {
        {"heap (built in)",
         {"samples", "alloc_space"},
         1,
         "heap, without \"two\" whose values the profiles lack (built in)"},
        {"rules.yml", {"samples", "alloc_space"}, 2, "rules.yml"},
        {"heap (built in)", {"inuse_space", "alloc_space"}, 2, "heap (built in)"}, /* none fits: all are undecided */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct plan_fixture f;
        plan_begin(&f);
        f.rules.source = gate_str_from(rows[i].source);
        plan_input(&f, "", "main;a 3\n", "main;a 4\n");
        plan_budget(&f, "one", rows[i].types[0]);
        plan_budget(&f, "two", rows[i].types[1]);
        assert_true(plan_try(&f, ""));
        assert_int_equal(f.spread.budget_count, rows[i].kept);
        if (!gate_str_equal(f.spread.source, gate_str_from(rows[i].shown)))
            fail_msg("%.*s", GATE_STR_ARG(f.spread.source));
        fixture_end(&f.profiles);
    }
}

TEST(every_pair_gets_budgets) {
    /* a budget with a sample type applies to each pair that has the type */
    static const char *const types[] = {"", "samples"};
    for (size_t i = 0; i < 2; i++) {
        struct plan_fixture f;
        plan_begin(&f);
        plan_input(&f, "api", "main;a 3\n", "main;a 4\n");
        plan_input(&f, "worker", "main;b 3\n", "main;b 4\n");
        plan_budget(&f, "b", types[i]);
        assert_true(plan_try(&f, ""));
        assert_int_equal(f.spread.budget_count, 2);
        assert_true(gate_str_equal(f.spread.budgets[1].name, GATE_STR("b (worker)")));
        assert_int_equal(f.plan.comparison_count, 2);
        assert_int_equal(f.plan.budget_comparison[0], 0);
        assert_int_equal(f.plan.budget_comparison[1], 1);
        assert_true(gate_str_equal(f.plan.comparisons[1].name, GATE_STR("samples (worker)")));
        fixture_end(&f.profiles);
    }
}

TEST(a_pair_without_a_budget_is_an_error) {
    struct plan_fixture f;
    plan_begin(&f);
    plan_input(&f, "api", "main;a 3\n", "main;a 4\n");
    plan_input(&f, "worker", "main;b 3\n", "main;b 4\n");
    plan_budget(&f, "b", "api");
    assert_false(plan_try(&f, ""));
    assert_int_equal(f.profiles.err.code, GATE_ERR_CONFIG);
    assert_non_null(strstr(f.profiles.err.message, "'worker'"));
    fixture_end(&f.profiles);
}

TEST(budgets_that_are_off_make_no_comparison) {
    struct plan_fixture f;
    plan_begin(&f);
    plan_input(&f, "api", "main;a 3\n", "main;a 4\n");
    plan_budget(&f, "b", "")->severity = GATE_SEVERITY_OFF;
    assert_false(plan_try(&f, ""));
    fixture_end(&f.profiles);
}

TEST(a_sample_type_given_by_the_user_is_never_replaced) {
    static const char *const labels[] = {"", "cpu"};
    for (size_t i = 0; i < 2; i++) {
        struct plan_fixture f;
        plan_begin(&f);
        plan_input(&f, labels[i], "main;a 3\n", "main;a 4\n");
        plan_budget(&f, "b", "");
        assert_false(plan_try(&f, "alloc_space"));
        assert_int_equal(f.profiles.err.code, GATE_ERR_INPUT);
        fixture_end(&f.profiles);
    }
}

TEST(an_alias_selects_its_first_existing_type) {
    struct plan_fixture f;
    struct gate_str candidates[] = {GATE_STR("cpu/nanoseconds"), GATE_STR("samples/count")};
    struct gate_sample_type_alias alias = {.key = GATE_STR("work"), .candidates = candidates, .candidate_count = 2};
    plan_begin(&f);
    f.rules.sample_types = &alias;
    f.rules.sample_type_count = 1;
    plan_input(&f, "", "main;a 3\n", "main;a 4\n");
    plan_budget(&f, "b", "work");
    assert_true(plan_try(&f, ""));
    assert_int_equal(f.plan.budget_comparison[0], 0);
    assert_true(gate_str_equal(f.plan.comparisons[0].name, GATE_STR("work")));
    fixture_end(&f.profiles);
}

/* Return how many sample types of budgets only one side has. `missing` becomes the last of them. */
static uint32_t types_missing(struct gate_plan_missing *missing, struct plan_fixture *f, const char *asked) {
    struct gate_plan_missing *found = NULL;
    uint32_t count = 0;
    assert_true(gate_plan_find_missing(&found, &count, &f->rules, f->inputs, f->input_count, gate_str_from(asked),
                                       &f->profiles.arena, &f->profiles.err));
    if (count > 0)
        *missing = found[count - 1];
    return count;
}

TEST(a_named_type_that_one_side_lacks_is_found) {
    struct plan_fixture f;
    struct gate_plan_missing missing = {0};
    struct gate_str candidates[] = {GATE_STR("cpu/nanoseconds"), GATE_STR("samples/count")};
    struct gate_sample_type_alias alias = {.key = GATE_STR("work"), .candidates = candidates, .candidate_count = 2};
    plan_begin(&f);
    f.rules.sample_types = &alias;
    f.rules.sample_type_count = 1;
    plan_input(&f, "work", "main;a 3\n", "main;a 4\n");
    struct gate_budget *budget = plan_budget(&f, "b", "work");
    struct gate_value_type *canary = f.profiles.inputs[GATE_CANARY][0].profile->sample_types;
    /* neither side has the alias's first type, and both have its second */
    assert_int_equal(types_missing(&missing, &f, ""), 0);
    canary[0] = (struct gate_value_type){GATE_STR("cpu"), GATE_STR("nanoseconds")};
    assert_int_equal(types_missing(&missing, &f, ""), 1);
    assert_true(missing.side == GATE_BASELINE && gate_str_equal(missing.type, GATE_STR("cpu")) &&
                gate_str_equal(missing.label, GATE_STR("work")));
    assert_int_equal(types_missing(&missing, &f, "samples"), 0); /* the command line names another type */
    canary[0] = (struct gate_value_type){GATE_STR("wall"), GATE_STR("nanoseconds")};
    assert_int_equal(types_missing(&missing, &f, ""), 1);
    assert_true(missing.side == GATE_CANARY && gate_str_equal(missing.type, GATE_STR("samples")));
    budget->pair = GATE_STR("another");
    assert_int_equal(types_missing(&missing, &f, ""), 0);
    budget->pair = GATE_STR("work");
    budget->severity = GATE_SEVERITY_OFF;
    assert_int_equal(types_missing(&missing, &f, ""), 0);
    budget->severity = GATE_SEVERITY_ERROR;
    budget->sample_type = GATE_STR("");
    /* the profiles' default type; if one side lacks it, the comparison fails */
    assert_int_equal(types_missing(&missing, &f, ""), 0);
    fixture_end(&f.profiles);
}

/* What was in use within a window of allocations is a difference of two moments, and has no comparison. */
TEST(memory_in_use_within_a_window_is_not_compared) {
    static const struct {
        int64_t duration_ns;
        bool is_saved_diff, is_window;
    } rows[] = {{1, false, true}, {0, false, false}, {1, true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct plan_fixture f;
        struct gate_value_type types[] = {{GATE_STR("inuse_space"), GATE_STR("bytes")},
                                          {GATE_STR("alloc_space"), GATE_STR("bytes")}};
        plan_begin(&f);
        plan_input(&f, "", "main;a 3\n", "main;a 4\n");
        for (int side = 0; side < GATE_SIDES; side++) {
            struct gate_profile *profile = &f.profiles.profiles[side][0];
            profile->sample_types = types;
            profile->sample_type_count = 2;
            profile->duration_ns = rows[i].duration_ns;
            profile->is_saved_diff = rows[i].is_saved_diff;
            profile->has_negative_values = true;
        }
        assert_int_equal(gate_plan_holds(&f.inputs[0], types[0].type), !rows[i].is_window);
        assert_true(gate_plan_holds(&f.inputs[0], types[1].type));
        fixture_end(&f.profiles);
    }
}

#define HEAP(in_use) "heap profile: 1: 1 [9: 9000] @ heap/524288\n" in_use " [9: 9000] @ 0x1 0x2\n"
#define SIX_SAMPLES "1: 1572864" /* of 256 KiB: the header has twice the rate */

TEST(memory_in_use_is_not_judged_where_a_side_has_none) {
    static const char some[] = HEAP("2: 2000"), none[] = HEAP("0: 0");
    static const char much[] = HEAP("9: 9000000"), less[] = HEAP(SIX_SAMPLES);
    static const char twice[] = HEAP(SIX_SAMPLES " [9: 9000] @ 0x3 0x4\n" SIX_SAMPLES);
    static const struct {
        const char *baseline, *canary;
        bool has_nothing, is_much;
    } rows[] = {
        {some, none, true, false},  {none, some, true, false}, {none, none, true, false},
        {some, some, false, false}, {much, none, true, false}, {none, much, true, true}, /* perhaps a leak */
        {none, less, true, false},  {none, twice, true, true}, {"main;a 3\n", "main;a 4\n", false, false},
    };
    const size_t count = sizeof rows / sizeof *rows;
    for (size_t i = 0; i < count; i++) {
        struct plan_fixture f;
        plan_begin(&f);
        plan_input(&f, "", rows[i].baseline, rows[i].canary);
        bool is_much = false;
        assert_int_equal(gate_plan_has_nothing_in_use(&f.inputs[0], &is_much), rows[i].has_nothing);
        assert_int_equal(is_much, rows[i].is_much);
        assert_int_equal(gate_plan_holds(&f.inputs[0], GATE_STR("inuse_space")),
                         !rows[i].has_nothing && i != count - 1);
        fixture_end(&f.profiles);
    }
}

/* Bytes in use of a window are a difference also if no value is negative, unless it holds more than it allocated. */
TEST(a_window_that_holds_what_it_allocated_is_no_memory_in_use) {
    static const char none[] = HEAP("0: 0"), some[] = HEAP("2: 2000"), more[] = HEAP("9: 9001");
    static const char much[] = "heap profile: 1: 1 [9: 9000] @ heap/524288\n9: 9000000 [9: 9000000] @ 0x1 0x2\n";
    static const struct {
        const char *baseline, *canary;
        const char *type; /* the default sample type of both profiles */
        int64_t duration_ns;
        bool is_held, is_much;
    } rows[] = {
        {some, some, "alloc_space", 1, false, false}, {some, some, "alloc_space", 0, true, false},
        {some, more, "alloc_space", 1, true, false},  {more, some, "alloc_space", 1, true, false},
        {none, much, "alloc_space", 1, false, false}, {none, much, "alloc_space", 0, false, true},
        {some, some, "inuse_space", 1, true, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct plan_fixture f;
        bool is_much = false;
        plan_begin(&f);
        plan_input(&f, "", rows[i].baseline, rows[i].canary);
        for (int side = 0; side < GATE_SIDES; side++) {
            f.profiles.profiles[side][0].duration_ns = rows[i].duration_ns;
            f.profiles.profiles[side][0].default_sample_type = gate_str_from(rows[i].type);
        }
        assert_int_equal(gate_plan_holds(&f.inputs[0], GATE_STR("inuse_space")), rows[i].is_held);
        assert_true(gate_plan_holds(&f.inputs[0], GATE_STR("alloc_space")));
        assert_int_equal(gate_plan_has_nothing_in_use(&f.inputs[0], &is_much), rows[i].is_much);
        assert_int_equal(is_much, rows[i].is_much);
        fixture_end(&f.profiles);
    }
}
