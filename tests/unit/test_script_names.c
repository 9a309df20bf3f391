/* SPDX-License-Identifier: Apache-2.0 */
/* symbols/source_map.h: names of functions in scripts, from a small map: which name is found, which is kept, and the
 * place in the source. */
#include "profile_fixture.h"

#include "gate/symbols/source_map.h"

/* Line 1 is "function t(e){}", with a name segment at column 9. Line 2 is "x(t=>{})", whose source text has no name.
 * Line 3 has segments of two sources, line 4 has one line of one source. */
static const char shop[] = "{\"version\":3,\"sources\":[\"../src/a.js\",\"webpack://shop/./b.js\"],"
                           "\"names\":[\"total\",\"price\"],\"sourcesContent\":[\"\\nfunction total(price) {\\n\"],"
                           "\"mappings\":\"AACA,SAASA,EAAMC;AAAA,EAAE;AACA,ICDA;AAGA,EAAA\"}";

struct world {
    struct gate_arena arena;
    struct gate_source_map map;
    struct gate_symbol_line out;
    bool is_found;
};

static void look(struct world *world, const char *name, int64_t line, uint32_t column, bool is_start) {
    const struct gate_script_place place = {gate_str_from(name), GATE_STR("file:///srv/dist/shop.js"), line, column,
                                            is_start};
    if (world->map.source_count == 0 && !gate_source_map_read(&world->map, gate_str_from(shop), &world->arena, &err))
        fail_msg("%s", err.message);
    assert_true(gate_script_names_find(&world->out, &world->map, &place, &world->arena, &err));
    world->is_found = world->out.name.ptr != NULL;
}

static void expect_line(const struct world *world, const char *name, const char *file, int64_t line) {
    assert_true(world->is_found);
    if (!gate_str_equal(world->out.name, gate_str_from(name)) ||
        !gate_str_equal(world->out.file, gate_str_from(file)) || world->out.line != line)
        fail_msg("%.*s %.*s:%lld, expected %s %s:%lld", GATE_STR_ARG(world->out.name), GATE_STR_ARG(world->out.file),
                 (long long)world->out.line, name, file, (long long)line);
}

TEST(names_come_from_segments) {
    struct world world = {0};
    look(&world, "t", 1, 11, true);
    expect_line(&world, "total", "file:///srv/src/a.js", 2);
    assert_int_equal(world.out.start_line, 2);
    assert_true(gate_str_equal(world.out.system_name, GATE_STR("t")));
    look(&world, "t", 1, 12, true); /* "t=(": one further on */
    expect_line(&world, "total", "file:///srv/src/a.js", 2);
    look(&world, "other", 2, 30, true); /* the source has no text at the place of the name */
    expect_line(&world, "other", "file:///srv/src/a.js", 2);
    gate_arena_free(&world.arena);
}

TEST(a_call_inside_a_function_keeps_its_name) {
    struct world world = {0};
    look(&world, "t", 1, 11, false);
    expect_line(&world, "t", "file:///srv/src/a.js", 2);
    assert_int_equal(world.out.start_line, 0);
    gate_arena_free(&world.arena);
}

/* A minifier that inlines "function total" makes an expression of it. The text of the source still has the name. */
TEST(functions_without_a_name_have_one_in_the_text) {
    struct world world = {0};
    look(&world, "(anonymous)", 1, 9, true);
    expect_line(&world, "total", "file:///srv/src/a.js", 2);
    look(&world, "(anonymous)", 2, 9, true); /* too far behind its segment */
    assert_true(world.is_found && gate_str_equal(world.out.name, GATE_STR("(anonymous)")));
    gate_arena_free(&world.arena);
}

TEST(without_a_column_a_line_has_to_be_of_one) {
    struct world world = {0};
    look(&world, "t", 3, 0, true);
    assert_false(world.is_found);
    look(&world, "t", 3, 5, true);
    assert_true(gate_str_equal(world.out.file, GATE_STR("webpack://shop/./b.js")));
    look(&world, "t", 4, 0, true);
    assert_true(world.is_found && gate_str_equal(world.out.name, GATE_STR("t")));
    gate_arena_free(&world.arena);
}

TEST(names_without_an_entry_in_the_map_are_kept) {
    static const int64_t lines[] = {0, -1, 5, INT64_MAX};
    struct world world = {0};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        look(&world, "t", lines[i], 3, true);
        assert_false(world.is_found);
    }
    look(&world, "(anonymous)", 1, 1, true); /* the script itself has no single source */
    assert_false(world.is_found);
    gate_arena_free(&world.arena);
}
