/* SPDX-License-Identifier: Apache-2.0 */
/* The merged call tree: both sides' weights, order, pruning without loss, and the tree from the leaves. */
#include "gate/base/buf.h"
#include "gate/compare/tree.h"
#include "tests/unit/pair_fixture.h"

static void begin(struct pair_fixture *f, struct gate_tree *tree, const struct gate_tree_options *options) {
    fixture_begin(f);
    fixture_add(f, GATE_BASELINE, "main;b;leaf 60\nmain;a 39\nmain;rare;x 1\n");
    fixture_add(f, GATE_CANARY, "main;b;leaf 50\nmain;a 40\nmain;new 10\n");
    fixture_make(f, NULL);
    assert_true(gate_tree_merge(tree, &f->pair, &f->deltas, options, &f->arena, &f->err));
}

/* Return the node at a path such as "main;b;leaf", or NULL. */
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

TEST(a_tree_has_the_costs_of_both_sides) {
    AT_END(fixture_end) struct pair_fixture f;
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
}

TEST(children_are_ordered_by_name) {
    AT_END(fixture_end) struct pair_fixture f;
    struct gate_tree tree;
    const struct gate_tree_options all = {.min_share = 0};
    begin(&f, &tree, &all);
    uint32_t child = find(&f, &tree, "main")->first_child;
    const char *const wanted[] = {"a", "b", "new", "rare"};
    for (int i = 0; i < 4; i++, child = tree.nodes[child].next_sibling)
        assert_true(gate_str_equal(f.pair.frames[tree.nodes[child].frame].name, gate_str_from(wanted[i])));
    assert_int_equal(child, GATE_NO_INDEX);
}

TEST(pruning_keeps_the_weight_above) {
    AT_END(fixture_end) struct pair_fixture f;
    struct gate_tree tree;
    const struct gate_tree_options some = {.min_share = 0.05};
    begin(&f, &tree, &some);
    assert_null(find(&f, &tree, "main;rare"));
    assert_int_equal(find(&f, &tree, "main")->total[GATE_BASELINE], 100);
    assert_int_equal(tree.pruned[GATE_BASELINE], 1);
    assert_int_equal(tree.pruned[GATE_CANARY], 0);
    assert_non_null(find(&f, &tree, "main;new"));
}

TEST(an_inverted_tree_starts_at_the_leaves) {
    AT_END(fixture_end) struct pair_fixture f;
    struct gate_tree tree;
    const struct gate_tree_options inverted = {.inverted = true};
    begin(&f, &tree, &inverted);
    assert_int_equal(find(&f, &tree, "leaf")->total[GATE_BASELINE], 60);
    assert_int_equal(find(&f, &tree, "leaf;b;main")->total[GATE_CANARY], 50);
    assert_null(find(&f, &tree, "main"));
}

/* Stacks that share little, of functions that are all above the minimum share: the tree of all of them has one node per
 * stack slot. */
enum { UNLIKE_STACKS = 24000, UNLIKE_DEPTH = 30, UNLIKE_FUNCTIONS = 200, UNLIKE_NODES = 500000 };
enum { MANY_STACKS = 140000, MANY_DEPTH = 7 };
static const double UNLIKE_SHARE = 0.0005;

static void add_unlike(struct pair_fixture *f, enum gate_side_name side, uint64_t count, uint64_t depth) {
    struct gate_buf text = {0};
    for (uint64_t i = 0; i < count; i++) {
        gate_buf_text(&text, "main");
        for (uint64_t d = 0; d < depth; d++) {
            uint64_t random = gate_hash_mix(i * 64 + d + (uint64_t)side * UINT64_C(1000000007));
            /* Half of all steps lead to the same callee, so some deep nodes are above the minimum share. */
            gate_buf_printf(&text, ";f%u", (unsigned)(random & 1 ? d : random / 2 % UNLIKE_FUNCTIONS));
        }
        if (i % 5 == 0) /* skid, which is folded into its caller */
            gate_buf_text(&text, ";runtime.asyncPreempt");
        gate_buf_text(&text, " 1\n");
    }
    gate_buf_char(&text, '\0');
    struct gate_str stacks = gate_str_copy(&f->arena, gate_buf_view(&text));
    gate_buf_free(&text);
    assert_non_null(stacks.ptr);
    fixture_add(f, side, stacks.ptr);
}

static bool passes(const struct pair_fixture *f, const struct gate_tree_node *node) {
    for (int side = 0; side < GATE_SIDES; side++)
        if (node->total[side] > 0 && gate_share(node->total[side], f->pair.sides[side].total) >= UNLIKE_SHARE)
            return true;
    return false;
}

/* In a tree without a minimum share, each node's total is its self cost plus the totals of its children, and the root
 * has the total of the profile. */
static void weighs_what_it_holds(const struct pair_fixture *f, const struct gate_tree *tree) {
    for (int side = 0; side < GATE_SIDES; side++) {
        assert_int_equal(tree->nodes[0].total[side], f->pair.sides[side].total);
        for (uint32_t i = 0; i < tree->count; i++) {
            int64_t sum = tree->nodes[i].self[side];
            for (uint32_t c = tree->nodes[i].first_child; c != GATE_NO_INDEX; c = tree->nodes[c].next_sibling)
                sum += tree->nodes[c].total[side];
            assert_int_equal(sum, tree->nodes[i].total[side]);
        }
    }
}

