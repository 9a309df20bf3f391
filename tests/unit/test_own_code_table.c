/* SPDX-License-Identifier: Apache-2.0 */
/* The table of own_code.h: its rows and lists are complete, and the cost of a long name is linear in its length. */
#include "gate/names/own_code.h"
#include "gate/names/own_code_table.h"
#include "tests/unit/unit.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

TEST(lists_hold_each_word_once_between_spaces) {
    static const char *const lists[] = {GO_ROOTS,   JVM_ROOTS,  PYTHON_ROOTS, RUBY_ROOTS,
                                        RUST_ROOTS, LIBC_NAMES, KERNEL_NAMES, LIBRARY_STEMS};
    for (size_t i = 0; i < COUNT(lists); i++) {
        struct gate_str list = gate_str_from(lists[i]);
        assert_true(list.len > 2 && list.ptr[0] == ' ' && list.ptr[list.len - 1] == ' ');
        for (size_t at = 0; at + 1 < list.len;) {
            size_t end = gate_str_find(list, GATE_STR(" "), at + 1);
            struct gate_str word = gate_str_slice(list, at, end + 1);
            if (word.len < 3 || gate_str_find(list, word, at + 1) != SIZE_MAX)
                fail_msg("list %zu: '%.*s' is empty or stands twice", i, GATE_STR_ARG(word));
            at = end;
        }
    }
}

/* A row has a text exactly if its kind needs one. The last row of each language fits every place with a name. */
TEST(each_row_has_the_text_that_its_kind_needs) {
    const struct gate_own_code_row *last[GATE_LANGUAGES] = {NULL};
    for (size_t i = 0; i < gate_own_code_table_row_count; i++) {
        const struct gate_own_code_row *row = &gate_own_code_table_rows[i];
        bool is_bare = row->test.how == GATE_OWN_CODE_HOW_PRESENT || row->test.how == GATE_OWN_CODE_HOW_RUNTIME;
        assert_int_equal(is_bare, row->test.text == NULL);
        assert_true(row->languages != 0 && row->languages < 1u << GATE_LANGUAGES);
        for (enum gate_language language = GATE_LANGUAGE_UNKNOWN; language < GATE_LANGUAGES; language++)
            if ((row->languages & 1u << language) != 0)
                last[language] = row;
    }
    for (enum gate_language language = GATE_LANGUAGE_UNKNOWN; language < GATE_LANGUAGES; language++) {
        assert_int_equal(last[language]->test.how, GATE_OWN_CODE_HOW_PRESENT);
        assert_int_equal(last[language]->test.on, GATE_OWN_CODE_ON_SPELLED);
    }
}

/* Return the index of the row that decides, or SIZE_MAX. */
static size_t deciding_row(enum gate_language language, const struct gate_code_place *place) {
    struct gate_own_code_lookup look;
    gate_own_code_lookup_at(&look, language, place);
    for (size_t i = 0; i < gate_own_code_table_row_count; i++)
        if ((gate_own_code_table_rows[i].languages & 1u << language) != 0 &&
            gate_own_code_lookup_fits(&look, &gate_own_code_table_rows[i].test))
            return i;
    return SIZE_MAX;
}

/* Return a place with `text` in the part that rows test with `on`, and with little else that a row could fit. */
static struct gate_code_place place_around(enum gate_own_code_on on, enum gate_language language,
                                           struct gate_str text) {
    struct gate_code_place place = {.function = GATE_STR("x.y")};
    bool is_file_root = on == GATE_OWN_CODE_ON_ROOT && language == GATE_LANGUAGE_PYTHON;
    if (on == GATE_OWN_CODE_ON_FILE || is_file_root)
        place.file = text;
    else if (on == GATE_OWN_CODE_ON_SPELLED || on == GATE_OWN_CODE_ON_NAME || on == GATE_OWN_CODE_ON_ROOT)
        place.function = text;
    else
        place.mapping = text;
    if (on == GATE_OWN_CODE_ON_NAMELESS)
        place.function = GATE_STR("");
    return place;
}

