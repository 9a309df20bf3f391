/* SPDX-License-Identifier: Apache-2.0 */
/* perf maps: the name of an address, code written over older code, and lines to ignore. */
#include "profile_fixture.h"
#include "sweep.h"

#include "gate/symbols/perf_map.h"

static void read_map(struct gate_perf_map *map, const char *text, struct gate_arena *arena) {
    *map = (struct gate_perf_map){0};
    if (!gate_perf_map_read(map, gate_str_from(text), arena, &err))
        fail_msg("not read: %s", err.message);
}

static void expect_name(const struct gate_perf_map *map, uint64_t address, const char *name) {
    struct gate_str found = gate_perf_map_find(map, address);
    if (!gate_str_equal(found, gate_str_from(name)))
        fail_msg("%llx is '%.*s', expected '%s'", (unsigned long long)address, GATE_STR_ARG(found), name);
}

TEST(each_address_has_the_name_of_its_range) {
    struct gate_perf_map map;
    read_map(&map, "2000 10 Lcom/acme/Cart;::add\n0x1000 0x20 py::total:/srv/shop.py\n", &arena);
    assert_int_equal(map.count, 2);
    expect_name(&map, 0xfff, "");
    expect_name(&map, 0x1000, "py::total:/srv/shop.py");
    expect_name(&map, 0x101f, "py::total:/srv/shop.py");
    expect_name(&map, 0x1020, "");
    expect_name(&map, 0x200f, "Lcom/acme/Cart;::add");
    expect_name(&map, UINT64_MAX, "");
}

TEST(a_later_row_replaces_older_code) {
    struct gate_perf_map map;
    read_map(&map, "1000 100 old\n1000 40 new\n1080 10 inner\n", &arena);
    expect_name(&map, 0x1010, "new");
    expect_name(&map, 0x1050, "old");
    expect_name(&map, 0x1085, "inner");
    expect_name(&map, 0x1095, "old");
}

TEST(other_lines_are_passed_over) {
    struct gate_perf_map map;
    read_map(
        &map,
        "\n# comment\n1000\n1000 10\n1000 10 \nfffffffffffffff0 20 beyond\n1000 10 \xff\n12345678901234567 1 long\n",
        &arena);
    assert_int_equal(map.count, 1);
    expect_name(&map, 0x1000, "\xEF\xBF\xBD");
    assert_true(gate_perf_map_sniff(GATE_STR("1000 10 a\n")));
    assert_false(gate_perf_map_sniff(GATE_STR("a;b;c 10\n")));
    assert_false(gate_perf_map_sniff(GATE_STR("")));
}

TEST(a_full_arena_is_an_error) {
    for (struct sweep s = {0}; sweep_next(&s, 16);) {
        struct gate_perf_map map = {0};
        s.done = gate_perf_map_read(&map, GATE_STR("1 1 \xff a\n2 2 b\n3 3 c\n"), &s.arena, &s.err);
    }
}
