/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for hostile input: scratch memory follows the frames that stacks really contain, and one limit covers decoding
 * and comparing. */
#include "gate/compare/delta.h"
#include "gate/compare/tree.h"
#include "gate/formats/deflate.h"
#include "tests/unit/profile_fixture.h"

enum { MANY_LINES = 4000, DEEP = 16000, ENOUGH_BYTES = 4 << 20 };

static const struct gate_pair_options plain = {0};
static const struct gate_tree_options whole_tree = {.min_share = 0};

/* Location 3 has `lines` inlined calls. */
static void put_inlined(struct gate_buf *out, uint32_t lines) {
    struct gate_buf location = {0};
    gate_wire_put_number(&location, 1, 3);
    for (uint32_t i = 0; i < lines; i++)
        PUT(&location, 4, {1, 1}, {2, 1});
    put_message(out, 4, &location);
}

/* One sample whose stack is location `id`, `depth` times. */
static void put_stack(struct gate_buf *out, uint64_t id, uint32_t depth) {
    struct gate_buf message = {0}, stack = {0};
    for (uint32_t i = 0; i < depth; i++)
        gate_wire_put_varint(&stack, id);
    put_message(&message, 1, &stack);
    PACKED(&message, 2, 1, 10);
    put_message(out, 2, &message);
}

static bool compare(struct gate_pair *pair, const struct gate_profile *profile, struct gate_arena *arena,
                    struct gate_error *err) {
    const struct gate_run_input input = {.path = GATE_STR("a.pb"), .profile = profile};
    const struct gate_run_input *const inputs[GATE_SIDES] = {&input, &input};
    const uint32_t counts[GATE_SIDES] = {1, 1};
    struct gate_delta_list deltas;
    struct gate_tree tree;
    return gate_pair_make(pair, inputs, counts, &plain, arena, err) &&
           gate_delta_fold(&deltas, pair, NULL, arena, err) &&
           gate_tree_merge(&tree, pair, &deltas, &whole_tree, arena, err);
}

/* DEEP frames times MANY_LINES lines would take 256 MB per thread. No stack has both, so ENOUGH_BYTES suffice. */
TEST(many_lines_beside_a_deep_stack_cost_little) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    AT_END(gate_arena_free) struct gate_arena loaded = {0}, arena;
    struct gate_profile profile;
    struct gate_pair pair;
    put_types(&bytes);
    put_tables(&bytes);
    put_inlined(&bytes, MANY_LINES);
    put_stack(&bytes, 1, DEEP);
    put_stack(&bytes, 3, 1);
    expect_load(&profile, &bytes, &loaded);
    assert_int_equal(profile.max_frames, DEEP);
    gate_arena_init(&arena, ENOUGH_BYTES);
    if (!compare(&pair, &profile, &arena, &err))
        fail_msg("%s", err.message);
    assert_int_equal(pair.max_frames, DEEP);
}

TEST(inlined_calls_are_counted_one_by_one) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_profile profile;
    put_types(&bytes);
    put_tables(&bytes);
    put_inlined(&bytes, MANY_LINES);
    put_stack(&bytes, 3, 3);
    put_stack(&bytes, 1, 4);
    expect_load(&profile, &bytes, &arena);
    assert_int_equal(profile.max_frames, 3 * MANY_LINES);
    expect_error(gate_buf_view(&bytes), &(struct gate_limits){.depth = 3 * MANY_LINES - 1}, GATE_ERR_LIMIT,
                 "12000 frames deep with its inlined calls");
}

/* --max-memory applies even if the caller's arena has no limit. Bytes read, decompressed and converted all count. */
TEST(max_memory_limits_each_input) {
    AT_END(gate_buf_free) struct gate_buf text = {0}, packed = {0};
    const struct gate_limits limits = {.memory_bytes = 64 * 1024};
    for (int i = 0; i < 4000; i++)
        gate_buf_printf(&text, "main;name_%d %d\n", i, i + 1);
    assert_true(gate_container_write(&packed, gate_buf_view(&text), GATE_CONTAINER_GZIP, &err));
    expect_error(gate_buf_view(&text), &limits, GATE_ERR_LIMIT, "65536 bytes of memory");
    expect_error(gate_buf_view(&packed), &limits, GATE_ERR_LIMIT, "--max-memory");
}

TEST(every_limit_of_a_comparison_is_named) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    AT_END(gate_arena_free) struct gate_arena loaded = {0};
    struct gate_profile profile;
    size_t limit = 16, refused = 0;
    bool done = false;
    put_profile(&bytes);
    expect_load(&profile, &bytes, &loaded);
    for (; !done && limit < ENOUGH_BYTES; limit += limit / 16 + 16) {
        AT_END(gate_arena_free) struct gate_arena arena;
        struct gate_pair pair;
        struct gate_error err = {0};
        gate_arena_init(&arena, limit);
        done = compare(&pair, &profile, &arena, &err);
        if (!done) {
            assert_int_equal(err.code, GATE_ERR_LIMIT);
            assert_non_null(strstr(err.message, "--max-memory"));
            refused++;
        }
    }
    assert_true(done);
    assert_true(refused > 10);
}
