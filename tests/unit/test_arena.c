/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas of stages and of threads: blocks that are given back, and forks under one limit. */
#include "gate/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static void arena_gives_blocks_back(void **state) {
    (void)state;
    struct gate_arena arena;
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
    gate_arena_free(&arena);
}

static void arena_forks_share_what_is_left(void **state) {
    (void)state;
    struct gate_arena arena, fork;
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
    gate_arena_free(&fork);
    gate_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_gives_blocks_back),
        cmocka_unit_test(arena_forks_share_what_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
