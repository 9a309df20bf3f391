/* SPDX-License-Identifier: Apache-2.0 */
/* Makes names comparable across builds: removes addresses, hashes and numbers that compilers assign. */
#ifndef GATE_NAMES_STABLE_NAMES_H
#define GATE_NAMES_STABLE_NAMES_H

#include "gate/base/str.h"

/* ---- one numbered place in a name -------------------------------------------------------------------------------- */

/** An edit of the name at a position: keep `keep` bytes, remove `drop` bytes, insert `put`. */
struct gate_name_numbering {
    size_t keep;
    size_t drop;
    const char *put;
};

/**
 * Return the first position from `at` on whose byte may start a numbered place, or the length if there is none. A
 * place at position 0 may start with other bytes, too.
 */
size_t gate_name_numbering_next(struct gate_str name, size_t at);

/** Return true and set `edit` if a numbered place starts at `at`. O(length of the place). */
bool gate_name_numbering_at(struct gate_str name, size_t at, struct gate_name_numbering *edit);

/* ---- stable names ---------------------------------------------------------------------------------------------------
 *
 * A function's name without the parts that compilers number differently in each build. Used by compare/frames.h, and
 * shown by `pprofgate inspect`. */

/** One rule with an example, for `inspect` and the documentation. */
struct gate_name_stable_rule {
    const char *language;  /* "Go", "Rust", "JVM", "C++", "V8", "Python" */
    const char *name;      /* such as "closure number" */
    const char *from, *to; /* an example before and after the rule */
};

/** All rules in the order of their application. The last entry has a NULL language. */
extern const struct gate_name_stable_rule gate_name_stable_rules[];

/**
 * Return the stable form of a function's name; `name` itself if no rule applies. `.ptr` is NULL if the arena is
 * full. Idempotent. O(length).
 */
struct gate_str gate_name_stable(struct gate_arena *arena, struct gate_str name);

/**
 * Return a path as the stable form of "f (path)" has it: without the versions in its folders' names. A script also
 * loses the hash of its content that bundlers add: "dist/main-*.mjs". As above.
 */
struct gate_str gate_file_path_stable(struct gate_arena *arena, struct gate_str path);

#endif
