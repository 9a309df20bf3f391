/* SPDX-License-Identifier: Apache-2.0 */
/* Paths are cleaned by the rules of Go's filepath.Clean. */
#include "gate/names/frame_name.h"
#include "tests/unit/unit.h"

TEST(a_file_has_one_spelling) {
    static const char *const rows[][2] = {
        {"", ""},
        {"a", "a"},
        {"a/b.go", "a/b.go"},
        {"/", "/"},
        {"/a", "/a"},
        {"a/../b", "b"},
        {"a/b/../c", "a/c"},
        {"a/b/../../c", "c"},
        {"a/../../c", "../c"},
        {"../../c", "../../c"},
        {"../a/../c", "../c"},
        {"a/..", "."},
        {"./a", "a"},
        {"./", "."},
        {"a/./b/.", "a/b"},
        {"a//b///c/", "a/b/c"},
        {"//a", "/a"},
        {"/../a", "/a"},
        {"/a/../../b", "/b"},
        {"/srv/shop/.cache/..a", "/srv/shop/.cache/..a"},
        {"/a/...", "/a/..."},
        {"/usr/lib/gcc/x86_64/12/../../../../include/c++/vector", "/usr/include/c++/vector"},
        {"file:///srv/shop/../a.js", "file:///srv/a.js"},
        {"webpack://shop/./src/a.js", "webpack://shop/src/a.js"},
        {"/a://b", "/a:/b"},
        {"node:internal/fs", "node:internal/fs"},
        {"C:\\a\\..\\b.c", "C:\\a\\..\\b.c"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_str clean = gate_file_path_clean(&arena, gate_str_from(rows[i][0]));
        if (!gate_str_equal(clean, gate_str_from(rows[i][1])))
            fail_msg("'%s' is '%.*s', expected '%s'", rows[i][0], GATE_STR_ARG(clean), rows[i][1]);
        assert_true(gate_str_equal(clean, gate_file_path_clean(&arena, clean)));
    }
}

TEST(a_full_arena_gives_no_path) {
    gate_arena_init(&arena, 4);
    assert_null(gate_file_path_clean(&arena, GATE_STR("/srv/shop/../shop/a.go")).ptr);
    assert_non_null(gate_file_path_clean(&arena, GATE_STR("/srv/shop/a.go")).ptr);
}

TEST(words_of_producers_are_not_a_file) {
    static const char *const words[] = {"", "Unknown", "unknown", "<unknown>", "[unknown]", "??", "nothing"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_int_equal(gate_file_known(gate_str_from(words[i])).len, 0);
    assert_true(gate_str_equal(gate_file_known(GATE_STR("unknown.c")), GATE_STR("unknown.c")));
}
