/* SPDX-License-Identifier: Apache-2.0 */
/* Views of bytes: by value, never NUL-terminated, never owning. */
#ifndef GATE_BASE_STR_H
#define GATE_BASE_STR_H

#include "gate/base/arena.h"

#include <string.h>

struct gate_str {
    const char *ptr;
    size_t len;
};

#define GATE_STR(literal) ((struct gate_str){"" literal, sizeof(literal) - 1})
/* For printf: printf("%.*s", GATE_STR_ARG(view)). Cut at 4096 bytes, since %.*s takes an int. */
#define GATE_STR_ARG(view) (int)((view).len > 4096 ? 4096 : (view).len), ((view).len == 0 ? "" : (view).ptr)

static inline struct gate_str gate_str_from(const char *text) {
    return (struct gate_str){text, strlen(text)};
}

static inline bool gate_str_equal(struct gate_str a, struct gate_str b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/** Order by bytes, then by length: total and without a locale. Negative, zero or positive. */
int gate_str_compare(struct gate_str a, struct gate_str b);

/** The same, with runs of ASCII digits ordered by their value: "run-2" before "run-10". Total: what differs in leading
 * zeros alone is ordered by bytes. */
int gate_str_compare_natural(struct gate_str a, struct gate_str b);

bool gate_str_starts(struct gate_str text, struct gate_str prefix);
bool gate_str_ends(struct gate_str text, struct gate_str suffix);

/** Offset of the first `needle` in `text` at or after `from`, or SIZE_MAX. */
size_t gate_str_find(struct gate_str text, struct gate_str needle, size_t from);

/** The view [from, to) of `text`; both are clamped to its length. */
struct gate_str gate_str_slice(struct gate_str text, size_t from, size_t to);

/** Without ASCII white space at both ends. */
struct gate_str gate_str_trim(struct gate_str text);

/** After the last '/', or all of it. */
struct gate_str gate_str_basename(struct gate_str path);

/** Copy into the arena, with a NUL behind it that the view does not count. `.ptr` is NULL when the arena is full. */
struct gate_str gate_str_copy(struct gate_arena *arena, struct gate_str text);

/** The parts one after another, whatever their length. `.ptr` is NULL when the arena is full. */
struct gate_str gate_str_concat(struct gate_arena *arena, const struct gate_str *parts, size_t count);

/** printf into the arena. `.ptr` is NULL when the arena is full. */
struct gate_str gate_str_format(struct gate_arena *arena, const char *format, ...) GATE_PRINTF(2, 3);

/**
 * `text` as valid UTF-8: itself when it is valid already (no copy), else a copy in which each maximal ill-formed
 * part is U+FFFD. `.ptr` is NULL when the arena is full. O(len).
 */
struct gate_str gate_str_repair_utf8(struct gate_arena *arena, struct gate_str text);

/**
 * Length in bytes (1 to 4) of the well-formed UTF-8 sequence at `text.ptr[at]`, and its code point; 0 when ill-formed.
 * Overlong forms, surrogates and anything above U+10FFFF are ill-formed (Unicode, table 3-7).
 */
size_t gate_utf8_decode(struct gate_str text, size_t at, uint32_t *code_point);

/** Columns that a terminal gives the text: wide East Asian and emoji count 2, combining marks and controls 0. */
size_t gate_str_columns(struct gate_str text);

/**
 * The word of `words` (NULL-terminated) nearest to `text` by Damerau-Levenshtein distance, if it is near enough
 * to be what was meant (distance at most a third of the length, at least 1); else NULL. O(words * len^2).
 */
const char *gate_str_nearest(struct gate_str text, const char *const *words);

#endif
