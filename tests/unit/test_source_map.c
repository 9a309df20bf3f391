/* SPDX-License-Identifier: Apache-2.0 */
/* symbols/source_map.h: a map, an index of several maps, and texts that are no source map. */
#include "profile_fixture.h"
#include "sweep.h"

#include "gate/symbols/source_map.h"

static const char shop[] = "{\"version\":3,\"sourceRoot\":\"src\",\"sources\":[\"a.js\",null],\"names\":[\"total\"],"
                           "\"sourcesContent\":[\"let a\\nlet b\\n\"],\"mappings\":\"AAAA,EAACA\"}";

static void expect_text(struct gate_str found, const char *text) {
    if (!gate_str_equal(found, gate_str_from(text)))
        fail_msg("'%.*s', expected '%s'", GATE_STR_ARG(found), text);
}

TEST(a_map_is_read) {
    struct gate_source_map map;
    assert_true(
        gate_source_map_read(&map, GATE_STR(")]}'\n{\"version\":3,\"sources\":[],\"mappings\":\"\"}"), &arena, &err));
    assert_true(gate_source_map_read(&map, gate_str_from(shop), &arena, &err));
    assert_int_equal(map.source_count, 2);
    expect_text(map.sources[0].path, "src/a.js");
    expect_text(map.sources[0].text.text, "let a\nlet b\n");
    assert_int_equal(map.sources[0].text.line_count, 3);
    assert_int_equal(map.sources[1].text.text.len, 0);
    expect_text(map.names[0], "total");
    assert_int_equal(map.mappings.count, 2);
}

TEST(an_index_map_contains_several_maps) {
    struct gate_source_map map;
    struct gate_str text = gate_str_format(&arena,
                                           "{\"version\":3,\"sections\":[{\"offset\":{\"line\":0,\"column\":0},\"map\":"
                                           "%s},{\"offset\":{\"line\":4,\"column\":9},\"map\":%s}]}",
                                           shop, shop);
    assert_true(gate_source_map_read(&map, text, &arena, &err));
    assert_int_equal(map.source_count, 4);
    assert_int_equal(map.name_count, 2);
    const struct gate_source_segment *at = gate_source_mappings_find(&map.mappings, 4, 9);
    assert_non_null(at);
    assert_int_equal(at->source, 2);
}

TEST(text_that_is_not_a_map_is_refused) {
    static const char *const texts[] = {"",
                                        "[]",
                                        "{}",
                                        "{\"version\":2,\"sources\":[],\"mappings\":\"\"}",
                                        "{\"version\":3,\"mappings\":\"\"}",
                                        "{\"version\":3,\"sources\":[]}",
                                        "{\"version\":3,\"sections\":[{\"offset\":{\"line\":-1,\"column\":0}}]}",
                                        ("{\"sections\":[{\"offset\":{\"line\":0,\"column\":0},\"map\":{\"sections\":"
                                         "[]}}]}")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct gate_source_map map;
        struct gate_error err = {0};
        if (gate_source_map_read(&map, gate_str_from(texts[i]), &arena, &err) || err.code != GATE_ERR_FORMAT)
            fail_msg("%s: %s", texts[i], err.message);
    }
    assert_true(gate_source_map_sniff(GATE_STR("\xEF\xBB\xBF {")));
    assert_true(gate_source_map_sniff(GATE_STR(")]}',\n{")));
    assert_false(gate_source_map_sniff(GATE_STR("1000 10 a")));
    assert_false(gate_source_map_sniff(GATE_STR(")]}'")));
}

TEST(too_many_sections_are_refused) {
    AT_END(gate_buf_free) struct gate_buf text = {0};
    struct gate_source_map map;
    gate_buf_text(&text, "{\"version\":3,\"sections\":[{}");
    for (int i = 0; i < 10000; i++)
        gate_buf_text(&text, ",{}");
    gate_buf_text(&text, "]}");
    assert_false(gate_source_map_read(&map, gate_buf_view(&text), &arena, &err));
    assert_int_equal(err.code, GATE_ERR_LIMIT);
}

TEST(any_arena_fails_cleanly_or_succeeds) {
    struct gate_source_map map;
    for (struct sweep s = {0}; sweep_next(&s, 64);)
        s.done = gate_source_map_read(&map, gate_str_from(shop), &s.arena, &s.err);
}
