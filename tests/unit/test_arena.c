/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas of stages and threads: returned blocks, forks under one limit, lent memory, and failed allocations. */
#include "gate/base/buf.h"
#include "tests/unit/unit.h"

TEST(resizing_a_block_counts_only_its_new_size) {
    AT_END(gate_arena_free) struct gate_arena arena;
    gate_arena_init(&arena, 1000);
    char *block = gate_arena_resize(&arena, NULL, 0, 600);
    assert_non_null(block);
    memset(block, 7, 600);
    assert_null(gate_arena_resize(&arena, NULL, 0, 600));
    block = gate_arena_resize(&arena, block, 600, 900);
    assert_int_equal(block[599], 7);
    assert_null(gate_arena_resize(&arena, block, 900, 1100));
    block = gate_arena_resize(&arena, block, 900, 100);
    assert_int_equal(arena.used_bytes, 100);
    assert_null(gate_arena_resize(&arena, block, 100, 0));
    assert_int_equal(arena.used_bytes, 0);
    assert_non_null(gate_arena_resize(&arena, NULL, 0, 1000));
}

TEST(arena_forks_share_what_is_left) {
    AT_END(gate_arena_free) struct gate_arena arena, fork;
    struct gate_error err = {0};
    gate_arena_init(&arena, 1000);
    assert_non_null(gate_arena_alloc(&arena, 480));
    gate_arena_fork(&fork, &arena);
    assert_non_null(gate_arena_alloc(&fork, 320));
    assert_null(gate_arena_alloc(&fork, 320));
    (void)gate_arena_error(&fork, &err);
    assert_int_equal(err.code, GATE_ERR_LIMIT);
    assert_non_null(strstr(err.message, "1000 bytes"));
    gate_arena_absorb(&arena, &fork);
    assert_int_equal(arena.used_bytes, 800);
    assert_true(arena.is_refused);
    gate_arena_fork(&fork, &arena);
    gate_arena_cap(&fork, 900);
    gate_arena_cap(&fork, 2000);
    assert_null(gate_arena_alloc(&fork, 112));
}

/* Lent memory is used first, and the pool does not count it. A run that is out of memory needs it to report that. */
TEST(lent_memory_is_used_first_and_not_counted) {
    _Alignas(max_align_t) char room[1024];
    struct gate_arena_pool pool = {0};
    struct gate_arena arena = {0};
    arena.pool = &pool;
    gate_arena_lend(&arena, room, sizeof room);
    char *first = gate_arena_alloc(&arena, 64), *behind = gate_arena_alloc(&arena, 4096);
    assert_true(first >= room && first + 64 <= room + sizeof room);
    assert_true(behind != NULL && (behind + 4096 <= room || behind >= room + sizeof room));
    assert_true(pool.used_bytes >= 4096);
    gate_arena_free(&arena);
    assert_int_equal(pool.used_bytes, 0);
}

TEST(a_failed_malloc_fails_the_check_of_all_forks) {
    struct gate_arena_pool pool = {0};
    struct gate_arena arena, fork;
    struct gate_error err = {0};
    gate_arena_init(&arena, 0);
    arena.pool = &pool;
    gate_arena_fork(&fork, &arena);
    gate_arena_cap(&fork, 100);
    assert_null(gate_arena_alloc(&fork, 112));
    assert_true(gate_arena_check(&arena, &err)); /* a refusal by a limit concerns only the caller */
    pool.is_short = true;                        /* as after a failed malloc; tests/faults makes one fail */
    assert_false(gate_arena_check(&arena, &err));
    assert_int_equal(err.code, GATE_ERR_MEMORY);
    gate_arena_free(&fork);
}

TEST(a_failed_part_fails_the_whole_buffer) {
    char room[300];
    struct gate_buf whole = {0}, part = gate_buf_lent(room, sizeof room);
    gate_buf_text(&part, "fits");
    gate_buf_str(&whole, gate_buf_view(&part));
    gate_buf_free_part(&whole, &part);
    assert_false(whole.failed);
    part = gate_buf_lent(room, sizeof room);
    gate_buf_repeat(&part, 'x', sizeof room + 1);
    assert_true(part.failed);
    gate_buf_free_part(&whole, &part);
    assert_true(whole.failed);
    assert_int_equal(whole.len, 4);
    gate_buf_free(&whole);
}
