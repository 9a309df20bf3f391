/* SPDX-License-Identifier: Apache-2.0 */
/* mapping.txt: reading its classes and methods, as ProGuard and as R8 write them. */
#include "profile_fixture.h"
#include "sweep.h"

#include "gate/symbols/class_map.h"

static const char shop[] = "# compiler: R8\n"
                           "com.acme.Cart -> a.a:\r\n"
                           "# {\"id\":\"sourceFile\",\"fileName\":\"Carts.kt\"}\n"
                           "    int count -> a\n"
                           "    1:3:void add(int,long):10:12 -> b\n"
                           "    4:4:int com.acme.Price.round(int):20:20 -> b\n"
                           "    4:4:void add(int,long):13 -> b\n"
                           "    void clear() -> c\n"
                           "com.acme.Main -> com.acme.Main:\n"
                           "    7:9:void main(java.lang.String[]) -> main\n";

static void read_map(struct gate_class_map *map, const char *text, struct gate_arena *arena) {
    if (!gate_class_map_read(map, gate_str_from(text), arena, &err))
        fail_msg("not read: %s", err.message);
}

static const struct gate_class_row *row_of(const struct gate_class_map *map, const char *class_name, const char *method,
                                           struct gate_arena *arena) {
    uint32_t row = gate_class_map_method(map, gate_str_from(class_name), gate_str_from(method), arena);
    return row == GATE_TABLE_NONE ? NULL : &map->rows[row];
}

TEST(classes_and_methods_are_found) {
    struct gate_class_map map;
    read_map(&map, shop, &arena);
    const struct gate_class *cart = gate_class_map_class(&map, GATE_STR("a.a"));
    assert_non_null(cart);
    assert_true(gate_str_equal(cart->name, GATE_STR("com.acme.Cart")));
    assert_true(gate_str_equal(cart->file, GATE_STR("Carts.kt")));
    assert_null(gate_class_map_class(&map, GATE_STR("com.acme.Cart")));
    const struct gate_class_row *row = row_of(&map, "a.a", "b", &arena);
    assert_non_null(row);
    assert_true(gate_str_equal(row->method, GATE_STR("add")));
    assert_int_equal(row->first, 1);
    assert_int_equal(row->last, 3);
    assert_int_equal(row->source_first, 10);
    assert_int_equal(row->source_last, 12);
    assert_int_equal(row->next, 1);
    assert_true(gate_str_equal(map.rows[1].class_name, GATE_STR("com.acme.Price")));
    assert_true(gate_str_equal(map.rows[1].method, GATE_STR("round")));
    assert_false(map.rows[1].is_caller);
    assert_true(map.rows[2].is_caller);
    assert_int_equal(map.rows[2].source_last, 13);
    assert_int_equal(row_of(&map, "a.a", "c", &arena)->first, 0);
    assert_null(row_of(&map, "a.a", "a", &arena)); /* a field */
    assert_int_equal(row_of(&map, "com.acme.Main", "main", &arena)->source_first, 0);
}

TEST(other_lines_are_skipped) {
    struct gate_class_map map;
    read_map(&map,
             "    void f() -> a\n\n -> :\na -> :\n -> b:\na b -> c:\nx -> y:\n    void -> a\n    f() -> a\n"
             "    void f( -> a\n    void )f( -> a\n    1:void f() -> \n    99999999999:2:void g() -> g\n",
             &arena);
    assert_int_equal(map.class_keys.count, 1);
    assert_int_equal(map.row_count, 1); /* the last line: its range is not a number, but it is a method */
}

TEST(the_head_identifies_a_mapping_file) {
    assert_true(gate_class_map_sniff(gate_str_from(shop)));
    assert_true(gate_class_map_sniff(GATE_STR("a.B -> a.B:\n")));
    assert_true(gate_class_map_sniff(GATE_STR("# compiler: R8\n# compiler_version: 8.3\n# min")));
    assert_false(gate_class_map_sniff(GATE_STR("# something else\n")));
    assert_false(gate_class_map_sniff(GATE_STR("1000 10 a -> b\n")));
    assert_false(gate_class_map_sniff(GATE_STR("{\"version\":3}")));
    assert_false(gate_class_map_sniff(GATE_STR("")));
}

TEST(any_arena_fails_cleanly_or_succeeds) {
    struct gate_class_map map;
    for (struct sweep s = {0}; sweep_next(&s, 64);)
        s.done = gate_class_map_read(&map, gate_str_from(shop), &s.arena, &s.err);
}
