/* SPDX-License-Identifier: Apache-2.0 */
/* Go's function table (pclntab): one with two functions, made here, and truncated and damaged versions of it. */
#include "profile_fixture.h"

#include "gate/symbols/binary_names.h"

enum { TEXT = 0x401000, TABLE_BYTES = 256 };

static void word_in_order(unsigned char *at, uint64_t value, size_t size, bool is_big_endian) {
    for (size_t i = 0; i < size; i++)
        at[is_big_endian ? size - 1 - i : i] = (unsigned char)(value >> (8 * i));
}

/* main.a is 16 bytes at the start of the text: line 3, and line 5 from byte 4 on. main.b is 16 bytes after it. From its
 * byte 1 on the code is from another file: an inlined function. */
static void table_make_in_order(unsigned char *table, bool big) {
    memset(table, 0, TABLE_BYTES);
    word_in_order(table, 0xFFFFFFF1u, 4, big);
    table[6] = 1;
    table[7] = 8;
    const uint64_t head[] = {2, 2, 0, 72, 88, 96, 112, 136};
    for (size_t i = 0; i < 8; i++)
        word_in_order(table + 8 + 8 * i, head[i], 8, big);
    memcpy(table + 72, "main.a\0main.b", 14);
    word_in_order(table + 88, 0, 4, big);
    word_in_order(table + 92, 6, 4, big);
    memcpy(table + 96, "/a.go\0/b.go", 12);
    static const unsigned char steps[] = {0,  2,  16, 0,     /* at offset 1: file 0 for 16 bytes */
                                          8,  4,  4,  12, 0, /* at 4: lines 3, 5 */
                                          2,  1,  2,  15, 0, /* at 9: files 0, 1 */
                                          16, 16, 0};        /* at 14: line 7 */
    memcpy(table + 112, steps, sizeof steps);
    unsigned char *functions = table + 136;
    const uint64_t rows[] = {0, 24, 16, 68, 32};
    for (size_t i = 0; i < 5; i++)
        word_in_order(functions + 4 * i, rows[i], 4, big);
    const uint32_t fields[2][4] = {{0, 1, 4, 3}, {7, 9, 14, 6}}; /* offsets of name, files and lines; start line */
    for (size_t i = 0; i < 2; i++) {
        unsigned char *function = functions + rows[2 * i + 1];
        word_in_order(function, rows[2 * i], 4, big);
        word_in_order(function + 4, fields[i][0], 4, big);
        word_in_order(function + 20, fields[i][1], 4, big);
        word_in_order(function + 24, fields[i][2], 4, big);
        word_in_order(function + 36, fields[i][3], 4, big);
    }
}

static void table_make(unsigned char *table) {
    table_make_in_order(table, false);
}

static void expect_functions(bool big) {
    unsigned char bytes[TABLE_BYTES];
    struct gate_go_table table;
    struct gate_go_place place;
    table_make_in_order(bytes, big);
    assert_true(gate_go_table_open(&table, (struct gate_str){(const char *)bytes, sizeof bytes}, TEXT));
    assert_true(gate_go_table_find(&place, &table, TEXT));
    assert_true(gate_str_equal(place.name, GATE_STR("main.a")) && gate_str_equal(place.file, GATE_STR("/a.go")));
    assert_int_equal(place.line, 3);
    assert_int_equal(place.start_line, 3);
    assert_true(gate_go_table_find(&place, &table, TEXT + 15));
    assert_int_equal(place.line, 5);
    assert_true(gate_go_table_find(&place, &table, TEXT + 16));
    assert_true(gate_str_equal(place.name, GATE_STR("main.b")));
    assert_int_equal(place.line, 7);
    assert_true(gate_go_table_find(&place, &table, TEXT + 17)); /* inlined from another file, so the line is unknown */
    assert_true(gate_str_equal(place.file, GATE_STR("/a.go")));
    assert_int_equal(place.line, 0);
    assert_false(gate_go_table_find(&place, &table, TEXT - 1));
    assert_false(gate_go_table_find(&place, &table, TEXT + 32));
}

TEST(functions_are_found) {
    expect_functions(false);
}

TEST(functions_of_a_big_endian_machine_are_found) {
    expect_functions(true);
}

/* Functions of Go 1.18 and 1.19 have no start line: in its place is something else. */
TEST(old_functions_have_no_start_line) {
    unsigned char bytes[TABLE_BYTES];
    struct gate_go_table table;
    struct gate_go_place place;
    table_make(bytes);
    bytes[0] = 0xF0;
    assert_true(gate_go_table_open(&table, (struct gate_str){(const char *)bytes, sizeof bytes}, TEXT));
    assert_true(gate_go_table_find(&place, &table, TEXT));
    assert_int_equal(place.line, 3);
    assert_int_equal(place.start_line, 0);
}

static void look_everywhere(const unsigned char *bytes, size_t len) {
    struct gate_go_table table;
    struct gate_go_place place;
    unsigned char *copy = malloc(len + 1); /* exact size, so that a sanitizer detects reads past it */
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    if (gate_go_table_open(&table, (struct gate_str){(const char *)copy, len}, TEXT))
        for (uint64_t at = 0; at < 40; at++)
            assert_true(!gate_go_table_find(&place, &table, TEXT + at) || place.name.len != 0);
    free(copy);
}

TEST(more_functions_than_fit_are_refused) {
    unsigned char bytes[TABLE_BYTES];
    struct gate_go_table table;
    table_make(bytes);
    bytes[9] = 1; /* 258 functions */
    assert_false(gate_go_table_open(&table, (struct gate_str){(const char *)bytes, sizeof bytes}, TEXT));
}

TEST(cut_and_damaged_tables_are_survived) {
    unsigned char bytes[TABLE_BYTES], damaged[TABLE_BYTES];
    table_make(bytes);
    for (size_t len = 0; len < sizeof bytes; len++)
        look_everywhere(bytes, len);
    for (size_t at = 0; at < sizeof bytes; at++)
        for (int value = 1; value < 256; value += 51) {
            memcpy(damaged, bytes, sizeof bytes);
            damaged[at] = (unsigned char)(damaged[at] + value);
            look_everywhere(damaged, sizeof damaged);
        }
}
