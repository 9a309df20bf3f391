/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on string views. */
#include "gate/base/str.h"

#include "gate/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int gate_str_compare(struct gate_str a, struct gate_str b) {
    size_t shared = a.len < b.len ? a.len : b.len;
    int order = shared == 0 ? 0 : memcmp(a.ptr, b.ptr, shared);
    if (order != 0)
        return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

/* Return the digits from `*at` on without leading zeros, and move `*at` past them. */
static struct gate_str digits_at(struct gate_str text, size_t *at) {
    while (*at < text.len && text.ptr[*at] == '0')
        ++*at;
    size_t from = *at;
    while (gate_str_is_digit(text, *at))
        ++*at;
    return gate_str_slice(text, from, *at);
}

int gate_str_compare_natural(struct gate_str a, struct gate_str b) {
    size_t i = 0, j = 0;
    while (i < a.len && j < b.len) {
        if (gate_str_is_digit(a, i) && gate_str_is_digit(b, j)) {
            struct gate_str left = digits_at(a, &i), right = digits_at(b, &j);
            int order = left.len != right.len ? (left.len < right.len ? -1 : 1) : gate_str_compare(left, right);
            if (order != 0)
                return order;
            continue;
        }
        unsigned char left = (unsigned char)a.ptr[i], right = (unsigned char)b.ptr[j];
        if (left != right)
            return left < right ? -1 : 1;
        i++;
        j++;
    }
    if ((i < a.len) != (j < b.len))
        return i < a.len ? 1 : -1;
    return gate_str_compare(a, b);
}

bool gate_str_starts(struct gate_str text, struct gate_str prefix) {
    return text.len >= prefix.len && (prefix.len == 0 || memcmp(text.ptr, prefix.ptr, prefix.len) == 0);
}

bool gate_str_starts_nocase(struct gate_str text, struct gate_str prefix) {
    bool is_same = text.len >= prefix.len;
    for (size_t i = 0; is_same && i < prefix.len; i++)
        is_same = gate_lower(text.ptr[i]) == gate_lower(prefix.ptr[i]);
    return is_same;
}

bool gate_str_ends(struct gate_str text, struct gate_str suffix) {
    return text.len >= suffix.len &&
           (suffix.len == 0 || memcmp(text.ptr + text.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

bool gate_str_is_among(struct gate_str text, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (gate_str_equal(text, gate_str_from(words[i])))
            return true;
    return false;
}

size_t gate_str_find(struct gate_str text, struct gate_str needle, size_t from) {
    if (needle.len == 0)
        return from <= text.len ? from : SIZE_MAX;
    while (from < text.len && text.len - from >= needle.len) {
        const char *hit = memchr(text.ptr + from, needle.ptr[0], text.len - from - needle.len + 1);
        if (hit == NULL)
            return SIZE_MAX;
        if (memcmp(hit, needle.ptr, needle.len) == 0)
            return (size_t)(hit - text.ptr);
        from = (size_t)(hit - text.ptr) + 1;
    }
    return SIZE_MAX;
}

struct gate_str gate_str_slice(struct gate_str text, size_t from, size_t to) {
    if (to > text.len)
        to = text.len;
    if (from > to)
        from = to;
    return (struct gate_str){text.ptr == NULL ? NULL : text.ptr + from, to - from};
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool gate_str_line_next(struct gate_str *rest, struct gate_str *line) {
    if (rest->len == 0)
        return false;
    size_t end = gate_str_find(*rest, GATE_STR("\n"), 0);
    *line = gate_str_slice(*rest, 0, end);
    *rest = gate_str_slice(*rest, end == SIZE_MAX ? rest->len : end + 1, rest->len);
    return true;
}

struct gate_str gate_str_trim(struct gate_str text) {
    while (text.len > 0 && is_space(text.ptr[0])) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0 && is_space(text.ptr[text.len - 1]))
        text.len--;
    return text;
}

size_t gate_str_behind_last(struct gate_str text, char c) {
    size_t at = text.len;
    while (at > 0 && text.ptr[at - 1] != c)
        at--;
    return at;
}

struct gate_str gate_str_basename(struct gate_str path) {
    return gate_str_slice(path, gate_str_behind_last(path, '/'), path.len);
}

struct gate_str gate_str_copy(struct gate_arena *arena, struct gate_str text) {
    char *copy = gate_arena_alloc(arena, text.len + 1);
    if (copy == NULL)
        return (struct gate_str){NULL, 0};
    if (text.len != 0)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return (struct gate_str){copy, text.len};
}

struct gate_str gate_str_concat(struct gate_arena *arena, const struct gate_str *parts, size_t count) {
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += parts[i].len;
    char *text = gate_arena_alloc(arena, len + 1);
    if (text == NULL)
        return (struct gate_str){NULL, 0};
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].len != 0)
            memcpy(text + at, parts[i].ptr, parts[i].len);
        at += parts[i].len;
    }
    text[len] = '\0';
    return (struct gate_str){text, len};
}

const char *gate_path_join(const char *folder, struct gate_str name, struct gate_arena *arena) {
    struct gate_str path = gate_str_from(folder);
    const struct gate_str parts[] = {path, gate_str_ends(path, GATE_STR("/")) ? GATE_STR("") : GATE_STR("/"), name};
    return gate_str_concat(arena, parts, 3).ptr;
}

