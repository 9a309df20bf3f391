/* SPDX-License-Identifier: Apache-2.0 */
/* Layout and colours of the differential flame graph, on made-up trees. */
#include "gate/report/flame_graph.h"
#include "tests/unit/unit.h"

#include <math.h>

#define NONE GATE_NO_INDEX

static struct gate_tree_node node(uint32_t parent, uint32_t child, uint32_t sibling, int64_t base, int64_t canary,
                                  bool significant) {
    return (struct gate_tree_node){.frame = 0,
                                   .parent = parent,
                                   .first_child = child,
                                   .next_sibling = sibling,
                                   .total = {base, canary},
                                   .z = significant ? 5 : 0.5,
                                   .is_significant = significant};
}

static struct gate_layout lay_out(struct gate_tree_node *nodes, uint32_t count, struct gate_arena *arena,
                                  struct gate_layout_options options) {
    struct gate_tree *tree = gate_arena_calloc(arena, 1, sizeof *tree);
    tree->nodes = nodes;
    tree->count = count;
    struct gate_layout layout;
    assert_true(gate_layout_make(&layout, tree, &options, arena, &err));
    return layout;
}

/* One child vanished and one grew. Both are visible, and their widths add up to the parent's. */
TEST(widths_of_children_add_up_and_vanished_ones_are_visible) {
    struct gate_tree_node nodes[] = {node(NONE, 1, NONE, 100, 200, false), node(0, NONE, 2, 60, 0, true),
                                     node(0, NONE, NONE, 40, 200, true)};
    struct gate_layout layout = lay_out(nodes, 3, &arena, (struct gate_layout_options){0});
    assert_int_equal(layout.count, 3);
    assert_int_equal(layout.levels, 2);
    /* weights of 0.6 and 1.0 in a root of 1.0, so both are divided by 1.6 */
    assert_true(fabs(layout.boxes[1].width - 0.375) < 1e-12);
    assert_true(fabs(layout.boxes[2].width - 0.625) < 1e-12);
    assert_true(fabs(layout.boxes[2].x - 0.375) < 1e-12);
}

TEST(equal_sides_are_an_ordinary_flame_graph) {
    struct gate_tree_node nodes[] = {node(NONE, 1, NONE, 100, 50, false), node(0, 2, NONE, 60, 30, false),
                                     node(1, NONE, NONE, 10, 5, false)};
    struct gate_layout layout = lay_out(nodes, 3, &arena, (struct gate_layout_options){0});
    assert_true(fabs(layout.boxes[1].width - 0.6) < 1e-12);
    assert_true(fabs(layout.boxes[2].width - 0.1) < 1e-12);
    assert_true(layout.max_change == 0);
}

TEST(only_significant_changes_have_a_colour) {
    struct gate_tree_node nodes[] = {node(NONE, 1, NONE, 100, 100, false), node(0, NONE, 2, 10, 50, false),
                                     node(0, NONE, 3, 30, 20, true), node(0, NONE, 4, 20, 22, true),
                                     node(0, NONE, NONE, 5, 0, true)};
    struct gate_layout layout = lay_out(nodes, 5, &arena, (struct gate_layout_options){0});
    assert_int_equal(gate_layout_step(&layout, 1), 0);
    assert_int_equal(gate_layout_step(&layout, 2), -5);
    assert_int_equal(gate_layout_step(&layout, 3), 3);
    assert_int_equal(gate_layout_step(&layout, 4), -4);
    assert_true(fabs(layout.max_change - 0.1) < 1e-12);
}

TEST(each_kind_of_change_has_its_word) {
    struct gate_tree_node nodes[] = {node(NONE, 1, NONE, 100, 100, false), node(0, NONE, 2, 10, 10, true),
                                     node(0, NONE, 3, 10, 12, false),      node(0, NONE, 4, 10, 20, true),
                                     node(0, NONE, 5, 20, 10, true),       node(0, NONE, 6, 0, 9, true),
                                     node(0, NONE, 7, 9, 0, true),         node(0, NONE, NONE, 0, 1, false)};
    static const char *const words[] = {"unchanged", "within noise", "grew",        "shrank",
                                        "new",       "vanished",     "within noise"};
    struct gate_layout layout = lay_out(nodes, 8, &arena, (struct gate_layout_options){0});
    for (uint32_t i = 1; i < 8; i++)
        assert_string_equal(gate_layout_change_name(gate_layout_classify(&layout, i)), words[i - 1]);
}

TEST(boxes_without_room_are_counted) {
    struct gate_tree_node nodes[] = {node(NONE, 1, NONE, 1000, 1000, false), node(0, 2, 3, 990, 990, false),
                                     node(1, NONE, NONE, 990, 990, false), node(0, 4, NONE, 1, 2, false),
                                     node(3, NONE, NONE, 1, 2, false)};
    struct gate_layout layout = lay_out(nodes, 5, &arena, (struct gate_layout_options){.min_width = 0.01});
    assert_int_equal(layout.count, 3);
    assert_int_equal(layout.left_out, 2);
    assert_false(layout.is_cut_deep);
    layout = lay_out(nodes, 5, &arena, (struct gate_layout_options){.max_levels = 2});
    assert_int_equal(layout.count, 3);
    assert_true(layout.is_cut_deep);
}

TEST(a_full_arena_is_an_error) {
    gate_arena_init(&arena, 16);
    struct gate_tree_node nodes[] = {node(NONE, NONE, NONE, 1, 1, false)};
    struct gate_tree tree = {.nodes = nodes, .count = 1};
    struct gate_layout layout;
    assert_false(gate_layout_make(&layout, &tree, &(struct gate_layout_options){0}, &arena, &err));
    assert_int_not_equal(err.code, GATE_OK);
}
