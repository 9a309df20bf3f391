/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/formats/text_line.h"

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static size_t blanks(struct gate_str text) {
    size_t at = 0;
    while (at < text.len && is_blank(text.ptr[at]))
        at++;
    return at;
}

bool gate_text_line_next(struct gate_str *rest, struct gate_str *line) {
    if (!gate_str_line_next(rest, line))
        return false;
    *line = gate_str_trim(*line);
    return true;
}

bool gate_text_number(struct gate_str *rest, int64_t *value) {
    size_t at = blanks(*rest);
    bool negative = at < rest->len && rest->ptr[at] == '-';
    size_t first = at += negative;
    int64_t sum = 0;
    for (; at < rest->len && gate_is_digit(rest->ptr[at]); at++)
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_sub_overflow(sum, rest->ptr[at] - '0', &sum))
            return false; /* the sum is negative, as int64_t has one more negative number */
    if (at == first || (!negative && sum == INT64_MIN))
        return false;
    *value = negative ? sum : -sum;
    *rest = gate_str_slice(*rest, at, rest->len);
    return true;
}

bool gate_text_is_number(struct gate_str text, int64_t *value) {
    return gate_text_number(&text, value) && text.len == 0;
}

bool gate_text_hex(struct gate_str *rest, uint64_t *value) {
    size_t at = blanks(*rest);
    struct gate_str text = gate_str_slice(*rest, at, rest->len);
    if (text.len > 2 && gate_str_starts(text, GATE_STR("0x")) && gate_hex_value(text.ptr[2]) >= 0)
        at += 2;
    size_t first = at;
    uint64_t sum = 0;
    for (; at < rest->len && gate_hex_value(rest->ptr[at]) >= 0; at++) {
        if (sum >> 60 != 0)
            return false;
        sum = sum << 4 | (uint64_t)gate_hex_value(rest->ptr[at]);
    }
    if (at == first)
        return false;
    *value = sum;
    *rest = gate_str_slice(*rest, at, rest->len);
    return true;
}

bool gate_text_mark(struct gate_str *rest, char mark) {
    size_t at = blanks(*rest);
    if (at >= rest->len || rest->ptr[at] != mark)
        return false;
    *rest = gate_str_slice(*rest, at + 1, rest->len);
    return true;
}

size_t gate_text_parenthesis(struct gate_str text) {
    size_t depth = 0;
    if (!gate_str_ends(text, GATE_STR(")")))
        return text.len;
    for (size_t i = text.len; i > 0; i--) {
        depth += text.ptr[i - 1] == ')';
        depth -= text.ptr[i - 1] == '(';
        if (depth == 0)
            return i - 1;
    }
    return text.len;
}

struct gate_str gate_text_word(struct gate_str *rest) {
    size_t first = blanks(*rest), end = first;
    while (end < rest->len && !is_blank(rest->ptr[end]))
        end++;
    struct gate_str word = gate_str_slice(*rest, first, end);
    *rest = gate_str_slice(*rest, end, rest->len);
    return word;
}

struct gate_str gate_text_without_offset(struct gate_str name) {
    size_t plus = gate_str_behind_last(name, '+');
    struct gate_str offset = gate_str_slice(name, plus, name.len);
    uint64_t number = 0;
    bool has_offset = plus > 1 && gate_str_starts(offset, GATE_STR("0x")) && gate_text_hex(&offset, &number);
    return has_offset && offset.len == 0 ? gate_str_slice(name, 0, plus - 1) : name;
}

bool gate_text_unexpected(uint64_t number, const char *expected, struct gate_str found, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_FORMAT, "line %llu: expected %s, found '%.*s'", (unsigned long long)number,
                          expected, GATE_STR_ARG(gate_str_slice(found, 0, 60)));
}
