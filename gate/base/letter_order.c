/* SPDX-License-Identifier: Apache-2.0 */
/* A quicksort of parts of names (see letter_order.h). Bentley and Sedgewick, Fast Algorithms for Sorting and Searching
 * Strings (1997), with eight letters where they have one. */
#include "gate/base/letter_order.h"

#include <stdlib.h>

enum { LETTERS = 8, FEW = 8 };

static uint64_t eight_of(const unsigned char *at) {
    return (uint64_t)at[0] << 56 | (uint64_t)at[1] << 48 | (uint64_t)at[2] << 40 | (uint64_t)at[3] << 32 |
           (uint64_t)at[4] << 24 | (uint64_t)at[5] << 16 | (uint64_t)at[6] << 8 | (uint64_t)at[7];
}

/* Behind its end a name has zeros. */
static uint64_t letters_of(struct gate_str name, size_t from) {
    unsigned char rest[LETTERS] = {0};
    if (name.len >= from + LETTERS)
        return eight_of((const unsigned char *)name.ptr + from);
    if (name.len > from)
        memcpy(rest, name.ptr + from, name.len - from);
    return eight_of(rest);
}

static int key_compare(const void *left, const void *right) {
    const struct gate_letter_key *a = left, *b = right;
    int order = gate_str_compare(a->name, b->name);
    return order != 0 ? order : a->index < b->index ? -1 : a->index > b->index;
}

static bool precedes(const struct gate_letter_key *a, const struct gate_letter_key *b) {
    return a->letters != b->letters ? a->letters < b->letters : key_compare(a, b) < 0;
}

static void swap(struct gate_letter_key *a, struct gate_letter_key *b) {
    struct gate_letter_key kept = *a;
    *a = *b;
    *b = kept;
}

static void insertion_sort(struct gate_letter_key *keys, size_t count) {
    for (size_t i = 1; i < count; i++) {
        struct gate_letter_key moved = keys[i];
        size_t at = i;
        for (; at > 0 && precedes(&moved, &keys[at - 1]); at--)
            keys[at] = keys[at - 1];
        keys[at] = moved;
    }
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Part `*less` of the keys stand before the pivot then, and those from `*more` on behind it. */
static void part(struct gate_letter_key *keys, size_t count, size_t *less, size_t *more) {
    uint64_t pivot = median(keys[0].letters, keys[count / 2].letters, keys[count - 1].letters);
    *less = 0;
    *more = count;
    for (size_t i = 0; i < *more;) {
        if (keys[i].letters < pivot)
            swap(&keys[(*less)++], &keys[i++]);
        else if (keys[i].letters > pivot)
            swap(&keys[i], &keys[--*more]);
        else
            i++;
    }
}

/* Names that are alike up to `depth`, to their next letters; those that end there are first, and done. How many they
 * are. */
static size_t go_on(struct gate_letter_key *keys, size_t count, size_t depth) {
    size_t ended = 0;
    for (size_t i = 0; i < count; i++) {
        keys[i].letters = letters_of(keys[i].name, depth);
        if (keys[i].name.len <= depth)
            swap(&keys[ended++], &keys[i]);
    }
    if (ended > 1)
        qsort(keys, ended, sizeof *keys, key_compare);
    return ended;
}

/* Names that are alike up to `depth`, by their letters from there on. `patience`: where parts are so uneven that it is
 * used up, they are merged. */
static void sort_from(struct gate_letter_key *keys, size_t count, size_t depth, unsigned patience) {
    while (count > FEW) {
        size_t less = 0, more = 0;
        if (patience == 0) {
            qsort(keys, count, sizeof *keys, key_compare);
            return;
        }
        part(keys, count, &less, &more);
        patience -= more - less < count; /* what all have in common costs none */
        sort_from(keys, less, depth, patience);
        sort_from(keys + more, count - more, depth, patience);
        keys += less;
        count = more - less;
        depth += LETTERS;
        size_t ended = go_on(keys, count, depth);
        keys += ended;
        count -= ended;
    }
    insertion_sort(keys, count);
}

void gate_letter_order_sort(struct gate_letter_key *keys, size_t count) {
    unsigned patience = 4;
    for (size_t left = count; left > 0; left /= 2)
        patience += 4;
    for (size_t i = 0; i < count; i++)
        keys[i].letters = letters_of(keys[i].name, 0);
    sort_from(keys, count, 0, patience);
}
