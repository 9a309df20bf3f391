/* SPDX-License-Identifier: Apache-2.0 */
/* Words that tell what a frame is from its name, looked for in one walk over it.
 * Neighbours: guards/guards_frames.h has the words. */
#ifndef GATE_GUARDS_GUARD_WORDS_H
#define GATE_GUARDS_GUARD_WORDS_H

#include "gate/base/str.h"

enum gate_guard_place { GATE_GUARD_AT_START, GATE_GUARD_ANYWHERE, GATE_GUARD_AT_END };

/** A word and where in a name it has to stand. One that may stand anywhere has two letters at least. */
struct gate_guard_word {
    enum gate_guard_place place;
    const char *text;
};

enum { GATE_GUARD_FOUR_BITS = 1 << 14, GATE_GUARD_PAIR_BITS = 1 << 12, GATE_GUARD_WORDS_MOST = 32 };

/** Words, and which pairs of letters begin one of those that may stand anywhere, which letters the others. */
struct gate_guard_words {
    const struct gate_guard_word *items;
    size_t count;
    uint8_t lengths[GATE_GUARD_WORDS_MOST];
    bool are_long; /* those that may stand anywhere hold four letters that begin at a multiple of four */
    /* A bit for each hash of four letters that they begin with, one, two or three letters left out. */
    uint8_t fours[GATE_GUARD_FOUR_BITS / 8];
    uint8_t pairs[GATE_GUARD_PAIR_BITS / 8]; /* a bit for each hash of a pair */
    bool starts[UINT8_MAX + 1];              /* first letters of those that stand at the start */
    bool ends[UINT8_MAX + 1];                /* last letters of those that stand at the end */
};

/** `words` must outlive `out`. They are no more than GATE_GUARD_WORDS_MOST. */
void gate_guard_words_begin(struct gate_guard_words *out, const struct gate_guard_word *words, size_t count);

/** Whether one of the words is in the name, where it has to be. O(length), since few pairs of letters begin a word; a
 * quarter of that where all words that may stand anywhere have seven letters. */
bool gate_guard_words_fit(const struct gate_guard_words *words, struct gate_str name);

#endif
