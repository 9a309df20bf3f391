/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/sort.h"

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/str.h"

#include <stdlib.h>

static int order_of_indices(uint32_t a, uint32_t b) {
    return a < b ? -1 : a > b;
}

static int name_keys_compare(const void *left, const void *right) {
    const struct gate_name_key *a = left, *b = right;
    int order = gate_str_compare(a->name, b->name);
    return order != 0 ? order : order_of_indices(a->index, b->index);
}

void gate_name_keys_sort(struct gate_name_key *keys, size_t count) {
    if (count > 1)
        qsort(keys, count, sizeof *keys, name_keys_compare);
}

static int doubles_compare(const void *left, const void *right) {
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

void gate_doubles_sort(double *values, size_t count) {
    if (count > 1)
        qsort(values, count, sizeof *values, doubles_compare);
}

static int ranked_compare(const void *left, const void *right) {
    const struct gate_ranked *a = left, *b = right;
    return a->value < b->value ? -1 : a->value > b->value ? 1 : order_of_indices(a->index, b->index);
}

void gate_ranked_sort(struct gate_ranked *rows, size_t count) {
    if (count > 1)
        qsort(rows, count, sizeof *rows, ranked_compare);
}

bool gate_ranking_largest_first(uint32_t *order, const double *values, uint32_t count, struct gate_arena *arena,
                                struct gate_error *err) {
    struct gate_ranked *rows = gate_arena_alloc(arena, ((size_t)count + 1) * sizeof *rows);
    if (rows == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = (struct gate_ranked){-values[i], i};
    gate_ranked_sort(rows, count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = rows[i].index;
    return true;
}
