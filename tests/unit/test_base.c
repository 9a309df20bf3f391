/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas, string views, interning tables and patterns, which every stage uses. */
#include "gate/base/arena.h"
#include "gate/base/regex.h"
#include "gate/base/table.h"
#include "tests/unit/unit.h"

#include <limits.h>

static void assert_text(struct gate_str got, const char *wanted) {
    assert_int_equal(got.len, strlen(wanted));
    assert_memory_equal(got.ptr, wanted, got.len);
}

TEST(arena_stops_at_its_limit) {
    gate_arena_init(&arena, 1000);
    assert_non_null(gate_arena_alloc(&arena, 900));
    assert_null(gate_arena_alloc(&arena, 200));
    assert_non_null(gate_arena_alloc(&arena, 50));
    assert_false(gate_arena_error(&arena, &err));
    assert_int_equal(err.code, GATE_ERR_LIMIT);
    assert_null(gate_arena_calloc(&arena, SIZE_MAX / 2, 4));
}

TEST(each_character_is_of_its_class) {
    static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", lower[] = "abcdefghijklmnopqrstuvwxyz";
    static const char digits[] = "0123456789abcdef";
    for (int c = CHAR_MIN; c <= CHAR_MAX; c++) {
        const char *in_upper = c == 0 ? NULL : strchr(upper, c), *in_lower = c == 0 ? NULL : strchr(lower, c);
        int small = in_upper != NULL ? lower[in_upper - upper] : c;
        const char *digit = c == 0 ? NULL : strchr(digits, small);
        assert_int_equal(gate_is_upper(c), in_upper != NULL);
        assert_int_equal(gate_is_lower(c), in_lower != NULL);
        assert_int_equal(gate_is_letter(c), in_upper != NULL || in_lower != NULL);
        assert_int_equal(gate_lower((char)c), small);
        assert_int_equal(gate_hex_value(c), digit == NULL ? -1 : digit - digits);
        assert_int_equal(gate_is_digit(c), digit != NULL && digit < digits + 10);
    }
}

TEST(regrown_arrays_leave_no_copies_in_the_arena) {
    gate_arena_init(&arena, 64 * 1024);
    assert_non_null(gate_arena_alloc(&arena, 100));
    uint64_t *items = NULL;
    size_t capacity = 0, count = 0;
    for (;; count++) {
        if (!GATE_REGROW(&arena, items, count, capacity))
            break;
        items[count] = count * 3;
        assert_true(arena.used_bytes <= 112 + capacity * sizeof *items);
    }
    /* Growth failed only because 1.5 times the capacity exceeds the limit. The items are still there. */
    assert_true(count == capacity && capacity * 3 / 2 * sizeof *items > 64 * 1024 - 112);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(items[i], i * 3);
}

TEST(arena_grows_arrays_and_keeps_their_items) {
    uint32_t *items = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        assert_true(GATE_GROW(&arena, items, i, capacity));
        items[i] = i * 7;
    }
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(items[i], i * 7);
}

TEST(arena_absorbs_another_and_keeps_its_memory) {
    struct gate_arena to = {0}, from = {0};
    char *kept = gate_arena_alloc(&from, 5000);
    memset(kept, 'k', 5000);
    assert_non_null(gate_arena_alloc(&to, 10));
    gate_arena_absorb(&to, &from);
    assert_null(from.head);
    assert_int_equal(from.used_bytes, 0);
    for (int i = 0; i < 100; i++)
        memset(gate_arena_alloc(&to, 1000), 'x', 1000);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(kept[i], 'k');
    gate_arena_free(&to);
}

TEST(str_compare_orders_by_bytes_then_length) {
    assert_true(gate_str_compare(GATE_STR("a"), GATE_STR("b")) < 0);
    assert_true(gate_str_compare(GATE_STR("a"), GATE_STR("ab")) < 0);
    assert_true(gate_str_compare(GATE_STR("\xff"), GATE_STR("a")) > 0);
    assert_int_equal(gate_str_compare(GATE_STR("same"), GATE_STR("same")), 0);
}

TEST(str_finds_slices_and_trims) {
    struct gate_str text = GATE_STR("one two one");
    assert_int_equal(gate_str_find(text, GATE_STR("one"), 0), 0);
    assert_int_equal(gate_str_find(text, GATE_STR("one"), 1), 8);
    assert_int_equal(gate_str_find(text, GATE_STR("three"), 0), SIZE_MAX);
    assert_int_equal(gate_str_find(text, GATE_STR("one "), 5), SIZE_MAX);
    assert_text(gate_str_slice(text, 4, 7), "two");
    assert_text(gate_str_slice(text, 9, 100), "ne");
    assert_text(gate_str_slice(text, 7, 4), "");
    assert_text(gate_str_trim(GATE_STR(" \t x y\r\n")), "x y");
    assert_text(gate_str_basename(GATE_STR("/usr/lib/libc.so.6")), "libc.so.6");
    assert_text(gate_str_basename(GATE_STR("plain")), "plain");
}

