/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graph boxes for the self cost of functions. */
#include "gate/report/trees.h"
#include "tests/unit/unit.h"
#include "tests/unit/verdict_fixture.h"

static void tree_of(struct gate_tree *out, struct fixture *f, double min_share) {
    struct gate_tree bare;
    assert_true(gate_trees_whole(&bare, &f->comparison, &f->arena, &err));
    assert_true(gate_self_boxes_add(out, &bare, min_share, &f->arena, &err));
}

static struct gate_str name_of(const struct fixture *f, const struct gate_tree *tree, uint32_t node) {
    return f->comparison.pair.frames[tree->nodes[node].frame].name;
}

/* Boxes are depth first, and the box of a function's self cost comes after its callees. A function without callees, or
 * without self cost, has no such box. */
TEST(self_boxes_come_after_the_callees) {
    FIXTURE(f);
    fixture_stack(&f, "main;b", 10, 30);
    fixture_stack(&f, "main;b;c", 60, 40);
    fixture_stack(&f, "main;a;c", 30, 30);
    fixture_seal(&f);
    struct gate_tree tree;
    tree_of(&tree, &f, 0);
    static const struct {
        const char *name;
        bool is_self;
        uint32_t parent, next;
        int64_t base, canary; /* samples */
    } rows[] = {
        {"main", false, 0, GATE_NO_INDEX, 100, 100}, {"a", false, 1, 4, 30, 30}, {"c", false, 2, GATE_NO_INDEX, 30, 30},
        {"b", false, 1, GATE_NO_INDEX, 70, 70},      {"c", false, 4, 6, 60, 40}, {"b", true, 4, GATE_NO_INDEX, 10, 30}};
    assert_int_equal(tree.count, 1 + sizeof rows / sizeof *rows);
    for (uint32_t i = 1; i < tree.count; i++) {
        const struct gate_tree_node *node = &tree.nodes[i];
        assert_true(gate_str_equal(name_of(&f, &tree, i), gate_str_from(rows[i - 1].name)));
        assert_int_equal(node->is_self, rows[i - 1].is_self);
        assert_int_equal(node->parent, rows[i - 1].parent);
        assert_int_equal(node->next_sibling, rows[i - 1].next);
        assert_int_equal(node->total[GATE_BASELINE], rows[i - 1].base * FIXTURE_PERIOD_NS);
        assert_int_equal(node->total[GATE_CANARY], rows[i - 1].canary * FIXTURE_PERIOD_NS);
    }
    int64_t self = 0;
    for (uint32_t i = 0; i < tree.count; i++)
        self += tree.nodes[i].self[GATE_CANARY];
    assert_int_equal(self, tree.nodes[0].total[GATE_CANARY]); /* nothing is counted twice */
}

TEST(self_cost_below_min_share_has_no_box) {
    FIXTURE(f);
    fixture_stack(&f, "main", 2, 3);
    fixture_stack(&f, "main;b", 998, 997);
    fixture_seal(&f);
    struct gate_tree tree;
    tree_of(&tree, &f, 0.003);
    assert_int_equal(tree.count, 4); /* enough on one side */
    tree_of(&tree, &f, 0.0031);
    assert_int_equal(tree.count, 3);
}

TEST(a_full_arena_is_an_error) {
    gate_arena_init(&arena, 16);
    struct gate_tree_node node = {
        .frame = GATE_NO_INDEX, .parent = GATE_NO_INDEX, .first_child = GATE_NO_INDEX, .next_sibling = GATE_NO_INDEX};
    struct gate_tree tree = {.nodes = &node, .count = 1}, out;
    assert_false(gate_self_boxes_add(&out, &tree, 0, &arena, &err));
    assert_int_not_equal(err.code, GATE_OK);
}
