/* SPDX-License-Identifier: Apache-2.0 */
/* budget/hypotheses.h on stacks: groups, `under`, runtime frames, and arenas that are too small. */
#include "tests/unit/pair_fixture.h"

#include "gate/budget/hypotheses.h"
#include "gate/rules/rules_parse.h"

#include <math.h>

struct folded {
    struct pair_fixture pair;
    struct gate_comparison comparison;
    struct gate_rules rules;
    struct gate_hypothesis_list list;
    uint32_t matched;
};

static const char baseline[] =
    "main;serve;parse;alloc 100\nmain;serve;encode;alloc 300\nmain;encode 100\nmain;idle 1500\n"
    "main;serve;sort 500\nmain;serve;hash 500\nmain;serve;log 500\nmain;read 500\n";
static const char canary[] = "main;serve;parse;alloc 100\nmain;serve;encode;alloc 900\nmain;encode 100\nmain;idle 900\n"
                             "main;serve;sort 500\nmain;serve;hash 500\nmain;serve;log 500\nmain;read 500\n";

static void begin(struct folded *f, const char *budgets) {
    const double work[GATE_SIDES] = {0, 0};
    *f = (struct folded){0};
    fixture_begin(&f->pair);
    fixture_add(&f->pair, GATE_BASELINE, baseline);
    fixture_add(&f->pair, GATE_CANARY, canary);
    fixture_make(&f->pair, NULL);
    f->comparison = (struct gate_comparison){.name = GATE_STR("cpu"), .pair = f->pair.pair, .deltas = f->pair.deltas};
    struct gate_arena *arena = &f->pair.arena;
    struct gate_str text = gate_str_format(arena, "version: 1\nbudgets: [%s]\n", budgets);
    if (!gate_rules_parse(&f->rules, text, GATE_STR("rules.yml"), NULL, arena, &f->pair.err) ||
        !gate_comparison_judge(&f->comparison, work, arena, &f->pair.err))
        fail_msg("%s", f->pair.err.message);
}

static void collect(struct folded *f) {
    struct gate_budget_scope scope = {
        .rules = &f->rules, .comparison = &f->comparison, .exposure = {.ratio = 1.0}, .now = {.margin = 0.05}};
    if (!gate_hypotheses_collect(&f->list, &f->matched, &scope, &f->pair.arena, &f->pair.err))
        fail_msg("%s", f->pair.err.message);
}

static void end(struct folded *f) {
    gate_rules_free(&f->rules);
    fixture_end(&f->pair);
}

static const struct gate_hypothesis *find(const struct folded *f, const char *name) {
    for (size_t i = 0; i < f->list.count; i++)
        if (gate_str_equal(f->list.items[i].name, gate_str_from(name)))
            return &f->list.items[i];
    return NULL;
}

TEST(a_group_gives_one_hypothesis) {
    AT_END(end) struct folded f;
    begin(&f, "{name: both, as: group, measure: cumulative, select: '^(encode|alloc)$', limit: +5pp}");
    collect(&f);
    assert_int_equal(f.matched, 1);
    assert_int_equal(f.list.count, 1);
    assert_true(gate_str_equal(f.list.items[0].name, GATE_STR("both")));
    assert_int_equal(f.list.items[0].frame, GATE_NO_INDEX);
    assert_int_equal(f.list.items[0].evidence->value[GATE_BASELINE], 500); /* each stack counts once */
    assert_int_equal(f.list.items[0].evidence->value[GATE_CANARY], 1100);
    assert_int_not_equal(f.list.items[0].set_id, 0);
    assert_false(f.list.items[0].is_runtime);
}

TEST(a_group_without_frames_has_no_hypothesis) {
    AT_END(end) struct folded f;
    begin(&f, "{name: none, as: group, select: nowhere, limit: +5pp}");
    collect(&f);
    assert_int_equal(f.matched, 0);
    assert_int_equal(f.list.count, 0);
}

/* A ratio limit tests a group however small it is. Of single frames it tests only those with a share of 0.5% or
 * more. */
TEST(a_ratio_limit_tests_groups_of_any_share) {
    struct folded f;
    begin(&f, "{name: all, as: group, limit: 2x}");
    collect(&f);
    assert_true(f.list.items[0].least_share == 0.0);
    end(&f);
    begin(&f, "{name: each, limit: 2x}");
    collect(&f);
    assert_true(f.list.items[0].least_share == 0.005);
    end(&f);
}

TEST(one_runtime_frame_makes_a_group_runtime) {
    struct folded f;
    for (int other = 0; other < 2; other++) {
        begin(&f, "{name: both, as: group, select: '^(encode|alloc)$', limit: +5pp}");
        f.comparison.pair.frames[fixture_frame(&f.pair, other ? "sort" : "alloc")].is_runtime = true;
        collect(&f);
        assert_int_equal(f.list.items[0].is_runtime, !other);
        end(&f);
    }
}

