/* SPDX-License-Identifier: Apache-2.0 */
/* compare/tree_judge.h: for any share and both directions, the pruned tree equals, node by node, the tree that is
 * merged from the stacks at that share. */
#include "gate/base/buf.h"
#include "gate/base/hash.h"
#include "gate/compare/tree_judge.h"
#include "tests/unit/pair_fixture.h"

enum { TRIES = 60, STACKS = 60 };

/* Stacks of few names, so that paths share beginnings, split and repeat names. */
static void add_some(struct pair_fixture *f, int side, uint64_t seed) {
    AT_END(gate_buf_free) struct gate_buf text = {0};
    for (uint64_t i = 0; i < STACKS; i++) {
        uint64_t draw = gate_hash_mix(seed << 20 | (uint64_t)side << 16 | i), depth = 1 + draw % 9;
        gate_buf_text(&text, "main");
        for (uint64_t d = 0; d < depth; d++) {
            gate_buf_text(&text, ";f");
            gate_buf_integer(&text, (int64_t)(gate_hash_mix(draw + d) % 5));
        }
        gate_buf_char(&text, ' ');
        gate_buf_integer(&text, (int64_t)(1 + (draw >> 40) % 30));
        gate_buf_char(&text, '\n');
    }
    gate_buf_char(&text, '\0');
    fixture_add(f, side, text.ptr);
}

static void assert_same(const struct gate_tree *a, const struct gate_tree *b) {
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->inverted, b->inverted);
    assert_memory_equal(a->pruned, b->pruned, sizeof a->pruned);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct gate_tree_node *x = &a->nodes[i], *y = &b->nodes[i];
        assert_int_equal(x->frame, y->frame);
        assert_int_equal(x->parent, y->parent);
        assert_int_equal(x->first_child, y->first_child);
        assert_int_equal(x->next_sibling, y->next_sibling);
        assert_memory_equal(x->self, y->self, sizeof x->self);
        assert_memory_equal(x->total, y->total, sizeof x->total);
    }
}

TEST(pruning_equals_merging_with_the_larger_share) {
    static const double shares[] = {0.0, 0.002, 0.01, 0.03, 0.1, 0.5};
    enum { SHARES = sizeof shares / sizeof *shares };
    for (uint64_t seed = 0; seed < TRIES; seed++) {
        AT_END(fixture_end) struct pair_fixture f = {0};
        add_some(&f, GATE_BASELINE, seed);
        add_some(&f, GATE_CANARY, seed);
        fixture_make(&f, NULL);
        struct gate_tree merged[SHARES], pruned;
        bool inverted = seed % 2 == 1;
        for (size_t i = 0; i < SHARES; i++) {
            const struct gate_tree_options options = {.min_share = shares[i], .inverted = inverted};
            assert_true(gate_tree_merge(&merged[i], &f.pair, &f.deltas, &options, &f.arena, &f.err));
        }
        assert_true(merged[0].count > merged[SHARES - 1].count);
        for (size_t from = 0; from < SHARES; from++)
            for (size_t to = from; to < SHARES; to++) {
                assert_true(gate_tree_prune(&pruned, &merged[from], &f.pair, shares[to], &f.arena, &f.err));
                assert_same(&pruned, &merged[to]);
            }
    }
}

TEST(a_full_arena_is_an_error) {
    const struct gate_tree_options all = {0};
    AT_END(fixture_end) struct pair_fixture f = {0};
    add_some(&f, GATE_BASELINE, 1);
    add_some(&f, GATE_CANARY, 1);
    fixture_make(&f, NULL);
    struct gate_tree tree, pruned;
    assert_true(gate_tree_merge(&tree, &f.pair, &f.deltas, &all, &f.arena, &f.err));
    bool ok = false;
    for (size_t limit = 0; !ok && limit < 1 << 20; limit += 1 + limit / 2) {
        AT_END(gate_arena_free) struct gate_arena arena;
        struct gate_error err = {0};
        gate_arena_init(&arena, limit + 1);
        ok = gate_tree_prune(&pruned, &tree, &f.pair, 0.01, &arena, &err);
        assert_int_equal(err.code, ok ? GATE_OK : GATE_ERR_LIMIT);
    }
    assert_true(ok);
}
