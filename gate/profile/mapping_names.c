/* SPDX-License-Identifier: Apache-2.0 */
/* Names by mapping (see mapping_names.h). */
#include "gate/profile/mapping_names.h"

#include "gate/base/table.h"
#include "gate/profile/leaf_values.h"
#include "gate/profile/location.h"
#include "gate/profile/location_name.h"

#include <stdlib.h>

/* One look. */
struct mapping_look {
    struct gate_mapping_names *out;
    const struct gate_profile *profile;
    struct gate_arena *arena;
    struct gate_table keys;
    size_t capacity;
    uint32_t *rows; /* of each mapping, and of none at the end */
};

static uint32_t row_of(struct mapping_look *look, struct gate_str file, struct gate_str build_id) {
    const struct gate_str parts[] = {file, GATE_STR("\n"), build_id};
    struct gate_str key = gate_str_concat(look->arena, parts, 3);
    uint32_t row = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&look->keys, key);
    if (row == GATE_TABLE_NONE || row < look->out->count)
        return row;
    struct gate_mapping_named *grown =
        gate_arena_grow(look->arena, look->out->items, look->out->count, &look->capacity, sizeof *grown);
    if (grown == NULL)
        return GATE_TABLE_NONE;
    look->out->items = grown;
    grown[look->out->count++] = (struct gate_mapping_named){.file = file, .build_id = build_id};
    return row;
}

static bool rows_make(struct mapping_look *look) {
    uint32_t count = look->profile->mapping_count;
    look->rows = GATE_NEW_ARRAY(look->arena, uint32_t, (size_t)count + 1);
    if (look->rows == NULL)
        return false;
    for (uint32_t i = 0; i <= count; i++) {
        struct gate_str file = i == count ? GATE_STR("") : look->profile->mappings[i].file;
        struct gate_str build_id = i == count ? GATE_STR("") : look->profile->mappings[i].build_id;
        look->rows[i] = row_of(look, file, build_id);
        if (look->rows[i] == GATE_TABLE_NONE)
            return false;
    }
    return true;
}

static struct gate_mapping_named *named_of(struct mapping_look *look, const struct gate_location *location) {
    uint32_t mapping = location->mapping == GATE_NO_INDEX ? look->profile->mapping_count : location->mapping;
    return &look->out->items[look->rows[mapping]];
}

static void locations_count(struct mapping_look *look) {
    for (uint32_t i = 0; i < look->profile->location_count; i++) {
        struct gate_location location = gate_location_at(look->profile, i);
        struct gate_mapping_named *named = named_of(look, &location);
        bool is_unnamed = location.address != 0 && !gate_location_name_is_known(look->profile, &location);
        named->locations += location.address != 0;
        named->unnamed += is_unnamed;
        look->out->has_unnamed |= is_unnamed;
    }
}

static void leaf_add(void *context, const struct gate_location *leaf, double value) {
    struct mapping_look *look = context;
    struct gate_mapping_named *named = named_of(look, leaf);
    named->share += value;
    named->named += gate_location_name_is_known(look->profile, leaf) ? value : 0;
}

static bool values_add(struct mapping_look *look, uint32_t column, struct gate_error *err) {
    double total = 0;
    bool ok = gate_leaf_values(&total, look->profile, column, leaf_add, look, err);
    for (uint32_t i = 0; i < look->out->count; i++) {
        struct gate_mapping_named *named = &look->out->items[i];
        named->named = named->share > 0 ? named->named / named->share : 0;
        named->share = total > 0 ? named->share / total : 0;
    }
    return ok;
}

static int named_compare(const void *a, const void *b) {
    const struct gate_mapping_named *left = a, *right = b;
    if (left->share != right->share)
        return left->share > right->share ? -1 : 1;
    int order = gate_str_compare(left->file, right->file);
    return order != 0 ? order : gate_str_compare(left->build_id, right->build_id);
}

bool gate_mapping_names_look(struct gate_mapping_names *out, const struct gate_profile *profile, uint32_t column,
                             struct gate_arena *arena, struct gate_error *err) {
    struct mapping_look look = {.out = out, .profile = profile, .arena = arena};
    uint32_t kept = 0;
    *out = (struct gate_mapping_names){0};
    gate_table_init(&look.keys, arena);
    if (!rows_make(&look))
        return gate_arena_error(arena, err);
    locations_count(&look);
    if (!values_add(&look, column, err))
        return false;
    for (uint32_t i = 0; i < out->count; i++)
        if (out->items[i].locations != 0)
            out->items[kept++] = out->items[i];
    out->count = kept;
    if (kept > 1)
        qsort(out->items, kept, sizeof *out->items, named_compare);
    return true;
}
