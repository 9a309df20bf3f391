/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns from rules files and profiles: PCRE2 with JIT, and limits, since neither source is trusted. */
#ifndef GATE_BASE_REGEX_H
#define GATE_BASE_REGEX_H

#include "gate/base/str.h"

struct gate_regex; /* owned by the arena's user; free with gate_regex_free */

enum gate_regex_result { GATE_REGEX_NO = 0, GATE_REGEX_YES = 1, GATE_REGEX_TOO_HARD = 2 };

/**
 * Compile `pattern` (PCRE2, UTF-8). "glob:PATTERN" is an anchored glob: '*' and '?' stop at '/', '**' does not.
 *
 * err   GATE_ERR_CONFIG with the offset in the pattern and what PCRE2 says
 */
GATE_MUST_CHECK
bool gate_regex_compile(struct gate_regex **out, struct gate_str pattern, struct gate_error *err);

void gate_regex_free(struct gate_regex *regex);

/**
 * Whether `text` holds a match anywhere. GATE_REGEX_TOO_HARD when the match, depth or heap limit
 * (1 000 000 steps, 10 000 levels, 8 MiB) is reached, or when a thousand texts have needed more than 10 000 steps: the
 * caller reports the pattern. A pattern costs what it costs over all texts together.
 */
enum gate_regex_result gate_regex_match(const struct gate_regex *regex, struct gate_str text);

/** How many groups the pattern has. */
uint32_t gate_regex_groups(const struct gate_regex *regex);

/**
 * The first match in `text` at or after `*from`, which becomes the place to look for the next one; `group` is what its
 * first group holds, empty where the group took no part.
 */
enum gate_regex_result gate_regex_next(const struct gate_regex *regex, struct gate_str text, size_t *from,
                                       struct gate_str *group);

/**
 * Whether `replacement` can be used with `regex`: '$' begins "$$", "$1", "${1}", "$name" or "${name}" of a group there
 * is.
 *
 * err   GATE_ERR_CONFIG with the group that is missing. Without this check the mistake shows only when a text matches.
 */
GATE_MUST_CHECK
bool gate_regex_check_replacement(const struct gate_regex *regex, struct gate_str replacement, struct gate_error *err);

/** Replace every match by `replacement` ($1, ${name}); the text itself when nothing matches; `.ptr` NULL: too hard,
 * full, or longer than 64 KiB. */
struct gate_str gate_regex_replace(const struct gate_regex *regex, struct gate_str text, struct gate_str replacement,
                                   struct gate_arena *arena);

#endif
