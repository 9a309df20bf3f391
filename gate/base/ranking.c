/* SPDX-License-Identifier: Apache-2.0 */
/* A radix sort of numbers, least byte first (see ranking.h). */
#include "gate/base/ranking.h"

#include <string.h>

enum { BYTES = sizeof(uint64_t), VALUES_OF_A_BYTE = 256 };

struct ranked {
    uint64_t key;
    uint32_t index;
};

/* How often each value of each byte of the keys occurs. */
struct byte_counts {
    uint32_t of[BYTES][VALUES_OF_A_BYTE];
};

/* The bits of numbers above 0 rise as they do: turned round, the largest has the smallest key. */
static uint64_t key_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return ~bits;
}

/* Moves all from `from` to `to`, in the order of one byte. */
static void pass(struct ranked *to, const struct ranked *from, uint32_t count, uint32_t byte, uint32_t *counts) {
    uint32_t at = 0;
    for (uint32_t value = 0; value < VALUES_OF_A_BYTE; value++) {
        uint32_t here = counts[value];
        counts[value] = at;
        at += here;
    }
    for (uint32_t i = 0; i < count; i++)
        to[counts[from[i].key >> byte * 8 & 0xff]++] = from[i];
}

/* Those that are not zero, of which there are many in tables of all functions; the others' indices stand behind them.
 */
static uint32_t ranked_of(struct ranked *out, uint32_t *order, const double *values, uint32_t count) {
    uint32_t some = 0, none = count;
    for (uint32_t i = count; i-- > 0;)
        if (values[i] == 0.0)
            order[--none] = i;
    for (uint32_t i = 0; i < count; i++)
        if (values[i] != 0.0)
            out[some++] = (struct ranked){key_of(values[i]), i};
    return some;
}

bool gate_ranking_largest_first(uint32_t *order, const double *values, uint32_t count, struct gate_arena *arena,
                                struct gate_error *err) {
    struct ranked *from = gate_arena_alloc(arena, ((size_t)count + 1) * sizeof *from);
    struct ranked *to = gate_arena_alloc(arena, ((size_t)count + 1) * sizeof *to);
    struct byte_counts *counts = GATE_NEW_ARRAY(arena, struct byte_counts, 1);
    if (from == NULL || to == NULL || counts == NULL)
        return gate_arena_error(arena, err);
    uint32_t some = ranked_of(from, order, values, count);
    for (uint32_t i = 0; i < some; i++)
        for (uint32_t byte = 0; byte < BYTES; byte++)
            counts->of[byte][from[i].key >> byte * 8 & 0xff]++;
    for (uint32_t byte = 0; byte < BYTES && some > 0; byte++) {
        if (counts->of[byte][from[0].key >> byte * 8 & 0xff] == some) /* all alike: nothing would move */
            continue;
        pass(to, from, some, byte, counts->of[byte]);
        struct ranked *swapped = from;
        from = to;
        to = swapped;
    }
    for (uint32_t i = 0; i < some; i++)
        order[i] = from[i].index;
    return true;
}
