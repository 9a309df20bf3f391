/* SPDX-License-Identifier: Apache-2.0 */
/* formats/builder.h: the tree of samples stores what a stack shares with earlier ones once. These tests compare it with
 * a plain list of whole samples: both hold the same samples, in order of first use. They also check the memory. */
#include "gate/formats/builder.h"
#include "gate/model/wire.h"
#include "tests/unit/unit.h"

enum { DEPTH_MAX = 24, SAMPLES_MAX = 1500, DRAWS = 4000, COLUMNS = 2 };

/* A sample that the tree should hold. */
struct plain {
    struct gate_buf bytes;
    uint32_t place;
    int64_t values[COLUMNS];
};

struct draw {
    uint64_t state;
    uint64_t stack[DEPTH_MAX];
    uint32_t depth;
    struct gate_buf labels;
};

static uint64_t draw_next(struct draw *draw) {
    draw->state += UINT64_C(0x9E3779B97F4A7C15);
    return gate_hash_mix(draw->state);
}

/* Few ids near the root, some with many bytes, so that stacks share long prefixes and branch at every depth. */
static void draw_sample(struct draw *draw) {
    static const uint64_t ids[] = {1, 2, 127, 128, 129, 16384, 16385, UINT64_C(1) << 40, UINT64_MAX};
    draw->depth = (uint32_t)(draw_next(draw) % DEPTH_MAX);
    for (uint32_t i = 0; i < draw->depth; i++)
        draw->stack[i] = ids[draw_next(draw) % (i + 6 < draw->depth ? 2 : sizeof ids / sizeof *ids)];
    draw->labels.len = 0;
    for (uint64_t left = draw_next(draw) % 3; left > 0; left--) {
        gate_wire_put_varint(&draw->labels, 3 << 3 | GATE_WIRE_BYTES);
        gate_wire_put_varint(&draw->labels, 2);
        gate_wire_put_number(&draw->labels, 1, 1 + draw_next(draw) % 3);
    }
}

/* Fields 1 and 3 of a Sample. */
static void plain_put(struct gate_buf *out, const struct draw *draw) {
    AT_END(gate_buf_free) struct gate_buf ids = {0};
    for (uint32_t i = 0; i < draw->depth; i++)
        gate_wire_put_varint(&ids, draw->stack[i]);
    if (ids.len != 0)
        gate_wire_put_bytes(out, 1, gate_buf_view(&ids));
    gate_buf_str(out, gate_buf_view(&draw->labels));
}

static struct plain *plain_find(struct plain *samples, uint32_t *count, const struct draw *draw) {
    struct gate_buf bytes = {0};
    plain_put(&bytes, draw);
    for (uint32_t i = 0; i < *count; i++) {
        if (gate_str_equal(gate_buf_view(&samples[i].bytes), gate_buf_view(&bytes))) {
            gate_buf_free(&bytes);
            return &samples[i];
        }
    }
    assert_true(*count < SAMPLES_MAX);
    samples[*count] = (struct plain){.bytes = bytes};
    return &samples[(*count)++];
}

static void expect_same(const struct gate_stack_tree *tree, const struct plain *samples, uint32_t count) {
    AT_END(gate_buf_free) struct gate_buf out = {0}, key = {0};
    uint32_t place = gate_stack_tree_first(tree);
    assert_int_equal(tree->count, count);
    for (uint32_t i = 0; i < count; i++, place = gate_stack_tree_next(tree, place)) {
        assert_int_equal(place, samples[i].place);
        out.len = 0;
        gate_stack_tree_put(&out, &key, tree, place);
        assert_true(gate_str_equal(gate_buf_view(&out), gate_buf_view(&samples[i].bytes)));
        for (uint32_t j = 0; j < COLUMNS; j++)
            assert_true(gate_stack_tree_value(tree, place, j) == samples[i].values[j]);
    }
    assert_int_equal(place, 0);
}

