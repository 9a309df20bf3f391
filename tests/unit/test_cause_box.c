/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graph boxes of findings and causes: a box that breaks a budget is marked as broken and never called noise. */
#include "gate/report/flame_graph.h"
#include "gate/report/trees.h"
#include "tests/unit/unit.h"
#include "tests/unit/verdict_fixture.h"

static const char *const work = "shop.Total", *const lists = "shop.List";

/* The self cost of `work` grew by about as much as its callee shrank. */
static void build(struct fixture *f, enum gate_outcome outcome, enum gate_measure measure) {
    fixture_init(f);
    fixture_stack(f, "main;shop.Total", 200, 440);
    fixture_stack(f, "main;shop.Total;shop.Tax", 600, 380);
    fixture_stack(f, "main;shop.List;sort.Slice", 1180, 1150);
    fixture_stack(f, "main;shop.List", 20, 30);
    fixture_seal(f);
    fixture_budget(f, "own code", outcome, work, measure);
    fixture_budget(f, "lists", GATE_OUTCOME_INCONCLUSIVE, lists, GATE_SELF);
    fixture_causes(f);
}

static const struct gate_tree *tree_of(struct fixture *f, enum gate_trees_view view) {
    const struct gate_tree *tree;
    assert_true(gate_trees_get(&tree, NULL, &f->verdict, 0, view, 0, &f->arena, &err));
    return tree;
}

static uint32_t box_of(const struct fixture *f, const struct gate_tree *tree, const char *name, bool is_self) {
    uint32_t frame = gate_table_find(&f->frames, gate_str_from(name));
    for (uint32_t i = 1; i < tree->count; i++)
        if (tree->nodes[i].frame == frame && tree->nodes[i].is_self == is_self)
            return i;
    fail_msg("no box of %s", name);
    return 0;
}

static void assert_says(struct fixture *f, const struct gate_tree *tree, uint32_t node, const char *words) {
    struct gate_layout layout;
    AT_END(gate_buf_free) struct gate_buf out = {0};
    assert_true(gate_layout_make(&layout, tree, &(struct gate_layout_options){0}, &f->arena, &err));
    gate_layout_describe(&out, &layout, node);
    assert_true(gate_str_equal(gate_buf_view(&out), gate_str_from(words)));
}

TEST(a_self_budget_marks_the_self_box_broken) {
    AT_END(fixture_free) struct fixture f;
    build(&f, GATE_OUTCOME_FAIL, GATE_SELF);
    const struct gate_tree *tree = tree_of(&f, GATE_BY_CALLER);
    uint32_t whole = box_of(&f, tree, work, false), self = box_of(&f, tree, work, true);
    assert_int_equal(tree->nodes[self].mark, GATE_TREE_BROKEN);
    assert_true(tree->nodes[self].is_significant);
    assert_says(&f, tree, self, "grew, breaks a budget");
    assert_int_equal(gate_cause_box_show(tree, &f.verdict.causes.items[0]), self);
    assert_int_equal(gate_cause_box_find(tree, &f.verdict.causes.items[0]), whole);
}

TEST(a_box_over_a_limit_is_never_shown_as_noise) {
    struct fixture f;
    static const struct {
        enum gate_outcome outcome;
        const char *words;
    } rows[] = {{GATE_OUTCOME_FAIL, "breaks a budget"},
                {GATE_OUTCOME_WARN, "over a limit that warns"},
                {GATE_OUTCOME_INCONCLUSIVE, "not decided"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        build(&f, rows[i].outcome, GATE_CUMULATIVE);
        f.findings[0].evidence.delta = 0; /* as for a limit on a level: without growth the box is grey */
        fixture_causes(&f);
        const struct gate_tree *tree = tree_of(&f, GATE_BY_CALLER);
        assert_says(&f, tree, box_of(&f, tree, work, false), rows[i].words);
        assert_says(&f, tree, box_of(&f, tree, lists, true), "not decided");
        fixture_free(&f);
    }
}

/* Its growth is beneath the first box, which is as large as before, since another callee shrank. The second box shrank.
 */
TEST(the_box_of_a_cause_contains_its_growth) {
    AT_END(fixture_free) struct fixture f;
    fixture_init(&f);
    fixture_stack(&f, "net/http.a;shop.Serve;shop.List", 800, 600);
    fixture_stack(&f, "net/http.a;shop.Serve;sort.Slice", 20, 220);
    fixture_stack(&f, "net/http.b;shop.Serve", 200, 120);
    fixture_stack(&f, "main;shop.Rest", 980, 1060);
    fixture_seal(&f);
    fixture_budget(&f, "own code", GATE_OUTCOME_FAIL, "shop.Serve", GATE_CHARGED);
    fixture_causes(&f);
    const struct gate_tree *tree = tree_of(&f, GATE_BY_CALLER);
    uint32_t box = gate_cause_box_find(tree, &f.verdict.causes.items[0]);
    assert_true(box != GATE_NO_INDEX);
    assert_true(tree->nodes[box].parent == box_of(&f, tree, "net/http.a", false));
}

TEST(a_tolerated_change_is_not_marked) {
    AT_END(fixture_free) struct fixture f;
    build(&f, GATE_OUTCOME_WARN, GATE_CUMULATIVE);
    f.findings[0].reason = GATE_REASON_TOLERATED;
    fixture_causes(&f);
    const struct gate_tree *tree = tree_of(&f, GATE_BY_CALLER);
    assert_int_equal(tree->nodes[box_of(&f, tree, work, false)].mark, GATE_TREE_UNMARKED);
}

TEST(by_callee_the_self_cost_is_at_the_root) {
    AT_END(fixture_free) struct fixture f;
    build(&f, GATE_OUTCOME_FAIL, GATE_SELF);
    const struct gate_tree *tree = tree_of(&f, GATE_BY_CALLEE);
    uint32_t frame = gate_table_find(&f.frames, gate_str_from(work));
    for (uint32_t i = 1; i < tree->count; i++) {
        assert_false(tree->nodes[i].is_self);
        bool is_own_cost = tree->nodes[i].frame == frame && tree->nodes[i].parent == 0;
        assert_int_equal(tree->nodes[i].mark == GATE_TREE_BROKEN, is_own_cost);
    }
}