/* Return whether row `index` decides a place made from its own text, with one of several surroundings. */
static bool row_decides(size_t index, enum gate_language language) {
    static const char *const around[][2] = {
        {"", ""},    {"", "x"},   {"x", ""},   {"x", "x"},   {"", ".x"},  {"x.", ""},    {"x.", "x"},  {"", "::x"},
        {"/x", "x"}, {"/x/", ""}, {"x", ".y"}, {"", "/x.y"}, {"", ".so"}, {"/x", "x.y"}, {"x", "x.y"}, {"x", "/x.y"},
    };
    const struct gate_own_code_test *test = &gate_own_code_table_rows[index].test;
    struct gate_str text = gate_str_from(test->text == NULL ? "x" : test->text);
    if (test->how == GATE_OWN_CODE_HOW_IN)
        text = gate_str_slice(text, 1, gate_str_find(text, GATE_STR(" "), 1));
    else if (test->how == GATE_OWN_CODE_HOW_RUNTIME)
        text = GATE_STR("gc_sweep");
    else if (test->how == GATE_OWN_CODE_HOW_LACKS)
        text = GATE_STR("");
    for (size_t i = 0; i < COUNT(around); i++) {
        char made[256];
        int len = snprintf(made, sizeof made, "%s%.*s%s", around[i][0], GATE_STR_ARG(text), around[i][1]);
        struct gate_code_place place = place_around(test->on, language, (struct gate_str){made, (size_t)len});
        if (deciding_row(language, &place) == index)
            return true;
    }
    return false;
}

/* A row is dead if earlier rows fit everything that it fits, so that it never decides. */
TEST(each_row_decides_some_frame) {
    for (size_t i = 0; i < gate_own_code_table_row_count; i++)
        for (enum gate_language language = GATE_LANGUAGE_UNKNOWN; language < GATE_LANGUAGES; language++)
            if ((gate_own_code_table_rows[i].languages & 1u << language) != 0 && !row_decides(i, language))
                fail_msg("row %zu ('%s') decides nothing in %s", i,
                         gate_own_code_table_rows[i].test.text == NULL ? "" : gate_own_code_table_rows[i].test.text,
                         gate_own_code_language_name(language));
}

/* Classify a name, a file and a mapping of `text`. ASan reports reads past the end of the exact allocation. */
static void judge_everywhere(enum gate_language language, const char *text, size_t len) {
    char *exact = malloc(len);
    assert_non_null(exact);
    memcpy(exact, text, len);
    struct gate_str name = {exact, len};
    struct gate_code_place places[] = {
        {.function = name}, {.function = GATE_STR("f"), .file = name}, {.function = GATE_STR("f"), .mapping = name}};
    for (size_t i = 0; i < COUNT(places); i++)
        assert_true(gate_own_code_of(language, &places[i]) < GATE_CODES);
    free(exact);
}

/* Long names of parts that each parser looks for: the cost must not be quadratic, and no read may pass the end. */
TEST(long_hostile_names_are_judged_in_time) {
    static const char *const parts[] = {"<",       "(",     "[",   ".",    "/",    "::",       " as ",
                                        "_ZN9",    "_RNvC", "0x1", "$LT$", "std ", "operator", "\\",
                                        "(a.py:1", "@",     "s",   "9",    " "};
    enum { BYTES = 1 << 16 };
    char *text = malloc(BYTES);
    assert_non_null(text);
    for (size_t p = 0; p < COUNT(parts); p++) {
        for (size_t i = 0; i < BYTES; i++)
            text[i] = parts[p][i % strlen(parts[p])];
        for (enum gate_language i = GATE_LANGUAGE_UNKNOWN; i < GATE_LANGUAGES; i++)
            for (size_t len = 1; len <= BYTES; len = len < 24 ? len + 1 : BYTES + (len == BYTES))
                judge_everywhere(i, text, len);
    }
    free(text);
}