/* Only stacks of alloc below encode count; its other stacks belong to other callers. */
TEST(under_counts_only_stacks_below_its_frame) {
    struct folded f;
    begin(&f, "{name: x, select: {function: '^alloc$', under: '^encode$'}, limit: +5pp}");
    collect(&f);
    const struct gate_hypothesis *alloc = find(&f, "alloc");
    assert_non_null(alloc);
    assert_int_equal(alloc->evidence->value[GATE_BASELINE], 300);
    assert_int_equal(alloc->evidence->value[GATE_CANARY], 900);
    assert_true(alloc->set_id != f.comparison.deltas.items[alloc->frame].set_id[GATE_SELF]);
    end(&f);
    begin(&f, "{name: x, as: group, select: {function: '^alloc$', under: '^parse$'}, limit: +5pp}");
    collect(&f);
    assert_int_equal(f.list.items[0].evidence->value[GATE_CANARY], 100);
    end(&f);
}

/* A budget on plain frames uses the comparison's evidence. Without `frames` the evidence is computed again, with the
 * same result. */
TEST(a_plain_budget_uses_the_evidence_of_the_comparison) {
    AT_END(end) struct folded f;
    begin(&f, "{name: x, select: '^alloc$', limit: +5pp}");
    uint32_t alloc = fixture_frame(&f.pair, "alloc");
    struct gate_evidence judged = *f.comparison.frames[alloc].evidence[GATE_SELF], marked = judged;
    marked.sigma = 7.0;
    f.comparison.frames[alloc].evidence[GATE_SELF] = &marked;
    collect(&f);
    assert_true(f.list.items[0].evidence->sigma == 7.0);
    f.comparison.frames = NULL;
    f.list = (struct gate_hypothesis_list){0};
    collect(&f);
    assert_true(f.list.items[0].evidence->sigma == judged.sigma && f.list.items[0].evidence->z == judged.z);
}

/* A group's evidence is computed from the comparison's noise model, or with the prior estimated from the replicates of
 * all frames. */
TEST(group_evidence_uses_the_noise_model_or_prior) {
    struct folded f;
    begin(&f, "{name: both, as: group, select: '^(encode|alloc)$', limit: +5pp}");
    struct gate_noise noise = {.run_count = 10, .rho = {0.001, 0.001, 0.001}};
    assert_true(gate_noise_index(&noise, &f.pair.arena, &f.pair.err));
    f.comparison.noise = &noise;
    collect(&f);
    assert_int_equal(f.list.items[0].evidence->variation, GATE_VARIATION_MODEL);
    end(&f);
    begin(&f, "{name: both, as: group, select: '^(sort|hash)$', limit: +5pp}");
    const double work[GATE_SIDES] = {0, 0};
    struct gate_evidence_options leaning = {.noise = NULL};
    fixture_add(&f.pair, GATE_BASELINE, "main;serve;sort 1500\nmain;serve;hash 200\nmain;idle 2300\n");
    fixture_add(&f.pair, GATE_CANARY, "main;serve;sort 200\nmain;serve;hash 900\nmain;idle 2900\n");
    fixture_make(&f.pair, NULL);
    f.comparison = (struct gate_comparison){.name = GATE_STR("cpu"), .pair = f.pair.pair, .deltas = f.pair.deltas};
    assert_true(gate_comparison_judge(&f.comparison, work, &f.pair.arena, &f.pair.err));
    collect(&f);
    assert_true(gate_evidence_prior(&leaning, &f.comparison.pair, &f.comparison.deltas, &f.pair.arena, &f.pair.err));
    struct gate_delta_list group;
    uint8_t marks[32] = {0};
    marks[fixture_frame(&f.pair, "sort")] = marks[fixture_frame(&f.pair, "hash")] = 1;
    const struct gate_delta_filter all = {NULL};
    assert_true(gate_delta_group(&group, &f.comparison.pair, marks, &all, &f.pair.arena, &f.pair.err));
    struct gate_evidence expected =
        gate_evidence_of(&f.comparison.pair, &group, 0, GATE_SELF, GATE_STR("both"), &leaning);
    assert_int_equal(expected.variation, GATE_VARIATION_REPLICATES);
    assert_true(f.list.items[0].evidence->phi == expected.phi && expected.phi > 1.0);
    end(&f);
}

/* With each memory limit that is too small the function fails with an error. */
TEST(any_limit_on_memory_is_a_clean_error) {
    static const char *const budgets[] = {"{name: x, limit: +0pp}", "{name: x, min_share: 3%, limit: +0pp}",
                                          "{name: x, as: group, limit: +5pp}", "{name: x, measure: total, limit: +10%}",
                                          "{name: x, select: {function: 'e', under: '^encode$'}, limit: +5pp}"};
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        AT_END(end) struct folded f;
        bool done = false;
        size_t refused = 0;
        begin(&f, budgets[i]);
        struct gate_budget_scope scope = {
            .rules = &f.rules, .comparison = &f.comparison, .exposure = {.ratio = 1.0}, .now = {.margin = 0.05}};
        for (size_t limit = 1; limit < 400000 && !done; limit += 16) {
            AT_END(gate_arena_free) struct gate_arena arena;
            struct gate_error err = {0};
            struct gate_hypothesis_list list = {0};
            gate_arena_init(&arena, limit);
            done = gate_hypotheses_collect(&list, &f.matched, &scope, &arena, &err);
            refused += !done;
            assert_true(done ? list.count > 0 && err.code == GATE_OK
                             : err.code == GATE_ERR_LIMIT || err.code == GATE_ERR_MEMORY);
        }
        assert_true(done && refused > 2);
    }
}
