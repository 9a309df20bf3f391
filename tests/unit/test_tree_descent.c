/* SPDX-License-Identifier: Apache-2.0 */
/* compare/tree.c: descending a known tree. With and without remembered stretches, a stack leaves the tree at the node
 * that its frames, one by one, lead to. */
#include "gate/compare/tree.h"
#include "tests/unit/pair_fixture.h"

enum {
    ROUNDS = 60,
    LOCATIONS = 60,
    LOCATION_FRAMES = 3,
    FRAMES = 20,
    DEPTH_MOST = 40,
    STACKS = 300,
    LARGEST_ID = 1 << 18
};

/* Locations with no, one or several frames, whose ids have one to three bytes; and stacks that share paths. */
struct drawn {
    struct gate_profile profile;
    struct gate_run run;
    uint32_t ids[LOCATIONS], frame_of[LOCATIONS], lists[LOCATIONS * (LOCATION_FRAMES + 1)];
    uint32_t *dense;
    uint8_t skid[FRAMES], bytes[4 * DEPTH_MOST];
    uint64_t seed;
};

static uint32_t draw(struct drawn *d, uint32_t below) {
    return (uint32_t)(gate_hash_mix(d->seed++) % below);
}

static void draw_locations(struct drawn *d, struct gate_arena *arena) {
    uint32_t count = 0, most_frames = 1 + draw(d, LOCATION_FRAMES), id = 0;
    d->dense = gate_arena_alloc(arena, (LARGEST_ID + 1) * sizeof *d->dense);
    assert_non_null(d->dense);
    memset(d->dense, 0xFF, (LARGEST_ID + 1) * sizeof *d->dense);
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        id += 1 + draw(d, i % 3 == 0 ? 8 : i < LOCATIONS / 2 ? 300 : 8000);
        d->ids[i] = id;
        d->dense[id] = i;
        uint32_t frames = draw(d, 8) == 0 ? draw(d, most_frames + 1) : 1;
        d->frame_of[i] = frames == 1 ? draw(d, FRAMES) : GATE_FRAME_LIST | count;
        if (frames == 1)
            continue;
        for (d->lists[count++] = frames; frames > 0; frames--)
            d->lists[count++] = draw(d, FRAMES);
    }
    for (uint32_t i = 0; i < FRAMES; i++)
        d->skid[i] = draw(d, 4) == 0;
    d->profile.location_index = (struct gate_id_index){.dense = d->dense, .dense_count = LARGEST_ID + 1};
    d->profile.location_count = LOCATIONS;
    d->run.input.profile = &d->profile;
    d->run.frame_of = d->frame_of;
    d->run.frame_lists = d->lists;
    d->run.skid = draw(d, 2) == 0 ? NULL : d->skid;
}

/* Draw a stack from the root. The next location mostly depends on the one before. */
static struct gate_stack draw_stack(struct drawn *d) {
    uint8_t *end = d->bytes + sizeof d->bytes, *at = end;
    uint32_t location = 0;
    for (uint32_t depth = draw(d, DEPTH_MOST); depth > 0; depth--) {
        uint32_t id = d->ids[location];
        unsigned len = id < 1u << 7 ? 1 : id < 1u << 14 ? 2 : 3;
        at -= len;
        for (unsigned i = 0; i < len; i++)
            at[i] = (uint8_t)((id >> 7 * i & 0x7F) | (i + 1 < len ? 0x80 : 0));
        location = draw(d, 6) == 0 ? draw(d, LOCATIONS) : (location * 7 + 3) % LOCATIONS;
    }
    return (struct gate_stack){.ref = {at, (uint32_t)(end - at)}};
}

static uint32_t find_child(const struct gate_tree *tree, uint32_t node, uint32_t frame) {
    for (uint32_t i = 1; i < tree->count; i++)
        if (tree->nodes[i].parent == node && tree->nodes[i].frame == frame)
            return i;
    return 0;
}

/* Write the frames of a stack in the order of the descent. Return their number. */
static uint32_t frames_of(uint32_t *out, const struct gate_run *run, const struct gate_stack *stack, bool from_leaf) {
    uint32_t count = gate_walk_frames(run, stack, out);
    for (uint32_t i = 0; !from_leaf && i < count / 2; i++) {
        uint32_t frame = out[i];
        out[i] = out[count - 1 - i];
        out[count - 1 - i] = frame;
    }
    return count;
}

/* Add nodes for the first frames of a stack. */
static void tree_add(struct gate_tree *tree, uint32_t room, const uint32_t *frames, uint32_t count) {
    for (uint32_t i = 0, node = 0; i < count && tree->count < room; i++) {
        uint32_t child = find_child(tree, node, frames[i]);
        if (child == 0) {
            child = tree->count++;
            tree->nodes[child] = (struct gate_tree_node){.frame = frames[i], .parent = node, .total = {1, 1}};
        }
        tree->nodes[child].total[GATE_BASELINE]++;
        node = child;
    }
}

static void expect_leave(const struct gate_tree *tree, struct gate_tree_leave at, const uint32_t *frames,
                         uint32_t count) {
    struct gate_tree_leave expected = {.frame = GATE_NO_INDEX};
    for (uint32_t i = 0; i < count && expected.frame == GATE_NO_INDEX; i++) {
        uint32_t child = find_child(tree, expected.node, frames[i]);
        expected.frame = child == 0 ? frames[i] : GATE_NO_INDEX;
        expected.node = child == 0 ? expected.node : child;
        expected.depth += child != 0;
    }
    assert_int_equal(at.node, expected.node);
    assert_int_equal(at.depth, expected.depth);
    assert_int_equal(at.frame, expected.frame);
}

