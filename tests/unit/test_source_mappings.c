/* SPDX-License-Identifier: Apache-2.0 */
/* symbols/source_map.h: segments of mappings: how numbers are decoded, which place they give, and invalid numbers. */
#include "profile_fixture.h"

#include "gate/base/table.h"
#include "gate/symbols/source_map.h"

static const struct gate_source_part whole = {.source_count = 2, .name_count = 2};

static void expect_refused(const char *text, const char *part) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_source_mappings mappings = {0};
    struct gate_error err = {0};
    assert_false(gate_source_mappings_read(&mappings, gate_str_from(text), &whole, &arena, &err));
    assert_int_equal(err.code, GATE_ERR_FORMAT);
    if (strstr(err.message, part) == NULL)
        fail_msg("'%s' does not say '%s'", err.message, part);
}

static void read_all(struct gate_source_mappings *out, const char *text, const struct gate_source_part *part,
                     struct gate_arena *arena) {
    *out = (struct gate_source_mappings){0};
    if (!gate_source_mappings_read(out, gate_str_from(text), part, arena, &err))
        fail_msg("not read: %s", err.message);
    gate_source_mappings_close(out);
}

/* "gB" is 16 and "D" is -1. Columns start at 0 in each line; all other fields continue from the line before. */
TEST(numbers_are_differences_from_the_previous_segment) {
    struct gate_source_mappings mappings;
    read_all(&mappings, "AAAAA,gBCEGC;;EDDDD,C", &whole, &arena);
    assert_int_equal(mappings.count, 4);
    const struct gate_source_segment *at = &mappings.items[1];
    assert_int_equal(at->column, 16);
    assert_int_equal(at->source, 1);
    assert_int_equal(at->source_line, 2);
    assert_int_equal(at->source_column, 3);
    assert_int_equal(at->name, 1);
    at = &mappings.items[2];
    assert_int_equal(at->line, 2);
    assert_int_equal(at->column, 2);
    assert_int_equal(at->source, 0);
    assert_int_equal(at->source_line, 1);
    assert_int_equal(at->name, 0);
    assert_int_equal(mappings.items[3].source, GATE_TABLE_NONE);
    assert_int_equal(mappings.items[3].column, 3);
}

TEST(a_place_belongs_to_the_last_segment_before_it) {
    struct gate_source_mappings mappings;
    read_all(&mappings, "CAAA,gBAAA;;EAAA", &whole, &arena);
    assert_null(gate_source_mappings_find(&mappings, 0, 0));
    assert_ptr_equal(gate_source_mappings_find(&mappings, 0, 16), &mappings.items[0]);
    assert_ptr_equal(gate_source_mappings_find(&mappings, 0, 17), &mappings.items[1]);
    assert_ptr_equal(gate_source_mappings_find(&mappings, 0, INT32_MAX), &mappings.items[1]);
    assert_null(gate_source_mappings_find(&mappings, 1, 5));
    assert_null(gate_source_mappings_find(&mappings, 2, 1));
    assert_ptr_equal(gate_source_mappings_find(&mappings, 2, 2), &mappings.items[2]);
    assert_null(gate_source_mappings_find(&mappings, 3, 0));
}

/* Columns may go back within a line. */
TEST(segments_out_of_order_are_sorted) {
    struct gate_source_mappings mappings;
    read_all(&mappings, "gBACA,PADA", &whole, &arena);
    assert_int_equal(gate_source_mappings_find(&mappings, 0, 10)->source_line, 0);
    assert_int_equal(gate_source_mappings_find(&mappings, 0, 16)->source_line, 1);
}

TEST(a_section_is_offset_by_its_line_and_column) {
    const struct gate_source_part part = {
        .first_source = 5, .source_count = 1, .first_name = 7, .name_count = 1, .line = 3, .column = 10};
    struct gate_source_mappings mappings;
    read_all(&mappings, "CAAAA;CAAA", &part, &arena);
    assert_int_equal(mappings.items[0].line, 3);
    assert_int_equal(mappings.items[0].column, 11);
    assert_int_equal(mappings.items[0].source, 5);
    assert_int_equal(mappings.items[0].name, 7);
    assert_int_equal(mappings.items[1].line, 4);
    assert_int_equal(mappings.items[1].column, 1);
}

TEST(invalid_segments_are_refused) {
    expect_refused("AA", "one, four or five");
    expect_refused("AAAAAA", "one, four or five");
    expect_refused("g", "at most seven digits");
    expect_refused("ggggggggA", "at most seven digits");
    expect_refused("A!", "at most seven digits");
    expect_refused("D", "below 0");
    expect_refused("AAAD", "below 0");
    expect_refused("AEAA", "no such entry");
    expect_refused("ADAA", "no such entry");
    expect_refused("AAAAE", "no such entry");
    expect_refused("+/////D,+/////D", "above 31 bits");
}

TEST(any_arena_fails_cleanly_or_succeeds) {
    bool done = false;
    for (size_t limit = 0; !done; limit += 64) {
        AT_END(gate_arena_free) struct gate_arena arena;
        struct gate_source_mappings mappings = {0};
        struct gate_error err = {0};
        gate_arena_init(&arena, limit);
        done = gate_source_mappings_read(&mappings, GATE_STR("AAAA,CAAA;AAAA,CAAA,CAAA"), &whole, &arena, &err);
        assert_true(done || err.code == GATE_ERR_LIMIT);
    }
}
