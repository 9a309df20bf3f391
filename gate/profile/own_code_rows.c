/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are refused at a glance (see own_code_rows.h). */
#include "gate/profile/own_code_rows.h"

#include "gate/profile/own_code_look.h"

/* The letters that parts begin and end with, and one that is always there. */
enum { LETTERS_ALWAYS = 2 * GATE_OWN_CODE_ONS, LETTERS };

/* Of a word, by its ends and its length. */
static uint32_t word_bit(const char *word, size_t len) {
    uint32_t first = (unsigned char)word[0], last = (unsigned char)word[len - 1];
    return (first * 67 + last * 5 + (uint32_t)len * 311) % GATE_OWN_CODE_WORD_BITS;
}

static void note_words(struct gate_own_code_rows *out, struct gate_str words) {
    for (size_t at = 1, end = 0; at < words.len; at = end + 1) {
        end = gate_str_find(words, GATE_STR(" "), at);
        GATE_ASSERT(end != SIZE_MAX && end > at);
        uint32_t bit = word_bit(words.ptr + at, end - at);
        out->words[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
}

static struct gate_own_code_try try_of(size_t row) {
    const struct gate_own_code_row *of = &gate_own_code_table_rows[row];
    const struct gate_own_code_test *test = &of->test;
    struct gate_own_code_try out = {.row = (uint16_t)row, .letter_at = LETTERS_ALWAYS, .code = (uint8_t)of->code};
    switch (test->how) {
    case GATE_OWN_CODE_HOW_IS:
    case GATE_OWN_CODE_HOW_STARTS:
        out.letter_at = (uint8_t)(2 * test->on);
        out.letter = test->text[0];
        break;
    case GATE_OWN_CODE_HOW_ENDS:
        out.letter_at = (uint8_t)(2 * test->on + 1);
        out.letter = test->text[test->len - 1];
        break;
    case GATE_OWN_CODE_HOW_CONTAINS:
    case GATE_OWN_CODE_HOW_LACKS:
        GATE_ASSERT(test->len <= UINT8_MAX);
        out.rare_at = (uint8_t)gate_own_code_look_rarest((struct gate_str){test->text, test->len});
        break;
    case GATE_OWN_CODE_HOW_IN:
    case GATE_OWN_CODE_HOW_PRESENT:
    case GATE_OWN_CODE_HOW_RUNTIME:
        break;
    }
    return out;
}

void gate_own_code_rows_of(struct gate_own_code_rows *out, enum gate_language language) {
    out->language = language;
    out->count = 0;
    memset(out->words, 0, sizeof out->words);
    for (size_t i = 0; i < gate_own_code_table_row_count; i++) {
        const struct gate_own_code_row *row = &gate_own_code_table_rows[i];
        if ((row->languages & (1u << language)) == 0)
            continue;
        GATE_ASSERT(out->count < GATE_OWN_CODE_ROWS_MOST);
        out->items[out->count++] = try_of(i);
        if (row->test.how == GATE_OWN_CODE_HOW_IN)
            note_words(out, (struct gate_str){row->test.text, row->test.len});
    }
}

/* Whether the part holds the row's text, by the places of its rarest letter. */
static bool holds(struct gate_str part, const struct gate_own_code_test *test, size_t rare_at) {
    if (part.len < test->len || test->len == 0)
        return test->len == 0;
    const char *from = part.ptr + rare_at, *end = from + (part.len - test->len) + 1;
    while (from < end && (from = memchr(from, test->text[rare_at], (size_t)(end - from))) != NULL) {
        const char *start = from++ - rare_at;
        if (start[0] == test->text[0] && memcmp(start, test->text, test->len) == 0)
            return true;
    }
    return false;
}

static bool may_be_word(const struct gate_own_code_rows *rows, struct gate_str part) {
    uint32_t bit = word_bit(part.ptr, part.len);
    return (rows->words[bit / 8] >> bit % 8 & 1u) != 0;
}

/* A row whose letter the part has. */
static bool fits(const struct gate_own_code_rows *rows, const struct gate_own_code_try *at,
                 const struct gate_own_code_look *look) {
    const struct gate_own_code_test *test = &gate_own_code_table_rows[at->row].test;
    struct gate_str part = look->on[test->on];
    bool is_windows = look->is_windows && test->on == GATE_OWN_CODE_ON_FILE;
    if (part.len == 0)
        return test->how == GATE_OWN_CODE_HOW_LACKS;
    if (!is_windows && test->how == GATE_OWN_CODE_HOW_CONTAINS)
        return holds(part, test, at->rare_at);
    if (!is_windows && test->how == GATE_OWN_CODE_HOW_LACKS)
        return !holds(part, test, at->rare_at);
    return (test->how != GATE_OWN_CODE_HOW_IN || may_be_word(rows, part)) && gate_own_code_look_fits(look, test);
}

/* Windows' '\\' in a file is a '/' of the table. */
static char letter_of(struct gate_str part, size_t at, bool is_windows) {
    return is_windows && part.ptr[at] == '\\' ? '/' : part.ptr[at];
}

enum gate_code gate_own_code_rows_code(const struct gate_own_code_rows *rows, const struct gate_own_code_look *look) {
    char letters[LETTERS] = {0};
    for (int on = 0; on < GATE_OWN_CODE_ONS; on++) {
        struct gate_str part = look->on[on];
        bool is_windows = look->is_windows && on == GATE_OWN_CODE_ON_FILE;
        letters[2 * on] = part.len == 0 ? '\0' : letter_of(part, 0, is_windows);
        letters[2 * on + 1] = part.len == 0 ? '\0' : letter_of(part, part.len - 1, is_windows);
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct gate_own_code_try *at = &rows->items[i];
        if (letters[at->letter_at] == at->letter && fits(rows, at, look))
            return (enum gate_code)at->code;
    }
    return GATE_CODE_LIBRARY; /* not reached: the last row of each language fits every frame that has a name */
}
