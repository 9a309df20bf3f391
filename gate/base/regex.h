/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions (PCRE2) with limits on time and memory. */
#ifndef GATE_BASE_REGEX_H
#define GATE_BASE_REGEX_H

#include "gate/base/str.h"

struct gate_regex; /* a compiled pattern; free it with gate_regex_free */

/** Result of a match. GATE_REGEX_TOO_HARD: a limit was reached. */
enum gate_regex_result { GATE_REGEX_NO = 0, GATE_REGEX_YES = 1, GATE_REGEX_TOO_HARD = 2 };

/** Compile `pattern` (PCRE2, UTF-8). "glob:PATTERN" is an anchored glob: '*' and '?' do not match '/', '**' does. err:
 * GATE_ERR_CONFIG with PCRE2's message and the offset in the pattern; GATE_ERR_MEMORY. */
GATE_MUST_CHECK
bool gate_regex_compile(struct gate_regex **out, struct gate_str pattern, struct gate_error *err);

/** Free a pattern. `regex` may be NULL. */
void gate_regex_free(struct gate_regex *regex);

/** Let `regex`, which was just compiled, count texts that take more than 10,000 steps together with `with`. Free both
 * at the same time, without a match in between. */
void gate_regex_share(struct gate_regex *regex, const struct gate_regex *with);

/**
 * Search for a match anywhere in `text`. If the result is GATE_REGEX_TOO_HARD, the caller reports the pattern.
 *
 * A text may take 1,000,000 steps, 10,000 levels of depth and 8 MiB of heap. After 100 texts that took more than
 * 10,000 steps, each further text may take only 10,000. This bounds the total cost of a pattern over all texts.
 */
enum gate_regex_result gate_regex_match(const struct gate_regex *regex, struct gate_str text);

/** Return the number of capture groups of the pattern. */
uint32_t gate_regex_groups(const struct gate_regex *regex);

/**
 * Find the first match in `text` at or after `*from`, and set `*from` to where the next search has to start.
 *
 * group  the text of the first group; empty if the group took no part in the match
 */
enum gate_regex_result gate_regex_next(const struct gate_regex *regex, struct gate_str text, size_t *from,
                                       struct gate_str *group);

/** Check that `replacement` can be used with `regex`: each '$' starts "$$", "$1", "${1}", "$name" or "${name}" of an
 * existing group. Without this check, an error would show only when a text matches. err: GATE_ERR_CONFIG naming the
 * missing group. */
GATE_MUST_CHECK
bool gate_regex_check_replacement(const struct gate_regex *regex, struct gate_str replacement, struct gate_error *err);

/**
 * Replace every match by `replacement` ($1, ${name}). Returns `text` itself if nothing matches. `.ptr` is NULL if the
 * match reached a limit, the arena is full, or the result is longer than 64 KiB.
 */
struct gate_str gate_regex_replace(const struct gate_regex *regex, struct gate_str text, struct gate_str replacement,
                                   struct gate_arena *arena);

#endif