struct gate_str gate_str_format(struct gate_arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0)
        return (struct gate_str){NULL, 0};
    char *text = gate_arena_alloc(arena, (size_t)len + 1);
    if (text == NULL)
        return (struct gate_str){NULL, 0};
    va_start(args, format);
    (void)vsnprintf(text, (size_t)len + 1, format, args);
    va_end(args);
    return (struct gate_str){text, (size_t)len};
}

size_t gate_utf8_decode(struct gate_str text, size_t at, uint32_t *code_point) {
    if (at >= text.len)
        return 0;
    const unsigned char *p = (const unsigned char *)text.ptr + at;
    size_t left = text.len - at;
    if (p[0] < 0x80) {
        *code_point = p[0];
        return 1;
    }
    size_t need = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
    if (p[0] < 0xC2 || p[0] > 0xF4 || left < need)
        return 0;
    unsigned low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    unsigned high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high)
        return 0;
    uint32_t value = p[0] & (0x7Fu >> need);
    for (size_t i = 1; i < need; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (p[i] & 0x3F);
    }
    *code_point = value;
    return need;
}

struct gate_str gate_str_repair_utf8(struct gate_arena *arena, struct gate_str text) {
    uint32_t ignored = 0;
    size_t at = 0;
    while (at < text.len) {
        size_t step = gate_utf8_decode(text, at, &ignored);
        if (step == 0)
            break;
        at += step;
    }
    if (at == text.len)
        return text.ptr == NULL ? GATE_STR("") : text;
    if (text.len > SIZE_MAX / 4)
        return (struct gate_str){NULL, 0};
    char *out = gate_arena_alloc(arena, text.len * 3 + 1);
    if (out == NULL)
        return (struct gate_str){NULL, 0};
    size_t len = 0;
    for (at = 0; at < text.len;) {
        size_t step = gate_utf8_decode(text, at, &ignored);
        if (step == 0) {
            memcpy(out + len, "\xEF\xBF\xBD", 3);
            len += 3;
            at++;
            while (at < text.len && ((unsigned char)text.ptr[at] & 0xC0) == 0x80)
                at++;
        } else {
            memcpy(out + len, text.ptr + at, step);
            len += step;
            at += step;
        }
    }
    return (struct gate_str){out, len};
}

static bool is_zero_width(uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x300 && c < 0x370) || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF;
}

static bool is_wide(uint32_t c) {
    return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
           (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
}

size_t gate_str_columns(struct gate_str text) {
    size_t columns = 0;
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        if (text.ptr[at] >= ' ' && text.ptr[at] <= '~') { /* fast path for most characters of names */
            columns++;
            at++;
            continue;
        }
        size_t step = gate_utf8_decode(text, at, &c);
        if (step == 0) {
            columns++;
            at++;
            continue;
        }
        columns += is_zero_width(c) ? 0 : is_wide(c) ? 2 : 1;
        at += step;
    }
    return columns;
}

void gate_str_hex(char *out, const void *bytes, size_t len) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char *at = bytes;
    for (size_t i = 0; i < len; i++) {
        out[2 * i] = digits[at[i] >> 4];
        out[2 * i + 1] = digits[at[i] & 15];
    }
    out[2 * len] = '\0';
}

size_t gate_str_hex_digits(struct gate_str text) {
    size_t count = 0;
    while (count < text.len && gate_hex_value(text.ptr[count]) >= 0 && !gate_is_upper(text.ptr[count]))
        count++;
    return count;
}

enum { WORD_MAX = 64 };

/* Optimal string alignment distance (Damerau-Levenshtein with adjacent transpositions). */
static size_t word_distance(struct gate_str a, const char *b, size_t b_len) {
    size_t rows[3][WORD_MAX + 1];
    size_t *before = rows[0], *previous = rows[1], *current = rows[2];
    for (size_t j = 0; j <= b_len; j++)
        previous[j] = j;
    memset(before, 0, sizeof rows[0]);
    for (size_t i = 1; i <= a.len; i++) {
        current[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t best = previous[j - 1] + (a.ptr[i - 1] != b[j - 1]);
            if (previous[j] + 1 < best)
                best = previous[j] + 1;
            if (current[j - 1] + 1 < best)
                best = current[j - 1] + 1;
            if (i > 1 && j > 1 && a.ptr[i - 1] == b[j - 2] && a.ptr[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            current[j] = best;
        }
        size_t *oldest = before;
        before = previous;
        previous = current;
        current = oldest;
    }
    return previous[b_len];
}

const char *gate_str_nearest(struct gate_str text, const char *const *words) {
    const char *nearest = NULL;
    size_t nearest_distance = SIZE_MAX;
    if (text.len == 0 || text.len > WORD_MAX)
        return NULL;
    for (size_t i = 0; words[i] != NULL; i++) {
        size_t len = strlen(words[i]);
        if (len > WORD_MAX)
            continue;
        size_t distance = word_distance(text, words[i], len);
        size_t allowed = (text.len > len ? text.len : len) / 3;
        if (allowed == 0)
            allowed = 1;
        if (distance <= allowed && distance < nearest_distance) {
            nearest = words[i];
            nearest_distance = distance;
        }
    }
    return nearest;
}
