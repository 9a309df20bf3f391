/* SPDX-License-Identifier: Apache-2.0 */
/* The table of own_code.h: that its rows and lists are whole, and that long names cost no more than their length. */
#include "gate/profile/own_code_look.h"
#include "gate/profile/own_code_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void lists_hold_each_word_once_between_spaces(void **state) {
    (void)state;
    static const char *const lists[] = {GO_ROOTS, JVM_ROOTS, PYTHON_ROOTS, RUST_ROOTS, LIBC_NAMES, KERNEL_NAMES,
                                        LIBRARY_STEMS};
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

/* Every row can decide something: it has a text where its kind asks for one, and the last row of all fits anything. */
static void rows_are_whole(void **state) {
    (void)state;
    for (size_t i = 0; i < gate_own_code_table_row_count; i++) {
        const struct gate_own_code_row *row = &gate_own_code_table_rows[i];
        bool is_bare = row->test.how == GATE_OWN_CODE_HOW_PRESENT || row->test.how == GATE_OWN_CODE_HOW_RUNTIME;
        assert_int_equal(is_bare, row->test.text == NULL);
        assert_true(row->languages != 0 && row->languages < 1u << GATE_LANGUAGES);
    }
    const struct gate_own_code_row *last = &gate_own_code_table_rows[gate_own_code_table_row_count - 1];
    assert_int_equal(last->test.how, GATE_OWN_CODE_HOW_PRESENT);
    assert_int_equal(last->languages, (1u << GATE_LANGUAGES) - 1);
}

/* As a name, a file and a mapping; in a block of its own, so that a read past the end is seen under ASan. */
static void judge_everywhere(enum gate_language language, const char *text, size_t len) {
    char *exact = malloc(len);
    assert_non_null(exact);
    memcpy(exact, text, len);
    struct gate_str name = {exact, len};
    struct gate_code_place places[] = {{.function = name},
                                       {.function = GATE_STR("f"), .file = name},
                                       {.function = GATE_STR("f"), .mapping = name}};
    for (size_t i = 0; i < COUNT(places); i++)
        assert_true(gate_own_code_of(language, &places[i]) < GATE_CODES);
    free(exact);
}

/* Long names that lead every reader astray: none may cost its length squared, or be read past its end. */
static void hostile_names_are_cheap(void **state) {
    (void)state;
    static const char *const parts[] = {"<",  "(",   "[",    ".",      "/",       "::",  " as ", "_ZN9", "_RNvC", "0x1",
                                        "$LT$", "std ", "operator", "\\", "(a.py:1", "@", "s",   "9",    " "};
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_hold_each_word_once_between_spaces),
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(hostile_names_are_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
