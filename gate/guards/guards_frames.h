/* SPDX-License-Identifier: Apache-2.0 */
/* Guards on stacks and frames: missing names, cut stacks, own code, changed shape, cold start, profiler overhead. */
#ifndef GATE_GUARDS_GUARDS_FRAMES_H
#define GATE_GUARDS_GUARDS_FRAMES_H

#include "gate/base/str.h"
#include "gate/guards/guard_check.h"

/* ---- words in names ---------------------------------------------------------------------------------------------- */

/* Finds words in a frame's name in one pass over it. */

enum gate_guard_place { GATE_GUARD_AT_START, GATE_GUARD_ANYWHERE, GATE_GUARD_AT_END };

/** A word and where it must occur in a name. A word for GATE_GUARD_ANYWHERE has at least two letters. */
struct gate_guard_word {
    enum gate_guard_place place;
    const char *text;
};

enum { GATE_GUARD_FOUR_BITS = 1 << 14, GATE_GUARD_PAIR_BITS = 1 << 12, GATE_GUARD_WORDS_MOST = 32 };

/** A set of words with filters that reject most names quickly. */
struct gate_guard_words {
    const struct gate_guard_word *items;
    size_t count;
    uint8_t lengths[GATE_GUARD_WORDS_MOST];
    bool are_long; /* every GATE_GUARD_ANYWHERE word has at least 7 letters, so it contains 4 letters at an offset
                      divisible by 4 */
    /* Bit set by hash: the 4 letters at offsets 0 to 3 of each GATE_GUARD_ANYWHERE word. */
    uint8_t fours[GATE_GUARD_FOUR_BITS / 8];
    uint8_t pairs[GATE_GUARD_PAIR_BITS / 8]; /* the same for the first two letters of each such word */
    bool starts[UINT8_MAX + 1];              /* first letters of the GATE_GUARD_AT_START words */
    bool ends[UINT8_MAX + 1];                /* last letters of the GATE_GUARD_AT_END words */
};

/** Index `words`, which must outlive `out`; at most GATE_GUARD_WORDS_MOST. */
void gate_guard_words_begin(struct gate_guard_words *out, const struct gate_guard_word *words, size_t count);

/**
 * Return whether one of the words occurs in `name` at its place. O(length), because few pairs of letters begin a word;
 * a quarter of that if `are_long`.
 */
bool gate_guard_words_fit(const struct gate_guard_words *words, struct gate_str name);

/* ---- names ------------------------------------------------------------------------------------------------------- */

/**
 * Return whether one side has far fewer function names than the other, as a stripped binary, and guard `unsymbolised`
 * is an error. Then all named functions are gone or new, and guards on that would only repeat it. O(frames).
 */
bool gate_guards_names_are_missing(const struct gate_comparison *comparison, const struct gate_rules *rules);

/* ---- guards ------------------------------------------------------------------------------------------------------ */

/* The guards of frames and stacks. */
gate_guard_check_fn gate_guards_frames_waiting;
gate_guard_check_fn gate_guards_frames_unsymbolised;
gate_guard_check_fn gate_guards_frames_minified;
gate_guard_check_fn gate_guards_frames_own_code;
gate_guard_check_fn gate_guards_frames_truncated_stacks;
gate_guard_check_fn gate_guards_frames_shape_changed;
gate_guard_check_fn gate_guards_frames_cold_start;
gate_guard_check_fn gate_guards_frames_misplaced_samples;
gate_guard_check_fn gate_guards_frames_profiler_overhead;

#endif
