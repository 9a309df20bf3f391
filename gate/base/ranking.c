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

/* The bits of numbers that are not negative rise as they do: turned round, the largest has the smallest key. */
static uint64_t key_of(double value) {
    uint64_t bits;
    value += 0.0; /* a zero may have a sign */
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

bool gate_ranking_largest_first(uint32_t *order, const double *values, uint32_t count, struct gate_arena *arena,
                                struct gate_error *err) {
    struct ranked *from = GATE_NEW_ARRAY(arena, struct ranked, (size_t)count + 1);
    struct ranked *to = GATE_NEW_ARRAY(arena, struct ranked, (size_t)count + 1);
    struct byte_counts *counts = GATE_NEW_ARRAY(arena, struct byte_counts, 1);
    if (from == NULL || to == NULL || counts == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < count; i++) {
        from[i] = (struct ranked){key_of(values[i]), i};
        for (uint32_t byte = 0; byte < BYTES; byte++)
            counts->of[byte][from[i].key >> byte * 8 & 0xff]++;
    }
    for (uint32_t byte = 0; byte < BYTES && count > 0; byte++) {
        if (counts->of[byte][from[0].key >> byte * 8 & 0xff] == count) /* all alike: nothing would move */
            continue;
        pass(to, from, count, byte, counts->of[byte]);
        struct ranked *swapped = from;
        from = to;
        to = swapped;
    }
    for (uint32_t i = 0; i < count; i++)
        order[i] = from[i].index;
    return true;
}