/* A tree built with a minimum share equals the full tree without the nodes below that share. `dropped` is the
 * drop_frames of the profiles. */
static void are_cut_without_loss(uint64_t count, uint64_t depth, const char *dropped) {
    struct gate_tree trees[2];
    AT_END(fixture_end) struct pair_fixture f = {0};
    add_unlike(&f, GATE_BASELINE, count, depth);
    add_unlike(&f, GATE_CANARY, count, depth);
    f.profiles[GATE_BASELINE][0].drop_frames = f.profiles[GATE_CANARY][0].drop_frames = gate_str_from(dropped);
    fixture_make(&f, NULL);
    for (int inverted = 0; inverted < 2; inverted++) {
        for (int cut = 0; cut < 2; cut++) {
            const struct gate_tree_options options = {.min_share = cut ? UNLIKE_SHARE : 0.0, .inverted = inverted};
            assert_true(gate_tree_merge(&trees[cut], &f.pair, &f.deltas, &options, &f.arena, &f.err));
        }
        assert_true(trees[0].count > UNLIKE_NODES);
        weighs_what_it_holds(&f, &trees[0]);
        uint32_t at = 0;
        for (uint32_t i = 0; i < trees[0].count; i++) { /* both are depth first, with children by name */
            const struct gate_tree_node *node = &trees[0].nodes[i];
            if (i != 0 && !passes(&f, node))
                continue;
            assert_true(at < trees[1].count);
            assert_int_equal(trees[1].nodes[at].frame, node->frame);
            assert_memory_equal(trees[1].nodes[at].total, node->total, sizeof node->total);
            assert_memory_equal(trees[1].nodes[at].self, node->self, sizeof node->self);
            at++;
        }
        assert_int_equal(at, trees[1].count);
        assert_true(at > 1000);
    }
}

TEST(trees_of_dissimilar_stacks_are_cut_without_loss) {
    are_cut_without_loss(UNLIKE_STACKS, UNLIKE_DEPTH, "runtime.asyncPreempt");
    are_cut_without_loss(MANY_STACKS, MANY_DEPTH, "");
}

/* The arena has room for the stacks and a few nodes. That is enough for a tree with a minimum share, and too little for
 * a full tree. */
static void grow_within_bounds(uint64_t count, uint64_t depth) {
    const size_t bytes = 40 * GATE_SIDES * count + 400000;
    AT_END(fixture_end) struct pair_fixture f = {0};
    add_unlike(&f, GATE_BASELINE, count, depth);
    add_unlike(&f, GATE_CANARY, count, depth);
    fixture_make(&f, NULL);
    for (int inverted = 0; inverted < 2; inverted++)
        for (int cut = 0; cut < 2; cut++) {
            AT_END(gate_arena_free) struct gate_arena arena;
            struct gate_tree tree;
            const struct gate_tree_options options = {.min_share = cut ? UNLIKE_SHARE : 0.0, .inverted = inverted};
            gate_arena_init(&arena, bytes);
            assert_int_equal(gate_tree_merge(&tree, &f.pair, &f.deltas, &options, &arena, &f.err), cut);
            assert_true(cut || f.err.code == GATE_ERR_LIMIT);
        }
}

TEST(trees_of_dissimilar_stacks_stay_within_bounds) {
    grow_within_bounds(UNLIKE_STACKS, UNLIKE_DEPTH);
    grow_within_bounds(MANY_STACKS, MANY_DEPTH);
}

/* 20 stacks of 14,000 frames, and a first stack of one frame: the tree has a node for each frame. */
TEST(a_tree_of_20_stacks_of_14000_frames_is_built) {
    enum { STACKS = 20, DEPTH = 14000 };
    const struct gate_tree_options options = {.min_share = 0.01};
    AT_END(fixture_end) struct pair_fixture f;
    struct gate_tree tree;
    struct gate_buf text = {0};
    gate_buf_text(&text, "short 1\n");
    for (unsigned i = 0; i < STACKS; i++) {
        gate_buf_printf(&text, "root%u", i);
        for (int d = 1; d < DEPTH; d++)
            gate_buf_text(&text, ";f");
        gate_buf_text(&text, " 1\n");
    }
    gate_buf_char(&text, '\0');
    fixture_begin(&f);
    struct gate_str stacks = gate_str_copy(&f.arena, gate_buf_view(&text));
    gate_buf_free(&text);
    assert_non_null(stacks.ptr);
    fixture_add(&f, GATE_BASELINE, stacks.ptr);
    fixture_add(&f, GATE_CANARY, stacks.ptr);
    fixture_make(&f, NULL);
    assert_true(gate_tree_merge(&tree, &f.pair, &f.deltas, &options, &f.arena, &f.err));
    assert_int_equal(tree.count, 2 + STACKS * DEPTH);
    assert_int_equal(tree.depth, DEPTH);
    assert_int_equal(tree.pruned[GATE_CANARY], 0);
    weighs_what_it_holds(&f, &tree);
}
