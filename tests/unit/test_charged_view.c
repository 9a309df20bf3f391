/* SPDX-License-Identifier: Apache-2.0 */
/* The call tree without libraries: which nodes stay, which are folded, that no cost is lost, and the order. */
#include "gate/report/trees.h"

#include "gate/base/buf.h"
#include "sweep.h"
#include "tests/unit/pair_fixture.h"

/* Frames that begin with "own" are own code. own_b calls own_c through two libraries, lib_x and lib_z. */
static const char stacks[] = "lib_serve;lib_mux;own_b;lib_x;own_c;lib_y 10\n"
                             "lib_serve;lib_mux;own_b;lib_z;own_c 5\n"
                             "lib_serve;lib_mux;own_b;lib_x 3\n"
                             "lib_serve;lib_mux 2\n"
                             "lib_serve;own_a;own_a;lib_y 7\n"
                             "lib_gc;lib_mark;lib_scan 20\n"
                             "lib_gc;lib_sweep 4\n";

static void fold(struct pair_fixture *f, struct gate_tree *out, const char *text) {
    const struct gate_tree_options all = {.min_share = 0};
    struct gate_tree tree;
    fixture_begin(f);
    fixture_add(f, GATE_BASELINE, text);
    fixture_add(f, GATE_CANARY, text);
    fixture_make(f, NULL);
    for (uint32_t i = 0; i < f->pair.frame_count; i++)
        f->pair.frames[i].is_own = gate_str_starts(f->pair.frames[i].name, GATE_STR("own"));
    assert_true(gate_delta_fold(&f->deltas, &f->pair, NULL, &f->arena, &f->err));
    assert_true(gate_tree_merge(&tree, &f->pair, &f->deltas, &all, &f->arena, &f->err));
    assert_true(gate_charged_view_fold(out, &tree, &f->pair, &f->arena, &f->err));
}

/* Append one line "name total/self" per node, indented by its depth, in the order of the nodes. */
static void print(struct gate_buf *out, const struct pair_fixture *f, const struct gate_tree *tree) {
    for (uint32_t i = 1; i < tree->count; i++) {
        for (uint32_t at = tree->nodes[i].parent; at != 0; at = tree->nodes[at].parent)
            gate_buf_char(out, ' ');
        gate_buf_str(out, f->pair.frames[tree->nodes[i].frame].name);
        gate_buf_printf(out, " %lld/%lld\n", (long long)tree->nodes[i].total[GATE_CANARY],
                        (long long)tree->nodes[i].self[GATE_CANARY]);
    }
    gate_buf_char(out, '\0');
}

TEST(library_cost_is_folded_into_the_calling_own_function) {
    AT_END(fixture_end) struct pair_fixture f;
    struct gate_tree tree;
    AT_END(gate_buf_free) struct gate_buf text = {0};
    fold(&f, &tree, stacks);
    print(&text, &f, &tree);
    assert_string_equal(text.ptr, "lib_gc 24/0\n"
                                  " lib_mark 20/0\n"
                                  "  lib_scan 20/20\n"
                                  " lib_sweep 4/4\n"
                                  "lib_serve 27/2\n"
                                  " own_a 7/0\n"
                                  "  own_a 7/7\n"
                                  " own_b 18/3\n"
                                  "  own_c 15/15\n");
    assert_int_equal(tree.depth, 3);
    assert_false(tree.inverted);
}

/* Nodes that are already in order of their names keep that order. */
TEST(nodes_that_are_sorted_by_name_stay_sorted) {
    AT_END(fixture_end) struct pair_fixture f;
    struct gate_tree tree;
    AT_END(gate_buf_free) struct gate_buf text = {0};
    fold(&f, &tree, "own_a;own_b;own_d 1\nown_a;own_c;lib_x 2\nown_b;own_a 4\nlib_a;own_a 8\n");
    print(&text, &f, &tree);
    assert_string_equal(text.ptr, "lib_a 8/0\n"
                                  " own_a 8/8\n"
                                  "own_a 3/0\n"
                                  " own_b 1/0\n"
                                  "  own_d 1/1\n"
                                  " own_c 2/2\n"
                                  "own_b 4/0\n"
                                  " own_a 4/4\n");
}

/* The self costs of an own-code frame's nodes add up to its charged cost. Each node's total is its self cost plus the
 * totals of its children. */
TEST(folding_libraries_loses_no_cost) {
    AT_END(fixture_end) struct pair_fixture f;
    struct gate_tree tree;
    fold(&f, &tree, stacks);
    int64_t charged[32] = {0}, sum = 0;
    for (uint32_t i = 0; i < tree.count; i++) {
        const struct gate_tree_node *node = &tree.nodes[i];
        int64_t parts = node->self[GATE_CANARY];
        for (uint32_t at = node->first_child; at != GATE_NO_INDEX; at = tree.nodes[at].next_sibling) {
            assert_int_equal(tree.nodes[at].parent, i);
            parts += tree.nodes[at].total[GATE_CANARY];
        }
        assert_int_equal(parts, node->total[GATE_CANARY]);
        sum += node->self[GATE_CANARY];
        if (i > 0)
            charged[node->frame] += node->self[GATE_CANARY];
    }
    assert_int_equal(sum, f.pair.sides[GATE_CANARY].total);
    for (uint32_t i = 0; i < f.pair.frame_count; i++)
        if (f.pair.frames[i].is_own)
            assert_int_equal(charged[i], f.deltas.items[i].value[GATE_CHARGED][GATE_CANARY]);
}

TEST(a_full_arena_is_an_error) {
    AT_END(fixture_end) struct pair_fixture f;
    struct gate_tree tree, again;
    fold(&f, &tree, stacks);
    for (struct sweep s = {0}; sweep_next(&s, 16);)
        s.done = gate_charged_view_fold(&again, &tree, &f.pair, &s.arena, &s.err);
    assert_int_equal(again.count, tree.count);
}