static void round_check(struct drawn *d, bool from_leaf, struct gate_arena *arena) {
    enum { ROOM = 200 };
    struct gate_tree tree = {.nodes = GATE_NEW_ARRAY(arena, struct gate_tree_node, ROOM), .count = 1};
    struct gate_tree_descent descent;
    struct gate_tree_memo memo;
    struct gate_walk_rest rest;
    uint32_t frames[DEPTH_MOST * LOCATION_FRAMES], scratch[DEPTH_MOST * LOCATION_FRAMES];
    assert_non_null(tree.nodes);
    for (int i = 0; i < 30; i++) {
        struct gate_stack stack = draw_stack(d);
        tree_add(&tree, ROOM, frames, frames_of(frames, &d->run, &stack, from_leaf));
    }
    assert_true(gate_tree_descent_make(&descent, &tree, from_leaf, arena) && gate_tree_memo_make(&memo, arena));
    for (int i = 0; i < STACKS; i++) {
        struct gate_stack stack = draw_stack(d);
        uint32_t count = frames_of(frames, &d->run, &stack, from_leaf);
        gate_walk_begin(&rest, &d->run, &stack, from_leaf, scratch);
        expect_leave(&tree, gate_tree_descend(&descent, NULL, &d->run, rest), frames, count);
        expect_leave(&tree, gate_tree_descend(&descent, &memo, &d->run, rest), frames, count);
    }
}

TEST(a_memo_gives_the_same_nodes_as_the_frames) {
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct drawn d = {.seed = seed << 24};
        draw_locations(&d, &arena);
        assert_true(gate_walk_prepare(&d.run, &arena, &err));
        assert_non_null(d.run.frame_of_id);
        round_check(&d, false, &arena);
        round_check(&d, true, &arena);
        d.run.frame_of_id = NULL; /* slower and no less right */
        round_check(&d, false, &arena);
    }
}

/* The same ids belong to other frames in another run. */
TEST(memos_of_different_runs_do_not_mix) {
    static uint32_t one[] = {0, 1, 2, 3}, other[] = {0, 3, 2, 1};
    const struct gate_run runs[] = {{.frame_of_id = one}, {.frame_of_id = other}};
    struct gate_tree_node nodes[41] = {{0}};
    struct gate_tree tree = {nodes, .count = 41};
    struct gate_tree_descent descent;
    struct gate_tree_memo memo;
    uint8_t ids[41];
    for (uint32_t i = 1; i < tree.count; i++)
        nodes[i] = (struct gate_tree_node){.parent = i - 1, .frame = 1, .total = {41 - i, 41 - i}};
    memset(ids, 1, sizeof ids);
    ids[0] = 2;
    const struct gate_walk_rest rest = {.ids = ids + sizeof ids, .len = sizeof ids};
    assert_true(gate_tree_descent_make(&descent, &tree, false, &arena) && gate_tree_memo_make(&memo, &arena));
    for (int i = 0; i < 6; i++) {
        struct gate_tree_leave at = gate_tree_descend(&descent, &memo, &runs[i % 2], rest);
        assert_int_equal(at.node, i % 2 == 0 ? 40 : 0);
        assert_int_equal(at.frame, i % 2 == 0 ? 2 : 3);
        (void)gate_tree_descend(&descent, &memo, &runs[i % 2], rest);
    }
}

/* A stack with as many bytes as a stretch ends in its leaf. The leaf's frames may be folded, so no stretch may contain
 * it. */
TEST(no_stretch_contains_the_leaf) {
    enum { LEAF = 2, SKID = 2, DEPTH = 16 };
    static const uint8_t skid[] = {0, 0, 1};
    uint32_t frame_of[] = {GATE_FRAME_LIST, 1, GATE_FRAME_LIST | 1}, lists[] = {0, 2, SKID, 1};
    const struct gate_profile profile = {.location_index = {.in_order = 2}, .location_count = 2};
    const struct gate_run run = {.input = {.profile = &profile},
                                 .frame_of = frame_of + 1,
                                 .frame_lists = lists,
                                 .frame_of_id = frame_of,
                                 .skid = skid};
    struct gate_tree_node nodes[DEPTH + 3] = {{0}};
    struct gate_tree tree = {nodes, .count = DEPTH + 3};
    struct gate_tree_descent descent;
    struct gate_tree_memo memo;
    uint8_t ids[1 + DEPTH] = {DEPTH, LEAF};
    uint32_t scratch[2 * DEPTH];
    for (uint32_t i = 1; i < tree.count; i++)
        nodes[i] = (struct gate_tree_node){.parent = i - 1, .frame = 1, .total = {1, 1}};
    memset(ids + 2, 1, DEPTH - 1);
    assert_true(gate_tree_descent_make(&descent, &tree, false, &arena) && gate_tree_memo_make(&memo, &arena));
    for (uint32_t depth = DEPTH - 1; depth <= DEPTH; depth++) {
        const struct gate_stack stack = {.ref = {ids + 1, depth}};
        struct gate_walk_rest rest;
        gate_walk_begin(&rest, &run, &stack, false, scratch);
        struct gate_tree_leave at = gate_tree_descend(&descent, &memo, &run, rest);
        assert_int_equal(at.node, depth);
        assert_int_equal(at.frame, GATE_NO_INDEX);
    }
}
