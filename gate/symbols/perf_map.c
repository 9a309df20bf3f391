/* SPDX-License-Identifier: Apache-2.0 */
/* Names of code from just-in-time compilers. */
#include "gate/symbols/perf_map.h"

#include "gate/base/search.h"
#include "gate/base/str.h"

#include <stdlib.h>

enum { OVERLAPS_MAX = 64 }; /* maximum number of rows examined before the address; replaced code leaves rows there */

static bool number_read(struct gate_str *text, uint64_t *value) {
    size_t len = gate_str_starts(*text, GATE_STR("0x")) ? 2 : 0, first = len;
    *value = 0;
    for (; len < text->len && len - first < 16; len++) {
        char c = text->ptr[len];
        int digit = gate_hex_value(c);
        if (digit < 0)
            break;
        *value = *value << 4 | (uint64_t)digit;
    }
    if (len == first || len == text->len || text->ptr[len] != ' ')
        return false;
    *text = gate_str_slice(*text, len + 1, text->len);
    return true;
}

static bool line_read(struct gate_perf_map_row *row, struct gate_str line) {
    if (!number_read(&line, &row->start) || !number_read(&line, &row->size))
        return false;
    row->name = gate_str_trim(line);
    return row->name.len != 0 && row->size <= UINT64_MAX - row->start;
}

bool gate_perf_map_sniff(struct gate_str head) {
    struct gate_perf_map_row row;
    struct gate_str line;
    return gate_str_line_next(&head, &line) && line_read(&row, line);
}

static int row_compare(const void *a, const void *b) {
    const struct gate_perf_map_row *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return left->order > right->order ? -1 : left->order < right->order;
}

bool gate_perf_map_read(struct gate_perf_map *map, struct gate_str text, struct gate_arena *arena,
                        struct gate_error *err) {
    struct gate_str line;
    while (gate_str_line_next(&text, &line)) {
        struct gate_perf_map_row row = {.order = (uint32_t)map->count};
        if (!line_read(&row, line))
            continue;
        row.name = gate_str_repair_utf8(arena, row.name);
        if (row.name.ptr == NULL || !GATE_REGROW(arena, map->rows, map->count, map->capacity))
            return gate_arena_error(arena, err);
        map->rows[map->count++] = row;
    }
    if (map->count > 1)
        qsort(map->rows, map->count, sizeof *map->rows, row_compare);
    return true;
}

struct gate_str gate_perf_map_find(const struct gate_perf_map *map, uint64_t address) {
    size_t at = 0;
    GATE_SEARCH(at, map->count, map->rows[at].start <= address);
    const struct gate_perf_map_row *best = NULL;
    for (size_t back = 0; at > 0 && back < OVERLAPS_MAX; back++) {
        const struct gate_perf_map_row *row = &map->rows[--at];
        if (best != NULL && row->start != best->start)
            break;
        if (address - row->start < row->size && (best == NULL || row->order > best->order))
            best = row;
    }
    return best == NULL ? GATE_STR("") : best->name;
}
