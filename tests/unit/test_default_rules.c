/* SPDX-License-Identifier: Apache-2.0 */
/* Which presets apply if no rules are given. */
#include "gate/budget/default_rules.h"

#include "gate/rules/rules_parse.h"
#include "tests/unit/unit.h"

enum { INPUTS_MAX = 4, TYPES_MAX = 4 };

/* Inputs without samples, because the choice depends only on their sample types. */
struct chosen {
    struct gate_arena arena;
    struct gate_error err;
    struct gate_value_type types[INPUTS_MAX][TYPES_MAX];
    struct gate_profile profiles[INPUTS_MAX];
    struct gate_run_input runs[INPUTS_MAX];
    struct gate_plan_input inputs[INPUTS_MAX];
    uint32_t count;
    struct gate_str asked; /* sample type of the command line */
    struct gate_rules rules;
};

static void begin(struct chosen *c) {
    *c = (struct chosen){0};
    assert_true(gate_rules_parse_preset(&c->rules, "recommended", &c->arena, &c->err));
}

static void end(struct chosen *c) {
    gate_rules_free(&c->rules);
    gate_arena_free(&c->arena);
}

/* Add an input. `types` is a list such as "alloc_space/bytes inuse_space/bytes", whose last type is the default. */
static void add(struct chosen *c, const char *label, const char *types) {
    uint32_t at = c->count++;
    struct gate_profile *profile = &c->profiles[at];
    struct gate_str rest = gate_str_from(types);
    assert_true(c->count <= INPUTS_MAX);
    while (rest.len != 0) {
        struct gate_str word = gate_str_slice(rest, 0, gate_str_find(rest, GATE_STR(" "), 0));
        size_t slash = gate_str_find(word, GATE_STR("/"), 0);
        assert_true(profile->sample_type_count < TYPES_MAX);
        c->types[at][profile->sample_type_count++] = (struct gate_value_type){
            .type = gate_str_slice(word, 0, slash), .unit = gate_str_slice(word, slash + 1, word.len)};
        rest = gate_str_slice(rest, word.len + 1, rest.len);
    }
    profile->sample_types = c->types[at];
    c->runs[at] = (struct gate_run_input){.path = GATE_STR("run"), .profile = profile};
    c->inputs[at] =
        (struct gate_plan_input){.label = gate_str_from(label), .runs = {&c->runs[at], &c->runs[at]}, .counts = {1, 1}};
}

static void choose(struct chosen *c) {
    if (!gate_default_rules_choose(&c->rules, c->inputs, c->count, c->asked, &c->arena, &c->err))
        fail_msg("%s", c->err.message);
}

static void expect_source(const struct chosen *c, const char *source) {
    if (!gate_str_equal(c->rules.source, gate_str_from(source)))
        fail_msg("rules are %.*s, expected %s", GATE_STR_ARG(c->rules.source), source);
}

/* Expect the budgets of `preset` in their order, from index `first` on, each for `pair`. Return their number. */
static uint32_t expect_budgets(struct chosen *c, uint32_t first, const char *preset, const char *pair, bool is_named) {
    struct gate_rules wanted = {0};
    assert_true(gate_rules_parse_preset(&wanted, preset, &c->arena, &c->err));
    for (uint32_t i = 0; i < wanted.budget_count; i++) {
        assert_true(first + i < c->rules.budget_count);
        const struct gate_budget *found = &c->rules.budgets[first + i];
        struct gate_str name = wanted.budgets[i].name;
        if (is_named)
            name = gate_str_format(&c->arena, "%.*s (%s)", GATE_STR_ARG(name), pair);
        if (!gate_str_equal(found->name, name) || !gate_str_equal(found->pair, gate_str_from(pair)))
            fail_msg("budget %u is '%.*s' of '%.*s', expected '%.*s' of '%s'", (unsigned)(first + i),
                     GATE_STR_ARG(found->name), GATE_STR_ARG(found->pair), GATE_STR_ARG(name), pair);
        assert_int_equal(found->measure, wanted.budgets[i].measure);
        assert_true(gate_str_equal(found->sample_type, wanted.budgets[i].sample_type));
    }
    uint32_t count = wanted.budget_count;
    gate_rules_free(&wanted);
    return count;
}

static const char go_cpu[] = "samples/count cpu/nanoseconds";
static const char go_heap[] = "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes";