TEST(str_starts_with_a_prefix_in_either_case) {
    const struct gate_str text = GATE_STR("Grpc-Status: 5");
    assert_true(gate_str_starts_nocase(text, GATE_STR("grpc-status:")) && gate_str_starts_nocase(text, text));
    assert_true(gate_str_starts_nocase(text, GATE_STR("")) && gate_str_starts_nocase(GATE_STR("kb"), GATE_STR("KB")));
    assert_false(gate_str_starts_nocase(text, GATE_STR("grpc_status:")));
    assert_false(gate_str_starts_nocase(GATE_STR("grpc"), text));
}

TEST(str_repairs_utf8) {
    static const struct {
        const char *bytes;
        size_t len;
        const char *wanted;
    } rows[] = {
        {"plain", 5, "plain"},
        {"\xc3\xa9", 2, "\xc3\xa9"},
        {"a\xff"
         "b",
         3,
         "a\xef\xbf\xbd"
         "b"},
        {"\xc0\xaf", 2, "\xef\xbf\xbd"},             /* overlong */
        {"\xed\xa0\x80", 3, "\xef\xbf\xbd"},         /* surrogate */
        {"\xf4\x90\x80\x80", 4, "\xef\xbf\xbd"},     /* above U+10FFFF */
        {"\xe2\x82", 2, "\xef\xbf\xbd"},             /* truncated */
        {"\xf0\x9f\x94\xa5", 4, "\xf0\x9f\x94\xa5"}, /* emoji */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_text(gate_str_repair_utf8(&arena, (struct gate_str){rows[i].bytes, rows[i].len}), rows[i].wanted);
    struct gate_str with_nul = gate_str_repair_utf8(&arena, (struct gate_str){"a\0b", 3});
    assert_int_equal(with_nul.len, 3);
}

TEST(str_counts_terminal_columns) {
    assert_int_equal(gate_str_columns(GATE_STR("abc")), 3);
    assert_int_equal(gate_str_columns(GATE_STR("\xe6\x97\xa5\xe6\x9c\xac")), 4);
    assert_int_equal(gate_str_columns(GATE_STR("e\xcc\x81")), 1);
    assert_int_equal(gate_str_columns(GATE_STR("\xf0\x9f\x94\xa5")), 2);
}

/* The rows are in ascending order. Every two rows must compare accordingly, in both directions. */
TEST(str_hexadecimal_has_two_digits_per_byte) {
    char text[9];
    gate_str_hex(text, "\x00\x7f\xa0\xff", 4);
    assert_string_equal(text, "007fa0ff");
    gate_str_hex(text, "", 0);
    assert_string_equal(text, "");
    assert_int_equal(gate_str_hex_digits(GATE_STR("09afg1")), 4);
    assert_int_equal(gate_str_hex_digits(GATE_STR("AB")), 0);
    assert_int_equal(gate_str_hex_digits(GATE_STR("a\0b")), 1);
    assert_int_equal(gate_str_hex_digits(GATE_STR("")), 0);
}

TEST(str_natural_order_sorts_numbers_by_value) {
    static const char *const rows[] = {
        "",  "0",   "1",      "02",      "2",    "2a",     "02b",   "10", "99999999999999999999999",
        "a", "a-1", "a-2.pb", "a-2b.pb", "a-10", "a-010b", "a-10c", "b"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < sizeof rows / sizeof *rows; j++) {
            int order = gate_str_compare_natural(gate_str_from(rows[i]), gate_str_from(rows[j]));
            if ((order > 0) - (order < 0) != (i > j) - (i < j))
                fail_msg("'%s' and '%s': %d", rows[i], rows[j], order);
        }
}

TEST(str_suggests_the_nearest_word) {
    const char *const words[] = {"share_increase", "increase", "share", "absolute", NULL};
    assert_string_equal(gate_str_nearest(GATE_STR("share_incraese"), words), "share_increase");
    assert_string_equal(gate_str_nearest(GATE_STR("shar"), words), "share");
    assert_string_equal(gate_str_nearest(GATE_STR("asbolute"), words), "absolute");
    assert_null(gate_str_nearest(GATE_STR("colour"), words));
    assert_null(gate_str_nearest(GATE_STR(""), words));
}

TEST(table_interns_in_order_of_appearance) {
    struct gate_table table;
    gate_table_init(&table, &arena);
    assert_int_equal(gate_table_find(&table, GATE_STR("x")), GATE_TABLE_NONE);
    for (uint32_t i = 0; i < 5000; i++)
        assert_int_equal(gate_table_intern(&table, gate_str_format(&arena, "name %u", (unsigned)i)), i);
    for (uint32_t i = 0; i < 5000; i += 7) {
        struct gate_str name = gate_str_format(&arena, "name %u", (unsigned)i);
        assert_int_equal(gate_table_intern(&table, name), i);
        assert_int_equal(gate_table_find(&table, name), i);
    }
    assert_int_equal(table.count, 5000);
}

/* Two tables with different secrets give the same answers, but store most names in different slots. */
TEST(tables_with_other_secrets_use_other_slots) {
    enum { NAMES = 1000 };
    struct gate_table tables[2], random[2];
    uint32_t moved = 0;
    for (uint32_t t = 0; t < 2; t++) {
        gate_table_init(&random[t], &arena);
        gate_table_init(&tables[t], &arena);
        tables[t].secret = UINT64_C(0x0123456789ABCDEF) + t;
        for (uint32_t i = 0; i < NAMES; i++)
            assert_int_equal(gate_table_intern(&tables[t], gate_str_format(&arena, "name %u", (unsigned)i)), i);
    }
    assert_true(random[0].secret != random[1].secret);
    for (uint32_t i = 0; i < NAMES; i++) {
        struct gate_str name = gate_str_format(&arena, "name %u", (unsigned)i);
        assert_int_equal(gate_table_find(&tables[0], name), i);
        assert_int_equal(gate_table_find(&tables[1], name), i);
        assert_true(gate_str_equal(tables[0].keys[i], tables[1].keys[i]));
    }
    assert_int_equal(tables[0].slot_count, tables[1].slot_count);
    for (uint32_t i = 0; i < tables[0].slot_count; i++)
        moved += tables[0].slots[i] != 0 && tables[0].slots[i] != tables[1].slots[i];
    assert_true(moved > NAMES * 9 / 10);
}

TEST(table_reports_a_full_arena) {
    for (size_t limit = 1; limit < 6000; limit += 16) {
        AT_END(gate_arena_free) struct gate_arena arena;
        struct gate_table table;
        gate_arena_init(&arena, limit);
        gate_table_init(&table, &arena);
        uint32_t made = 0;
        while (made < 200 &&
               gate_table_intern_copy(&table, (struct gate_str){(const char *)&made, sizeof made}) == made)
            made++;
        assert_int_equal(table.count, made);
    }
}

static enum gate_regex_result match(const char *pattern, const char *text) {
    struct gate_regex *regex = NULL;
    assert_true(gate_regex_compile(&regex, gate_str_from(pattern), &err));
    enum gate_regex_result found = gate_regex_match(regex, gate_str_from(text));
    gate_regex_free(regex);
    return found;
}

TEST(regex_matches_patterns_and_globs) {
    assert_int_equal(match("^main\\.", "main.serve"), GATE_REGEX_YES);
    assert_int_equal(match("serve", "main.serve.func1"), GATE_REGEX_YES);
    assert_int_equal(match("^serve", "main.serve"), GATE_REGEX_NO);
    assert_int_equal(match("glob:main.*", "main.serve"), GATE_REGEX_YES);
    assert_int_equal(match("glob:main.*", "xmain.serve"), GATE_REGEX_NO);
    assert_int_equal(match("glob:vendor/*", "vendor/a/b"), GATE_REGEX_NO);
    assert_int_equal(match("glob:vendor/**", "vendor/a/b"), GATE_REGEX_YES);
    assert_int_equal(match("glob:a.(*T).m?", "a.(xT).m1"), GATE_REGEX_YES);
    assert_int_equal(match("glob:a.b", "aXb"), GATE_REGEX_NO);
}

TEST(regex_refuses_bad_and_explosive_patterns) {
    struct gate_regex *regex = NULL;
    assert_false(gate_regex_compile(&regex, GATE_STR("(unclosed"), &err));
    assert_int_equal(err.code, GATE_ERR_CONFIG);
    assert_non_null(strstr(err.message, "(unclosed"));
    assert_int_equal(match("^(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"),
                     GATE_REGEX_TOO_HARD);
}

TEST(regex_replaces) {
    struct gate_regex *regex = NULL;
    assert_true(gate_regex_compile(&regex, GATE_STR("^(.*)V2$"), &err));
    assert_text(gate_regex_replace(regex, GATE_STR("main.serveV2"), GATE_STR("$1"), &arena), "main.serve");
    assert_text(gate_regex_replace(regex, GATE_STR("main.serve"), GATE_STR("$1"), &arena), "main.serve");
    gate_regex_free(regex);
}
