/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/PID/maps, read from a profile's end (see memory_map.h). */
#include "gate/profile/memory_map.h"

#include "gate/profile/text_line.h"

#include <stdlib.h>

/* "00400000-0040b000 r-xp 00000000 08:01 1234  /usr/bin/app": executable lines only; others are passed over. */
static bool line_read(struct gate_memory_map *map, struct gate_str line, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_mapping mapping = {.build_id = GATE_STR("")};
    if (!gate_text_hex(&line, &mapping.start) || !gate_text_mark(&line, '-') || !gate_text_hex(&line, &mapping.limit))
        return true;
    struct gate_str rights = gate_text_word(&line);
    if (mapping.limit <= mapping.start || rights.len < 3 || rights.ptr[2] != 'x' ||
        !gate_text_hex(&line, &mapping.offset))
        return true;
    (void)gate_text_word(&line); /* the device */
    (void)gate_text_word(&line); /* the inode */
    mapping.file = gate_str_repair_utf8(arena, gate_str_trim(line));
    struct gate_mapping *grown = gate_arena_grow(arena, map->items, map->count, &map->capacity, sizeof *grown);
    if (grown == NULL || mapping.file.ptr == NULL)
        return gate_arena_error(arena, err);
    map->items = grown;
    map->items[map->count++] = mapping;
    return true;
}

static int start_order(const void *a, const void *b) {
    uint64_t left = ((const struct gate_mapping *)a)->start, right = ((const struct gate_mapping *)b)->start;
    return (left > right) - (left < right);
}

bool gate_memory_map_read(struct gate_memory_map *out, struct gate_str text, struct gate_arena *arena,
                          struct gate_error *err) {
    struct gate_str line;
    *out = (struct gate_memory_map){0};
    while (gate_text_line_next(&text, &line))
        if (!line_read(out, line, arena, err))
            return false;
    if (out->count != 0)
        qsort(out->items, out->count, sizeof *out->items, start_order);
    return true;
}

const struct gate_mapping *gate_memory_map_find(const struct gate_memory_map *map, uint64_t address) {
    size_t low = 0, high = map->count; /* the first mapping that starts behind the address is at `low` in the end */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low != 0 && address < map->items[low - 1].limit ? &map->items[low - 1] : NULL;
}

uint64_t gate_memory_map_location(struct gate_builder *builder, const struct gate_memory_map *map, uint64_t address) {
    const struct gate_mapping *mapping = gate_memory_map_find(map, address);
    uint64_t start = 0;
    if (mapping == NULL)
        return gate_builder_location(builder, 0, address, NULL, 0);
    uint64_t id = gate_builder_mapping(builder, mapping, &start);
    return gate_builder_location(builder, id, address - mapping->start + start, NULL, 0);
}
