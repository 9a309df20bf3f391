/* SPDX-License-Identifier: Apache-2.0 */
/* Strings as views (pointer and length), never NUL-terminated, never owned. */
#ifndef GATE_BASE_STR_H
#define GATE_BASE_STR_H

#include "gate/base/arena.h"

#include <string.h>

struct gate_str {
    const char *ptr;
    size_t len;
};

#define GATE_STR(literal) ((struct gate_str){"" literal, sizeof(literal) - 1})

/* For printf: printf("%.*s", GATE_STR_ARG(view)). Cut at 4,096 bytes, because %.*s takes an int. */
#define GATE_STR_ARG(view) (int)((view).len > 4096 ? 4096 : (view).len), ((view).len == 0 ? "" : (view).ptr)

/* ---- characters of ASCII, in any locale -------------------------------------------------------------------------- */

static inline bool gate_is_digit(int c) {
    return c >= '0' && c <= '9';
}

static inline bool gate_is_lower(int c) {
    return c >= 'a' && c <= 'z';
}

static inline bool gate_is_upper(int c) {
    return c >= 'A' && c <= 'Z';
}

static inline bool gate_is_letter(int c) {
    return gate_is_lower(c) || gate_is_upper(c);
}

/** Return whether `c` may be part of an identifier: a letter, a digit or '_'. */
static inline bool gate_is_word(int c) {
    return gate_is_letter(c) || gate_is_digit(c) || c == '_';
}

static inline char gate_lower(char c) {
    return gate_is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

/** Return the value of a hexadecimal digit of either case, or -1. */
static inline int gate_hex_value(int c) {
    return gate_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* ---- views ------------------------------------------------------------------------------------------------------- */

static inline struct gate_str gate_str_from(const char *text) {
    return (struct gate_str){text, strlen(text)};
}

static inline bool gate_str_equal(struct gate_str a, struct gate_str b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/**
 * Compare by bytes, then by length: a total order, independent of the locale. Returns a negative number, zero or a
 * positive number.
 */
int gate_str_compare(struct gate_str a, struct gate_str b);

/**
 * Like gate_str_compare, but compare runs of ASCII digits by value: "run-2" before "run-10". A total order: texts that
 * differ only in leading zeros are ordered by bytes.
 */
int gate_str_compare_natural(struct gate_str a, struct gate_str b);

/** Return whether `text` starts with `prefix`. */
bool gate_str_starts(struct gate_str text, struct gate_str prefix);

/** Like gate_str_starts, but letters of ASCII may differ in case. */
bool gate_str_starts_nocase(struct gate_str text, struct gate_str prefix);

/** Return whether `text` ends with `suffix`. */
bool gate_str_ends(struct gate_str text, struct gate_str suffix);

/** Return whether `text` is one of `count` words. O(length of all words). */
bool gate_str_is_among(struct gate_str text, const char *const *words, size_t count);

/** Return the offset of the first `needle` in `text` at or after `from`, or SIZE_MAX. */
size_t gate_str_find(struct gate_str text, struct gate_str needle, size_t from);

static inline bool gate_str_holds(struct gate_str text, struct gate_str part) {
    return gate_str_find(text, part, 0) != SIZE_MAX;
}

/** Return whether there is a digit at `at`. */
static inline bool gate_str_is_digit(struct gate_str text, size_t at) {
    return at < text.len && gate_is_digit(text.ptr[at]);
}

/** Return whether `c` is at `*at`, and move `*at` past it. */
static inline bool gate_str_take(struct gate_str text, size_t *at, char c) {
    bool is_there = *at < text.len && text.ptr[*at] == c;
    *at += is_there;
    return is_there;
}

/** Return the view [from, to) of `text`. Both offsets are clamped to its length. */
struct gate_str gate_str_slice(struct gate_str text, size_t from, size_t to);

/** Take the next line from `rest`, without its '\n'. Returns false at the end. */
bool gate_str_line_next(struct gate_str *rest, struct gate_str *line);

/** Return `text` without ASCII white space at both ends. */
struct gate_str gate_str_trim(struct gate_str text);

/** Return the offset behind the last `c` in `text`, or 0 if there is none. */
size_t gate_str_behind_last(struct gate_str text, char c);

/** Return the part of `path` after the last '/', or all of it if there is none. */
struct gate_str gate_str_basename(struct gate_str path);

/**
 * Copy `text` into the arena, with a NUL after it that the view does not count. `.ptr` is NULL if the arena is full.
 */
struct gate_str gate_str_copy(struct gate_arena *arena, struct gate_str text);

/** Join `count` parts in arena memory, with a NUL after them. `.ptr` is NULL if the arena is full. */
struct gate_str gate_str_concat(struct gate_arena *arena, const struct gate_str *parts, size_t count);

/** Return FOLDER/NAME with a NUL at the end and one slash between; NULL if the arena is full. */
const char *gate_path_join(const char *folder, struct gate_str name, struct gate_arena *arena);

/** Format into the arena, as printf does. `.ptr` is NULL if the arena is full. */
struct gate_str gate_str_format(struct gate_arena *arena, const char *format, ...) GATE_PRINTF(2, 3);

/**
 * Return `text` as valid UTF-8: itself if it is valid (no copy), otherwise a copy in which each maximal ill-formed part
 * is U+FFFD. `.ptr` is NULL if the arena is full. O(len).
 */
struct gate_str gate_str_repair_utf8(struct gate_arena *arena, struct gate_str text);

/**
 * Return the length in bytes (1 to 4) of the UTF-8 sequence at `text.ptr[at]`, and set `*code_point`. Returns 0 if it
 * is ill-formed: overlong forms, surrogates and anything above U+10FFFF (Unicode, table 3-7), or if `at` is past the
 * end.
 */
size_t gate_utf8_decode(struct gate_str text, size_t at, uint32_t *code_point);

/**
 * Return the number of terminal columns of `text`. Wide East Asian characters and emoji count 2; combining marks and
 * controls count 0.
 */
size_t gate_str_columns(struct gate_str text);

/** Write `len` bytes in hexadecimal to `out`: 2 * `len` lower-case digits and a NUL. */
void gate_str_hex(char *out, const void *bytes, size_t len);

/** Return the number of lower-case hexadecimal digits at the start of `text`. */
size_t gate_str_hex_digits(struct gate_str text);

/**
 * Return the word of `words` (NULL-terminated) closest to `text` by Damerau-Levenshtein distance. Returns NULL if none
 * is close enough to be a typing error: the distance is at most a third of the longer word's length, and at least 1 is
 * allowed. O(words * len^2).
 */
const char *gate_str_nearest(struct gate_str text, const char *const *words);

#endif
