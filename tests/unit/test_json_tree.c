/* SPDX-License-Identifier: Apache-2.0 */
/* formats/json_tree.h: the memory for a JSON text is computed before it is parsed, and jansson never uses more. */
#include "gate/base/buf.h"
#include "gate/formats/json_tree.h"
#include "tests/unit/unit.h"

#include <malloc.h>

enum { REPEATS = 5000, MALLOC_HEAD = 16 };

static size_t held, most; /* bytes used by jansson and malloc's block headers */

static void *counted_malloc(size_t size) {
    void *block = malloc(size);
    held += block == NULL ? 0 : malloc_usable_size(block) + MALLOC_HEAD;
    most = held > most ? held : most;
    return block;
}

static void counted_free(void *block) {
    held -= block == NULL ? 0 : malloc_usable_size(block) + MALLOC_HEAD;
    free(block);
}

static struct gate_str repeat(struct gate_buf *out, const char *part) {
    gate_buf_char(out, '[');
    for (int i = 0; i < REPEATS; i++) {
        gate_buf_text(out, i == 0 ? "" : ",");
        gate_buf_text(out, part);
    }
    gate_buf_char(out, ']');
    return gate_buf_view(out);
}

static void bound_holds(void **state) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_json_tree tree;
    AT_END(gate_buf_free) struct gate_buf text = {0};
    struct gate_str json = repeat(&text, *state);
    json_set_alloc_funcs(counted_malloc, counted_free);
    held = most = 0;
    assert_true(gate_json_tree_load(&tree, json, &arena, &err));
    assert_int_equal(arena.used_bytes, gate_json_tree_bytes(json));
    assert_true(most <= gate_json_tree_bytes(json));
    assert_true(most >= gate_json_tree_bytes(json) / 8); /* and the bound is not far too high */
    gate_json_tree_free(&tree, &arena);
    assert_int_equal(arena.used_bytes, 0);
    assert_int_equal(held, 0);
    json_set_alloc_funcs(malloc, free);
}

static void objects_in_objects(void **state) {
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_json_tree tree;
    AT_END(gate_buf_free) struct gate_buf text = {0};
    gate_buf_char(&text, '{');
    for (int i = 0; i < REPEATS; i++)
        gate_buf_printf(&text, "%s\"key%d\":{\"\":[%d]}", i == 0 ? "" : ",", i, i);
    gate_buf_char(&text, '}');
    json_set_alloc_funcs(counted_malloc, counted_free);
    held = most = 0;
    assert_true(gate_json_tree_load(&tree, gate_buf_view(&text), &arena, &err));
    assert_true(most <= arena.used_bytes);
    gate_json_tree_free(&tree, &arena);
    json_set_alloc_funcs(malloc, free);
}

static void too_much_is_refused_before_it_is_taken(void **state) {
    AT_END(gate_arena_free) struct gate_arena arena;
    struct gate_error err = {0};
    struct gate_json_tree tree;
    AT_END(gate_buf_free) struct gate_buf text = {0};
    struct gate_str json = repeat(&text, "{}");
    gate_arena_init(&arena, 256 * 1024);
    json_set_alloc_funcs(counted_malloc, counted_free);
    held = most = 0;
    assert_false(gate_json_tree_load(&tree, json, &arena, &err));
    assert_int_equal(err.code, GATE_ERR_LIMIT);
    assert_non_null(strstr(err.message, "--max-memory"));
    assert_int_equal(most, 0);
    json_set_alloc_funcs(malloc, free);
}

static void malformed_gives_back(void **state) {
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_json_tree tree;
    assert_false(gate_json_tree_load(&tree, GATE_STR("[1,\"a"), &arena, &err));
    assert_int_equal(err.code, GATE_ERR_FORMAT);
    assert_int_equal(arena.used_bytes, 0);
}

int main(void) {
    static const char *const parts[] = {
        "[]", "{}", "[[]]", "0", "1.5", "\"\"", "\"abc\\n\"", "[0]", "{\"\":{}}", "{\"a\":1,\"b\":[1,2,3]}", "null"};
    enum { PARTS = sizeof parts / sizeof *parts };
    struct CMUnitTest tests[PARTS + 3];
    for (size_t i = 0; i < PARTS; i++)
        tests[i] = (struct CMUnitTest){parts[i], bound_holds, NULL, NULL, (void *)(uintptr_t)parts[i]};
    tests[PARTS] = (struct CMUnitTest)cmocka_unit_test(objects_in_objects);
    tests[PARTS + 1] = (struct CMUnitTest)cmocka_unit_test(too_much_is_refused_before_it_is_taken);
    tests[PARTS + 2] = (struct CMUnitTest)cmocka_unit_test(malformed_gives_back);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
