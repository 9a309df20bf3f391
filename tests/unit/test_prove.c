/* SPDX-License-Identifier: Apache-2.0 */
/* budget/prove.h: which functions are tried, the outcomes of the draws, and the counts in the cells. */
#include "gate/budget/prove.h"

#include "gate/rules/rules_parse.h"
#include "pair_fixture.h"

static const char stacks[] = "main.main;main.large 4000\n"
                             "main.main;main.middle 1500\n"
                             "main.main;main.watched 800\n"
                             "main.main;main.small 300\n"
                             "main.main;lib.tail 3400\n";

static const char rules_text[] = "version: 1\n"
                                 "guards: {estimated_cost: \"off\"}\n"
                                 "budgets:\n"
                                 "  - {name: watched, select: {function: 'main\\.watched'}, measure: charged,"
                                 " limit: {share_increase: \"+5pp\"}}\n"
                                 "  - {name: told, select: {function: 'main\\.middle'}, measure: charged,"
                                 " severity: warn, limit: {share_increase: \"+5pp\"}}\n";

struct proven {
    struct pair_fixture f;
    struct gate_rules rules;
    struct gate_plan_options plan;
    struct gate_plant_base base;
    struct gate_prove_options options;
};

static void begin(struct proven *p) {
    const struct gate_rules_reader reader = {0};
    const struct gate_plant_variation variation = {.noise = NULL};
    fixture_begin(&p->f);
    if (!gate_rules_parse(&p->rules, gate_str_from(rules_text), GATE_STR("rules.yml"), &reader, &p->f.arena, &p->f.err))
        fail_msg("%s", p->f.err.message);
    p->plan = (struct gate_plan_options){.frames = p->rules.frames};
    fixture_add(&p->f, GATE_BASELINE, stacks);
    fixture_add(&p->f, GATE_CANARY, stacks);
    const struct gate_pair_options pairing = {.frames = p->rules.frames};
    fixture_make(&p->f, &pairing);
    assert_true(gate_plant_prepare(&p->base, &p->f.pair, &p->f.deltas, &variation, 1.0, &p->f.arena, &p->f.err));
    p->options = (struct gate_prove_options){.rules = &p->rules,
                                             .plan = &p->plan,
                                             .run = &p->f.inputs[GATE_BASELINE][0],
                                             .runs = 2,
                                             .draws = 20,
                                             .seed = 1,
                                             .arena = &p->f.arena};
}

static void end(struct proven *p) {
    gate_rules_free(&p->rules);
    fixture_end(&p->f);
}

static struct gate_prove_frame prove(struct proven *p, const char *name, const double *sizes, uint32_t count) {
    uint32_t at = fixture_frame(&p->f, name);
    struct gate_prove_frame frame = {.name = p->f.pair.frames[at].name,
                                     .plant = {.frame = at},
                                     .share = gate_plant_share(&p->base, at),
                                     .cell_count = 1};
    if (!gate_prove_frame(&frame, sizes, count, &p->base, &p->options, &p->f.err))
        fail_msg("%s", p->f.err.message);
    return frame;
}

TEST(a_watched_function_is_found) {
    static const double sizes[] = {0.005, 0.2, 0.3};
    AT_END(end) struct proven p;
    begin(&p);
    struct gate_prove_frame frame = prove(&p, "main.watched", sizes, 3);
    assert_int_equal(frame.cell_count, 2); /* each draw finds the second size, so the third is not tried */
    assert_int_equal(frame.cells[0].failed, 0);
    assert_int_equal(frame.cells[1].failed, 20);
    assert_int_equal(frame.cells[1].named, 20);
    assert_int_equal(gate_prove_budget(frame.caught), 0);
    assert_true(frame.is_looked_at);
    assert_ptr_equal(gate_prove_found(&frame, GATE_PROVE_FOUND), &frame.cells[1]);
    struct gate_prove proof = {.rules = &p.rules};
    assert_true(gate_prove_none(&proof, &p.base, &p.options, &p.f.err));
    assert_int_equal(proof.none.failed, 0);
    assert_int_equal(proof.none.failed + proof.none.open + proof.none.passed, 20);
}