static void set_values(struct gate_stack_tree *tree, struct plain *sample, struct draw *draw, bool is_early) {
    static const int64_t values[] = {0, 6, -9, INT64_MAX, INT64_MIN, 3, INT64_C(3) << 30, -(INT64_C(3) << 30) - 3};
    for (uint32_t i = 0; i < COLUMNS; i++) {
        sample->values[i] = values[draw_next(draw) % (is_early ? 3 : sizeof values / sizeof *values)];
        assert_true(gate_stack_tree_set(tree, sample->place, i, sample->values[i]));
    }
}

/* One alone. */
static uint32_t add(struct gate_stack_tree *tree, const uint64_t *stack, uint32_t depth, struct gate_str labels,
                    uint32_t columns) {
    assert_true(gate_stack_tree_queue(tree, stack, depth, labels, columns));
    return gate_stack_tree_take(tree, 0);
}

/* Add as many samples as the tree looks up at a time, some of them equal. */
static void add_some(struct gate_stack_tree *tree, struct plain *samples, uint32_t *count, struct draw *draw) {
    struct plain *added[GATE_STACK_WALKS];
    uint32_t some = 1 + (uint32_t)(draw_next(draw) % GATE_STACK_WALKS);
    for (uint32_t i = 0; i < some; i++) {
        draw_sample(draw);
        added[i] = plain_find(samples, count, draw);
        assert_true(gate_stack_tree_queue(tree, draw->stack, draw->depth, gate_buf_view(&draw->labels), COLUMNS));
    }
    if (draw_next(draw) % 4 != 0)
        gate_stack_tree_meet(tree);
    for (uint32_t i = 0; i < some; i++) {
        uint32_t place = gate_stack_tree_take(tree, i);
        assert_int_not_equal(place, 0);
        assert_true(added[i]->place == 0 || added[i]->place == place);
        added[i]->place = place;
        set_values(tree, added[i], draw, *count < 100);
    }
}

TEST(samples_are_read_back_unchanged) {
    AT_END(gate_stack_tree_free) struct gate_stack_tree tree;
    struct plain *samples = calloc(SAMPLES_MAX, sizeof *samples);
    struct draw draw = {0};
    uint32_t count = 0;
    gate_stack_tree_init(&tree, &arena);
    assert_int_equal(gate_stack_tree_first(&tree), 0);
    for (uint32_t i = 0; i < DRAWS / GATE_STACK_WALKS && count < SAMPLES_MAX - GATE_STACK_WALKS; i++)
        add_some(&tree, samples, &count, &draw);
    assert_true(count > 500);
    expect_same(&tree, samples, count);
    for (uint32_t i = 0; i < count; i++)
        gate_buf_free(&samples[i].bytes);
    free(samples);
    gate_buf_free(&draw.labels);
}

/* Two stacks of 40,000 frames. The length of the part that they share, and of each one's own part, takes three
 * bytes. */
TEST(deep_stacks_are_read_back_unchanged) {
    enum { DEPTH = 20000 };
    AT_END(gate_stack_tree_free) struct gate_stack_tree tree;
    AT_END(gate_buf_free) struct gate_buf out = {0}, key = {0};
    static uint64_t stacks[2][2 * DEPTH];
    uint32_t places[2];
    gate_stack_tree_init(&tree, &arena);
    for (uint32_t s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < 2 * DEPTH; i++)
            stacks[s][i] = 1 + (i < DEPTH ? (i + s) % 100 : i % 90); /* the root's half is the same */
        places[s] = add(&tree, stacks[s], 2 * DEPTH, GATE_STR(""), 1);
    }
    for (uint32_t s = 0; s < 2; s++) {
        AT_END(gate_buf_free) struct gate_buf stack = {0}, wanted = {0};
        for (uint32_t i = 0; i < 2 * DEPTH; i++)
            gate_wire_put_varint(&stack, stacks[s][i]);
        gate_wire_put_bytes(&wanted, 1, gate_buf_view(&stack));
        out.len = 0;
        gate_stack_tree_put(&out, &key, &tree, places[s]);
        assert_true(gate_str_equal(gate_buf_view(&out), gate_buf_view(&wanted)));
    }
}