TEST(a_type_has_its_preset) {
    static const struct {
        const char *type, *preset;
    } rows[] = {
        {"cpu", "recommended"},      {"samples", "recommended"},
        {"", "recommended"},         {"inuse_space", "heap"},
        {"alloc_objects", "heap"},   {"alloc-space", "heap"},
        {"heap-live-size", "heap"},  {"space", "heap"},
        {"delay", "contention"},     {"contentions", "contention"},
        {"lock-time", "contention"}, {"wall", "wall"},
        {"wall-time", "wall"},       {"inuse_spaces", "recommended"},
        {"inuse", "recommended"},    {"delays", "recommended"},
        {"Wall", "recommended"},     {"goroutine", "goroutine"},
        {"peak_space", "heap"},      {"peak", "recommended"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(gate_default_rules_preset(gate_str_from(rows[i].type)), rows[i].preset);
}

/* The kind of a profile decides if its sample types do not: the type of fgprof is "time", which has no preset. */
TEST(one_input_gets_the_preset_of_its_type) {
    static const char time[] = "samples/count time/nanoseconds";
    static const struct {
        const char *types, *kind, *preset;
    } rows[] = {
        {go_cpu, "", "recommended"},
        {go_heap, "", "heap"},
        {"contentions/count delay/nanoseconds", "", "contention"},
        {"sample/count wall/nanoseconds", "", "wall"},
        {"goroutine/count", "", "goroutine"},
        {time, "wall", "wall"},
        {time, "cpu", "recommended"},
        {time, "", "recommended"},
        {time, "profile", "recommended"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct chosen c;
        char source[64];
        begin(&c);
        add(&c, "", rows[i].types);
        c.inputs[0].kind = gate_str_from(rows[i].kind);
        choose(&c);
        (void)snprintf(source, sizeof source, "%s (built in)", rows[i].preset);
        expect_source(&c, source);
        assert_int_equal(expect_budgets(&c, 0, rows[i].preset, "", false), c.rules.budget_count);
    }
}

/* If `recommended` fits all inputs, the rules keep even the same budgets in memory. */
TEST(recommended_is_left_alone) {
    AT_END(end) struct chosen c;
    begin(&c);
    const struct gate_budget *before = c.rules.budgets;
    add(&c, "a", go_cpu);
    add(&c, "b", go_cpu);
    choose(&c);
    assert_ptr_equal(c.rules.budgets, before);
}

TEST(pairs_of_different_kinds_have_their_own_budgets) {
    AT_END(end) struct chosen c;
    begin(&c);
    add(&c, "api", go_cpu);
    add(&c, "memory", go_heap);
    add(&c, "worker", go_cpu);
    add(&c, "locks", "contentions/count delay/nanoseconds");
    choose(&c);
    uint32_t at = expect_budgets(&c, 0, "recommended", "api", true);
    at += expect_budgets(&c, at, "heap", "memory", true);
    at += expect_budgets(&c, at, "recommended", "worker", true);
    at += expect_budgets(&c, at, "contention", "locks", true);
    assert_int_equal(at, c.rules.budget_count);
    expect_source(&c, "recommended, heap, contention (built in)");
}

/* gate_plan_spread keeps each budget with its pair and copies none to other pairs. */
TEST(the_plan_keeps_budgets_with_their_pairs) {
    AT_END(end) struct chosen c;
    struct gate_rules spread;
    begin(&c);
    add(&c, "cpu", go_cpu);
    add(&c, "heap", go_heap);
    add(&c, "inuse", go_heap); /* labelled like a sample type of the preset */
    choose(&c);
    if (!gate_plan_spread(&spread, &c.rules, c.inputs, c.count, &c.arena, &c.err))
        fail_msg("%s", c.err.message);
    assert_int_equal(spread.budget_count, c.rules.budget_count);
    for (uint32_t i = 0; i < spread.budget_count; i++) {
        assert_true(gate_str_equal(spread.budgets[i].name, c.rules.budgets[i].name));
        assert_true(gate_str_equal(spread.budgets[i].pair, c.rules.budgets[i].pair));
    }
}

TEST(two_heaps_share_a_preset) {
    AT_END(end) struct chosen c;
    begin(&c);
    add(&c, "api", go_heap);
    add(&c, "worker", go_heap);
    choose(&c);
    uint32_t at = expect_budgets(&c, 0, "heap", "api", true);
    at += expect_budgets(&c, at, "heap", "worker", true);
    assert_int_equal(at, c.rules.budget_count);
    expect_source(&c, "heap (built in)");
}

/* If a profile has several sample types, a pair's label that names one of them decides the preset. */
TEST(the_label_of_a_pair_gives_its_sample_type) {
    static const char both[] = "cpu-time/nanoseconds wall-time/nanoseconds";
    AT_END(end) struct chosen c;
    begin(&c);
    add(&c, "cpu-time", both);
    add(&c, "anything", both);
    choose(&c);
    uint32_t at = expect_budgets(&c, 0, "recommended", "cpu-time", true);
    at += expect_budgets(&c, at, "wall", "anything", true);
    assert_int_equal(at, c.rules.budget_count);
}

/* Of snapshots of one heap, what was allocated since the start is not compared. */
TEST(types_that_are_not_compared_have_no_budgets) {
    AT_END(end) struct chosen c;
    begin(&c);
    add(&c, "", go_heap);
    c.inputs[0].void_types = GATE_STR("alloc_");
    choose(&c);
    assert_true(c.rules.budget_count > 0);
    for (uint32_t i = 0; i < c.rules.budget_count; i++)
        assert_true(gate_str_equal(c.rules.budgets[i].sample_type, GATE_STR("inuse")));
}

/* A default budget whose sample type is missing is left out, so that it cannot make the run inconclusive. */
TEST(budgets_on_missing_values_are_left_out) {
    static const char *const held[] = {"inuse_objects/count inuse_space/bytes", "objects/count space/bytes"};
    struct chosen c;
    for (size_t row = 0; row < sizeof held / sizeof *held; row++) {
        begin(&c);
        add(&c, "", held[row]);
        choose(&c);
        expect_source(&c, "heap (built in)");
        assert_int_equal(c.rules.budget_count, 3);
        for (uint32_t i = 0; i < c.rules.budget_count; i++)
            assert_true(gate_str_equal(c.rules.budgets[i].sample_type, GATE_STR("inuse")));
        end(&c);
    }
    begin(&c);
    add(&c, "", "contentions/count"); /* no delay column */
    choose(&c);
    expect_source(&c, "recommended (built in)");
    assert_int_equal(expect_budgets(&c, 0, "recommended", "", false), c.rules.budget_count);
    end(&c);
}

/* The sample type of the command line decides, and budgets on other types are left out. */
TEST(the_type_of_the_command_line_has_its_preset) {
    static const char recording[] = "cpu/nanoseconds alloc_space/bytes contentions/count delay/nanoseconds";
    static const struct {
        const char *types, *asked, *preset, *budgets; /* budgets: sample type of all that are kept */
    } rows[] = {
        {go_heap, "inuse_space", "heap", "inuse"},
        {go_heap, "space", "heap", "inuse"},
        {go_heap, "alloc_space/bytes", "heap", "alloc"},
        {go_heap, "alloc_objects", "recommended", ""}, /* no budget of the preset is about it */
        {recording, "alloc_space", "heap", "alloc"},
        {recording, "delay", "contention", "delay"},
        {recording, "cpu", "recommended", ""},
        {"samples/count wall/nanoseconds", "samples", "recommended", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct chosen c;
        char source[64];
        begin(&c);
        add(&c, "", rows[i].types);
        c.asked = gate_str_from(rows[i].asked);
        choose(&c);
        (void)snprintf(source, sizeof source, "%s (built in)", rows[i].preset);
        expect_source(&c, source);
        assert_true(c.rules.budget_count > 0);
        for (uint32_t b = 0; b < c.rules.budget_count; b++)
            assert_true(gate_str_equal(c.rules.budgets[b].sample_type, gate_str_from(rows[i].budgets)));
    }
}

/* The patterns of each preset belong to the rules and are freed once, with them. */
/* Read rules of a file in place of the preset, and complete them for the inputs. */
static void complete(struct chosen *c, const char *text) {
    gate_rules_free(&c->rules);
    c->rules = (struct gate_rules){0};
    if (!gate_rules_parse(&c->rules, gate_str_from(text), GATE_STR("rules.yml"), NULL, &c->arena, &c->err) ||
        !gate_default_rules_complete(&c->rules, c->inputs, c->count, c->asked, &c->arena, &c->err))
        fail_msg("%s", c->err.message);
}

#define OWN "budgets: [{name: mine, measure: self, limit: \"+5pp\"}]\n"

TEST(a_file_that_extends_a_preset_of_cpu_time_judges_memory_by_that_of_memory) {
    AT_END(end) struct chosen c;
    begin(&c);
    add(&c, "", "alloc_space/bytes inuse_space/bytes");
    complete(&c, "version: 1\nextends: recommended\n" OWN);
    assert_string_equal(c.rules.budgets[0].name.ptr, "mine"); /* applies to every type, as before */
    assert_int_equal(expect_budgets(&c, 1, "heap", "", false) + 1, c.rules.budget_count);
    expect_source(&c, "rules.yml");
}

TEST(a_preset_of_cpu_time_that_is_named_leaves_memory_to_that_of_memory) {
    AT_END(end) struct chosen c;
    begin(&c);
    add(&c, "cpu", "samples/count cpu/nanoseconds");
    add(&c, "heap", "alloc_space/bytes inuse_space/bytes");
    gate_rules_free(&c.rules);
    assert_true(gate_rules_parse_preset(&c.rules, "node", &c.arena, &c.err));
    assert_true(gate_default_rules_complete(&c.rules, c.inputs, c.count, c.asked, &c.arena, &c.err));
    uint32_t at = expect_budgets(&c, 0, "node", "cpu", false);
    at += expect_budgets(&c, at, "heap", "heap", true);
    assert_int_equal(at, c.rules.budget_count);
    expect_source(&c, "node, heap (built in)");
}

TEST(budgets_of_cpu_time_stay_with_the_other_pairs) {
    AT_END(end) struct chosen c;
    begin(&c);
    add(&c, "cpu", "samples/count cpu/nanoseconds");
    add(&c, "heap", "alloc_space/bytes inuse_space/bytes");
    add(&c, "mutex", "contentions/count delay/nanoseconds");
    complete(&c, "version: 1\nextends: recommended\n");
    uint32_t at = expect_budgets(&c, 0, "recommended", "cpu", false);
    at += expect_budgets(&c, at, "heap", "heap", true);
    at += expect_budgets(&c, at, "contention", "mutex", true);
    assert_int_equal(at, c.rules.budget_count);
}

TEST(no_preset_is_added_to_a_file_that_names_the_type_or_extends_nothing) {
    static const char *const texts[] = {
        "version: 1\nextends: recommended\nbudgets:\n"
        "  - {name: bytes, sample_type: inuse_space, measure: total_cost, per: run, limit: \"+10%\"}\n",
        "version: 1\nextends: [recommended, heap]\n",
        "version: 1\n" OWN,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        AT_END(end) struct chosen c;
        struct gate_rules read = {0};
        begin(&c);
        add(&c, "", "alloc_space/bytes inuse_space/bytes");
        assert_true(gate_rules_parse(&read, gate_str_from(texts[i]), GATE_STR("r"), NULL, &c.arena, &c.err));
        complete(&c, texts[i]);
        assert_int_equal(c.rules.budget_count, read.budget_count);
        gate_rules_free(&read);
    }
}

TEST(regexes_are_copied_with_their_budgets) {
    AT_END(end) struct chosen c;
    begin(&c);
    add(&c, "web", "sample/count wall/nanoseconds");
    add(&c, "api", "sample/count wall/nanoseconds");
    choose(&c);
    assert_int_equal(c.rules.regex_count, 2 * 4);
    for (uint32_t i = 0; i < c.rules.budget_count; i++)
        assert_int_equal(gate_regex_match(c.rules.budgets[i].select.not_function.regex, GATE_STR("epoll_wait")),
                         GATE_REGEX_YES);
}

/* With growing arena limits: clean errors that leave the rules unchanged, then success. Nothing leaks. */
TEST(every_memory_limit_is_a_clean_error) {
    bool done = false;
    for (size_t limit = 1; limit < (1u << 22) && !done; limit += 1 + limit / 12) {
        AT_END(gate_arena_free) struct gate_arena arena = {0}; /* it holds the rules, which end first */
        AT_END(end) struct chosen c;
        begin(&c);
        add(&c, "web", "sample/count wall/nanoseconds");
        add(&c, "heap", go_heap);
        add(&c, "locks", "contentions/count");
        gate_arena_init(&arena, limit);
        const struct gate_budget *before = c.rules.budgets;
        done = gate_default_rules_choose(&c.rules, c.inputs, c.count, c.asked, &arena, &c.err);
        if (!done) {
            assert_true(c.err.code == GATE_ERR_LIMIT || c.err.code == GATE_ERR_MEMORY);
            assert_ptr_equal(c.rules.budgets, before);
        }
    }
    assert_true(done);
}
