/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions in text (see source_text.h). It is no parser: what it does not know for sure has no name. */
#include "gate/symbols/source_text.h"

#include "gate/base/arena.h"

bool gate_source_text_open(struct gate_source_text *out, struct gate_str text, struct gate_arena *arena) {
    size_t count = 1;
    *out = (struct gate_source_text){.text = text};
    for (size_t at = gate_str_find(text, GATE_STR("\n"), 0); at != SIZE_MAX && count < INT32_MAX;
         at = gate_str_find(text, GATE_STR("\n"), at + 1))
        count++;
    out->lines = GATE_NEW_ARRAY(arena, size_t, count);
    if (out->lines == NULL)
        return false;
    for (size_t i = 1; i < count; i++)
        out->lines[i] = gate_str_find(text, GATE_STR("\n"), out->lines[i - 1]) + 1;
    out->line_count = (uint32_t)count;
    return true;
}

size_t gate_source_text_place(const struct gate_source_text *text, uint32_t line, uint32_t column) {
    if (column > GATE_SOURCE_COLUMNS_MAX || line >= text->line_count)
        return SIZE_MAX;
    size_t at = text->lines[line];
    while (column > 0) {
        uint32_t code_point = 0;
        size_t step = gate_utf8_decode(text->text, at, &code_point);
        uint32_t units = code_point > 0xFFFF ? 2 : 1;
        if (step == 0 || code_point == '\n' || units > column)
            return SIZE_MAX;
        at += step;
        column -= units;
    }
    return at;
}

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '#' || (unsigned char)c >= 0x80;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t blanks_skip(struct gate_str text, size_t at) {
    while (at < text.len && is_blank(text.ptr[at]))
        at++;
    return at;
}

/* Where what stands before `at` ends, without blanks. */
static size_t blanks_back(struct gate_str text, size_t at) {
    while (at > 0 && is_blank(text.ptr[at - 1]))
        at--;
    return at;
}

static struct gate_str word_at(struct gate_str text, size_t at) {
    size_t end = at;
    while (end < text.len && end - at < GATE_SOURCE_COLUMNS_MAX && is_word_char(text.ptr[end]))
        end++;
    return gate_str_slice(text, at, end);
}

static struct gate_str word_before(struct gate_str text, size_t end) {
    size_t at = end;
    while (at > 0 && end - at < GATE_SOURCE_COLUMNS_MAX && is_word_char(text.ptr[at - 1]))
        at--;
    return gate_str_slice(text, at, end);
}

static bool is_word(struct gate_str word, const char *what) {
    return gate_str_equal(word, gate_str_from(what));
}

/* Words before a "(" that are not what the function is called. */
static bool is_reserved(struct gate_str word) {
    static const char *const words[] = {"async", "await",  "case", "catch", "delete", "do",     "else",   "extends",
                                        "for",   "if",     "in",   "new",   "of",     "return", "super",  "switch",
                                        "throw", "typeof", "void", "while", "with",   "yield",  "import", "default"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(word, words[i]))
            return true;
    return false;
}

static struct gate_str name_or_none(struct gate_str word) {
    return word.len == 0 || is_reserved(word) || (word.ptr[0] >= '0' && word.ptr[0] <= '9') ? GATE_STR("") : word;
}

/* "total = " and "total: Type = " in front of `end`; of "{ total: " the key. */
static struct gate_str assigned_before(struct gate_str text, size_t end) {
    end = blanks_back(text, end);
    char last = end == 0 ? '\0' : text.ptr[end - 1];
    char before = end < 2 ? '\0' : text.ptr[end - 2];
    if ((last != '=' && last != ':') || before == '=' || before == '!' || before == '<' || before == '>')
        return GATE_STR("");
    struct gate_str word = word_before(text, blanks_back(text, end - 1));
    if (word.len == 0)
        return GATE_STR("");
    size_t front = blanks_back(text, (size_t)(word.ptr - text.ptr));
    char sign = front == 0 ? '\0' : text.ptr[front - 1];
    if (last == ':') /* else it may be the second choice of "a ? b : c" */
        return sign == '{' || sign == ',' ? name_or_none(word) : GATE_STR("");
    if (sign == ':') /* a type */
        word = word_before(text, blanks_back(text, front - 1));
    return name_or_none(word);
}

/* A function expression, an arrow function, or "async" before either, begins at `at`. */
static struct gate_str expression_name(struct gate_str text, size_t at) {
    struct gate_str before = word_before(text, blanks_back(text, at));
    if (is_word(before, "async"))
        at = (size_t)(before.ptr - text.ptr);
    return assigned_before(text, at);
}

/* Parameters begin at the "(" at `at`. */
static struct gate_str parameters_name(struct gate_str text, size_t at) {
    size_t end = blanks_back(text, at);
    struct gate_str word = word_before(text, end);
    if (word.len == 0 && end > 0 && text.ptr[end - 1] == '*') { /* function* (…) */
        end = blanks_back(text, end - 1);
        word = word_before(text, end);
    }
    size_t start = end - word.len;
    if (is_word(word, "function"))
        return expression_name(text, start);
    if (word.len == 0 || is_word(word, "async"))
        return expression_name(text, at);
    return name_or_none(word);
}

/* "function" ends at `at`. */
static struct gate_str declared_name(struct gate_str text, size_t start, size_t at) {
    at = blanks_skip(text, at);
    if (at < text.len && text.ptr[at] == '*')
        at = blanks_skip(text, at + 1);
    struct gate_str name = name_or_none(word_at(text, at));
    return name.len != 0 ? name : expression_name(text, start);
}

struct gate_str gate_source_text_name(struct gate_str text, size_t at) {
    if (at >= text.len)
        return GATE_STR("");
    size_t start = at;
    if (text.ptr[at] == '(')
        return parameters_name(text, at);
    struct gate_str word = word_at(text, at);
    if (is_word(word, "async")) {
        at = blanks_skip(text, at + word.len);
        word = word_at(text, at);
    }
    if (is_word(word, "function"))
        return declared_name(text, start, at + word.len);
    if (word.len == 0)
        return start == at ? GATE_STR("") : expression_name(text, start); /* async (…) */
    /* The first parameter of an arrow function: "item => ", or within "(item) => ". */
    size_t end = blanks_skip(text, at + word.len), front = blanks_back(text, at);
    if (gate_str_starts(gate_str_slice(text, end, text.len), GATE_STR("=>")))
        return expression_name(text, start);
    if (front > 0 && text.ptr[front - 1] == '(' && end < text.len && strchr("),:=", text.ptr[end]) != NULL)
        return expression_name(text, front - 1);
    return GATE_STR("");
}
