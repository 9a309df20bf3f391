/* SPDX-License-Identifier: Apache-2.0 */
/* Where compilers put numbers into names, one place at a time; for name_stable.c only. */
#ifndef GATE_PROFILE_NAME_NUMBERING_H
#define GATE_PROFILE_NAME_NUMBERING_H

#include "gate/base/str.h"

/** From a place on: keep `keep` bytes, drop `drop` bytes, put `put`. */
struct gate_name_numbering {
    size_t keep;
    size_t drop;
    const char *put;
};

/** False only when no place of `name` can be a numbered one: it has neither a digit nor a mark that stands for one. */
bool gate_name_numbering_is_possible(struct gate_str name);

/** The first byte from `at` on with which a numbered place may begin, but for one at the name's own beginning; the
 * length where there is none. */
size_t gate_name_numbering_next(struct gate_str name, size_t at);

/** Whether a numbered place begins at `at`, and what to do there. O(length of the place). */
bool gate_name_numbering_at(struct gate_str name, size_t at, struct gate_name_numbering *edit);

#endif
