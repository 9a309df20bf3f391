/* SPDX-License-Identifier: Apache-2.0 */
/* The merged call tree: both sides' weights, order, pruning without loss, and the tree from the leaves. */
#include "gate/compare/tree.h"
#include "tests/unit/pair_fixture.h"

static void begin(struct pair_fixture *f, struct gate_tree *tree, const struct gate_tree_options *options) {
    const struct gate_pair_options plain = {0};
    fixture_begin(f);
    fixture_add(f, GATE_BASELINE, "main;b;leaf 60\nmain;a 39\nmain;rare;x 1\n");
    fixture_add(f, GATE_CANARY, "main;b;leaf 50\nmain;a 40\nmain;new 10\n");
    fixture_make(f, &plain);
    assert_true(gate_tree_merge(tree, &f->pair, &f->deltas, options, &f->arena, &f->err));
}

/* The node at "main;b;leaf", or NULL. */
static const struct gate_tree_node *find(const struct pair_fixture *f, const struct gate_tree *tree, const char *path) {
    struct gate_str left = gate_str_from(path);
    uint32_t node = 0;
    while (left.len > 0) {
        size_t cut = gate_str_find(left, GATE_STR(";"), 0);
        struct gate_str name = gate_str_slice(left, 0, cut);
        left = cut == SIZE_MAX ? GATE_STR("") : gate_str_slice(left, cut + 1, left.len);
        uint32_t child = tree->nodes[node].first_child;
        while (child != GATE_NO_INDEX && !gate_str_equal(f->pair.frames[tree->nodes[child].frame].name, name))
            child = tree->nodes[child].next_sibling;
        if (child == GATE_NO_INDEX)
            return NULL;
        assert_int_equal(tree->nodes[child].parent, node);
        node = child;
    }
    return &tree->nodes[node];
}

static void holds_both_sides(void **state) {
    (void)state;
    struct pair_fixture f;
    struct gate_tree tree;
    const struct gate_tree_options all = {.min_share = 0};
    begin(&f, &tree, &all);
    assert_int_equal(tree.nodes[0].total[GATE_BASELINE], 100);
    assert_int_equal(tree.nodes[0].total[GATE_CANARY], 100);
    assert_int_equal(find(&f, &tree, "main;b;leaf")->self[GATE_BASELINE], 60);
    assert_int_equal(find(&f, &tree, "main;b")->total[GATE_CANARY], 50);
    assert_int_equal(find(&f, &tree, "main;new")->total[GATE_BASELINE], 0);
    assert_int_equal(find(&f, &tree, "main;new")->self[GATE_CANARY], 10);
    assert_int_equal(find(&f, &tree, "main;rare;x")->self[GATE_BASELINE], 1);
    assert_int_equal(tree.depth, 3);
    assert_int_equal(tree.pruned[GATE_BASELINE], 0);
    fixture_end(&f);
}

static void children_are_ordered_by_name(void **state) {
    (void)state;
    struct pair_fixture f;
    struct gate_tree tree;
    const struct gate_tree_options all = {.min_share = 0};
    begin(&f, &tree, &all);
    uint32_t child = find(&f, &tree, "main")->first_child;
    const char *const wanted[] = {"a", "b", "new", "rare"};
    for (int i = 0; i < 4; i++, child = tree.nodes[child].next_sibling)
        assert_true(gate_str_equal(f.pair.frames[tree.nodes[child].frame].name, gate_str_from(wanted[i])));
    assert_int_equal(child, GATE_NO_INDEX);
    fixture_end(&f);
}

static void pruning_keeps_the_weight_above(void **state) {
    (void)state;
    struct pair_fixture f;
    struct gate_tree tree;
    const struct gate_tree_options some = {.min_share = 0.05};
    begin(&f, &tree, &some);
    assert_null(find(&f, &tree, "main;rare"));
    assert_int_equal(find(&f, &tree, "main")->total[GATE_BASELINE], 100);
    assert_int_equal(tree.pruned[GATE_BASELINE], 1);
    assert_int_equal(tree.pruned[GATE_CANARY], 0);
    assert_non_null(find(&f, &tree, "main;new"));
    fixture_end(&f);
}

static void inverted_starts_at_the_leaves(void **state) {
    (void)state;
    struct pair_fixture f;
    struct gate_tree tree;
    const struct gate_tree_options inverted = {.inverted = true};
    begin(&f, &tree, &inverted);
    assert_int_equal(find(&f, &tree, "leaf")->total[GATE_BASELINE], 60);
    assert_int_equal(find(&f, &tree, "leaf;b;main")->total[GATE_CANARY], 50);
    assert_null(find(&f, &tree, "main"));
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_both_sides),
        cmocka_unit_test(children_are_ordered_by_name),
        cmocka_unit_test(pruning_keeps_the_weight_above),
        cmocka_unit_test(inverted_starts_at_the_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
