/* SPDX-License-Identifier: Apache-2.0 */
/* Looking for many words in one walk (see guard_words.h). */
#include "gate/guards/guard_words.h"

/* Of two letters that follow each other, a bit. */
static uint32_t pair_of(const char *at) {
    return ((uint32_t)(unsigned char)at[0] * 37 + (unsigned char)at[1]) % GATE_GUARD_PAIR_BITS;
}

/* A word of seven letters holds four that begin at a multiple of four, wherever it stands. */
enum { STEP = 4, LONG_WORD = 7 };

static uint32_t four_of(const char *at) {
    uint32_t letters;
    memcpy(&letters, at, sizeof letters);
    return letters * UINT32_C(0x9E3779B1) >> 18;
}

static void add_fours(struct gate_guard_words *out, const char *text) {
    out->are_long = out->are_long && strlen(text) >= LONG_WORD;
    for (int i = 0; out->are_long && i < STEP; i++) {
        uint32_t four = four_of(text + i);
        out->fours[four / 8] |= (uint8_t)(1u << four % 8);
    }
}

void gate_guard_words_begin(struct gate_guard_words *out, const struct gate_guard_word *words, size_t count) {
    memset(out, 0, sizeof *out);
    out->items = words;
    out->count = count;
    out->are_long = true;
    GATE_ASSERT(count <= GATE_GUARD_WORDS_MOST);
    for (size_t i = 0; i < count; i++) {
        GATE_ASSERT(strlen(words[i].text) <= UINT8_MAX);
        out->lengths[i] = (uint8_t)strlen(words[i].text);
        const unsigned char *text = (const unsigned char *)words[i].text;
        if (words[i].place == GATE_GUARD_AT_START)
            out->starts[text[0]] = true;
        if (words[i].place == GATE_GUARD_AT_END)
            out->ends[text[strlen(words[i].text) - 1]] = true;
        if (words[i].place != GATE_GUARD_ANYWHERE)
            continue;
        GATE_ASSERT(words[i].text[0] != '\0' && words[i].text[1] != '\0');
        uint32_t pair = pair_of(words[i].text);
        out->pairs[pair / 8] |= (uint8_t)(1u << pair % 8);
        add_fours(out, words[i].text);
    }
}

/* Whether a word stands at the beginning of `rest`: of most their last letter tells that it does not. */
static bool begins(struct gate_str rest, const char *text, size_t len) {
    return rest.len >= len && rest.ptr[len - 1] == text[len - 1] && memcmp(rest.ptr, text, len) == 0;
}

/* Whether a word that may stand anywhere stands at the beginning of `rest`. */
static bool stands_here(const struct gate_guard_words *words, struct gate_str rest) {
    for (size_t i = 0; i < words->count; i++)
        if (words->items[i].place == GATE_GUARD_ANYWHERE && begins(rest, words->items[i].text, words->lengths[i]))
            return true;
    return false;
}

/* Whether a word that has its place stands there. */
static bool stands_at_an_end(const struct gate_guard_words *words, struct gate_str name) {
    for (size_t i = 0; i < words->count; i++) {
        const char *text = words->items[i].text;
        size_t len = words->lengths[i];
        if (words->items[i].place == GATE_GUARD_AT_START && begins(name, text, len))
            return true;
        if (words->items[i].place == GATE_GUARD_AT_END && name.len >= len &&
            begins(gate_str_slice(name, name.len - len, name.len), text, len))
            return true;
    }
    return false;
}

/* Whether a word may stand somewhere, as far as every fourth letter and the three behind it tell. */
static bool may_stand(const struct gate_guard_words *words, struct gate_str name) {
    for (size_t at = 0; at + STEP <= name.len; at += STEP) {
        uint32_t four = four_of(name.ptr + at);
        if ((words->fours[four / 8] >> four % 8 & 1u) != 0)
            return true;
    }
    return false;
}

bool gate_guard_words_fit(const struct gate_guard_words *words, struct gate_str name) {
    if (name.len == 0)
        return false;
    bool may_stand_at_an_end =
        words->starts[(unsigned char)name.ptr[0]] || words->ends[(unsigned char)name.ptr[name.len - 1]];
    if (may_stand_at_an_end && stands_at_an_end(words, name))
        return true;
    if (words->are_long && !may_stand(words, name))
        return false;
    for (size_t at = 0; at + 1 < name.len; at++) {
        uint32_t pair = pair_of(name.ptr + at);
        if ((words->pairs[pair / 8] >> pair % 8 & 1u) != 0 && stands_here(words, gate_str_slice(name, at, name.len)))
            return true;
    }
    return false;
}