TEST(a_unit_gets_finer_and_columns_are_scaled) {
    static const int64_t values[] = {0, 600, 400, -25, INT64_C(1) << 40};
    enum { VALUES = sizeof values / sizeof *values };
    AT_END(gate_stack_tree_free) struct gate_stack_tree tree;
    uint32_t places[VALUES];
    gate_stack_tree_init(&tree, &arena);
    for (uint32_t i = 0; i < VALUES; i++) {
        uint64_t stack[] = {i + 1, 1};
        places[i] = add(&tree, stack, 2, GATE_STR(""), 1);
        assert_true(gate_stack_tree_set(&tree, places[i], 0, values[i]));
    }
    assert_true(tree.units[0] == 1);
    assert_int_equal(tree.wide_count, 1);
    assert_true(gate_stack_tree_scale(&tree, 0, 1000));
    for (uint32_t i = 0; i < VALUES; i++)
        assert_true(gate_stack_tree_value(&tree, places[i], 0) == values[i] * 1000);
    assert_false(gate_stack_tree_scale(&tree, 0, 1 << 20));
}

/* Add stacks of 40 ids. Each one shares all but ids near its leaf with another one. */
static bool fill(struct gate_stack_tree *tree, uint32_t count) {
    uint64_t stack[40];
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < 40; j++)
            stack[j] = j < 4 ? 300 + (i >> 3 * j) % 8 : 1000 + j;
        uint32_t place = add(tree, stack, 40, GATE_STR(""), 1);
        if (place == 0 || !gate_stack_tree_set(tree, place, 0, 10))
            return false;
    }
    return true;
}

TEST(common_parts_of_stacks_are_stored_once) {
    AT_END(gate_stack_tree_free) struct gate_stack_tree tree;
    gate_stack_tree_init(&tree, &arena);
    assert_true(fill(&tree, 4096));
    assert_int_equal(tree.count, 4096);
    assert_true(tree.len < 4096 * 16); /* the ids of each stack have 80 bytes */
}

TEST(a_memory_limit_refuses_samples_without_damage) {
    bool is_enough = false;
    for (size_t limit = 0; !is_enough; limit += 512) {
        AT_END(gate_arena_free) struct gate_arena arena;
        AT_END(gate_stack_tree_free) struct gate_stack_tree tree;
        assert_true(limit < 1 << 20);
        gate_arena_init(&arena, limit + 1);
        gate_stack_tree_init(&tree, &arena);
        is_enough = fill(&tree, 512);
        assert_true(is_enough || arena.is_refused);
    }
}

/* If the tree runs out of places, memory is left. The builder reports that with another message than a full arena. */
TEST(running_out_of_places_has_its_own_error) {
    AT_END(gate_stack_tree_free) struct gate_stack_tree tree;
    const uint64_t one[] = {1}, other[] = {2};
    gate_arena_init(&arena, 1 << 20);
    gate_stack_tree_init(&tree, &arena);
    assert_true(gate_stack_tree_queue(&tree, one, 1, GATE_STR(""), 1));
    gate_stack_tree_meet(&tree);
    assert_int_equal(gate_stack_tree_take(&tree, 0), 1);
    size_t len = tree.len, capacity = tree.capacity;
    tree.len = tree.capacity = UINT32_MAX; /* as if there were so many */
    assert_true(gate_stack_tree_queue(&tree, other, 1, GATE_STR(""), 1));
    gate_stack_tree_meet(&tree);
    assert_int_equal(gate_stack_tree_take(&tree, 0), 0);
    assert_true(tree.is_at_end && !arena.is_refused);
    tree.len = len;
    tree.capacity = capacity;
}