TEST(a_function_without_a_budget_passes) {
    static const double sizes[] = {0.3};
    AT_END(end) struct proven p;
    begin(&p);
    struct gate_prove_frame large = prove(&p, "main.large", sizes, 1), middle = prove(&p, "main.middle", sizes, 1);
    assert_false(large.is_looked_at);
    assert_int_equal(large.cells[0].passed, 20);
    assert_ptr_equal(gate_prove_unseen(&large), &large.cells[0]);
    assert_null(gate_prove_found(&large, GATE_PROVE_HALF));
    assert_int_equal(gate_prove_budget(large.warned), GATE_NO_INDEX);
    assert_false(middle.is_looked_at);
    assert_int_equal(gate_prove_budget(middle.warned), 1);
}

TEST(equal_seeds_draw_equal_runs) {
    static const double sizes[] = {0.02, 0.05, 0.08};
    AT_END(end) struct proven p;
    begin(&p);
    struct gate_prove_frame one = prove(&p, "main.watched", sizes, 3), two = prove(&p, "main.watched", sizes, 3);
    assert_memory_equal(one.cells, two.cells, sizeof one.cells);
    /* The same draws fail more often with more growth. */
    for (uint32_t i = 1; i < one.cell_count; i++)
        assert_true(one.cells[i].failed >= one.cells[i - 1].failed);
}

TEST(growth_beyond_the_whole_profile_is_not_planted) {
    static const double sizes[] = {0.01, 0.95};
    AT_END(end) struct proven p;
    begin(&p);
    assert_int_equal(prove(&p, "main.large", sizes, 2).cell_count, 1);
}

/* The largest three, one in the middle, the smallest, and the smallest again as if it were new. */
TEST(functions_are_chosen_by_size) {
    AT_END(end) struct proven p;
    struct gate_prove_frame frames[6];
    uint32_t all = 0;
    begin(&p);
    assert_int_equal(gate_prove_choose(frames, &p.base, 0.01, &p.f.arena), 6);
    assert_true(gate_str_equal(frames[0].name, GATE_STR("main.large")));
    assert_true(frames[0].share >= frames[1].share && frames[1].share >= frames[2].share);
    assert_true(gate_str_equal(frames[4].name, GATE_STR("main.small")) && !frames[4].plant.is_new);
    assert_true(gate_str_equal(frames[5].name, GATE_STR("main.small")) && frames[5].plant.is_new);
    const struct gate_prove_frame *listed = gate_prove_all(&all, &p.base, 0.05, &p.f.arena);
    /* collapsed stacks do not tell own code from libraries, so all functions count as own */
    assert_int_equal(all, 4);
    assert_true(gate_str_equal(listed[3].name, GATE_STR("main.watched")));
    assert_int_equal(gate_prove_choose(frames, &p.base, 0.9, &p.f.arena), 0);
}

TEST(the_required_growth_is_found_not_found_or_undecided) {
    static const struct {
        uint32_t failed, passed;
        enum gate_outcome outcome;
    } rows[] = {{100, 0, GATE_OUTCOME_PASS}, {95, 5, GATE_OUTCOME_PASS},        {85, 15, GATE_OUTCOME_INCONCLUSIVE},
                {60, 40, GATE_OUTCOME_FAIL}, {8, 2, GATE_OUTCOME_INCONCLUSIVE}, {0, 10, GATE_OUTCOME_FAIL}};
    enum gate_outcome worst = GATE_OUTCOME_PASS;
    struct gate_prove_frame frames[sizeof rows / sizeof *rows] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        frames[i].cells[0] = (struct gate_prove_cell){0.05, rows[i].failed, 0, rows[i].passed, 0};
        frames[i].cell_count = 1;
        assert_int_equal(gate_prove_outcome_of(&frames[i].cells[0]), rows[i].outcome);
        const struct gate_prove proof = {.frames = frames, .frame_count = (uint32_t)i + 1, .at_least = 0.05};
        worst = rows[i].outcome > worst ? rows[i].outcome : worst;
        assert_int_equal(gate_prove_outcome(&proof), worst);
    }
    const struct gate_prove unasked = {.frames = frames, .frame_count = 6};
    assert_int_equal(gate_prove_outcome(&unasked), GATE_OUTCOME_PASS);
}
