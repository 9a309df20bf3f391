/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/model/profile.h"

#include "gate/base/hash.h"
#include "gate/base/heap.h"
#include "gate/base/str.h"

#include <stdio.h>
#include <string.h>

/* ---- ids to indices ---------------------------------------------------------------------------------------------- */

static uint64_t id_at(const void *ids, size_t stride, uint32_t i) {
    uint64_t id = 0;
    memcpy(&id, (const char *)ids + (size_t)i * stride, sizeof id);
    return id;
}

static enum gate_id_fault index_dense(struct gate_id_index *out, const void *ids, size_t stride, uint32_t count,
                                      uint64_t *id) {
    memset(out->dense, 0xFF, out->dense_count * sizeof *out->dense);
    for (uint32_t i = 0; i < count; i++) {
        *id = id_at(ids, stride, i);
        if (out->dense[*id] != GATE_NO_INDEX)
            return GATE_ID_TWICE;
        out->dense[*id] = i;
    }
    return GATE_ID_FINE;
}

static enum gate_id_fault index_hashed(struct gate_id_index *out, const void *ids, size_t stride, uint32_t count,
                                       uint64_t *id) {
    size_t mask = out->slot_count - 1;
    for (uint32_t i = 0; i < count; i++) {
        *id = id_at(ids, stride, i);
        size_t slot = (size_t)gate_hash_number(*id, out->secret) & mask;
        while (out->hash_ids[slot] != 0) {
            if (out->hash_ids[slot] == *id)
                return GATE_ID_TWICE;
            slot = (slot + 1) & mask;
        }
        out->hash_ids[slot] = *id;
        out->hash_indices[slot] = i;
    }
    return GATE_ID_FINE;
}

enum gate_id_fault gate_id_index_build(struct gate_id_index *out, const void *ids, size_t stride, uint32_t count,
                                       struct gate_arena *arena, uint64_t *id) {
    uint64_t largest = 0;
    bool is_in_order = true;
    *out = (struct gate_id_index){0};
    for (uint32_t i = 0; i < count; i++) {
        *id = id_at(ids, stride, i);
        is_in_order = is_in_order && *id == (uint64_t)i + 1;
        if (*id == 0)
            return GATE_ID_ZERO;
        largest = *id > largest ? *id : largest;
    }
    out->in_order = is_in_order ? count : 0;
    if (is_in_order)
        return GATE_ID_FINE;
    if (largest < (uint64_t)count * 2) {
        out->dense_count = (size_t)largest + 1;
        out->dense = gate_arena_alloc(arena, out->dense_count * sizeof *out->dense);
        return out->dense == NULL ? GATE_ID_MEMORY : index_dense(out, ids, stride, count, id);
    }
    out->secret = gate_hash_secret();
    out->slot_count = 16;
    while (out->slot_count < (size_t)count * 2)
        out->slot_count *= 2;
    out->hash_ids = GATE_NEW_ARRAY(arena, uint64_t, out->slot_count);
    out->hash_indices = gate_arena_alloc(arena, out->slot_count * sizeof *out->hash_indices);
    if (out->hash_ids == NULL || out->hash_indices == NULL)
        return GATE_ID_MEMORY;
    return index_hashed(out, ids, stride, count, id);
}

uint32_t gate_id_index_hashed(const struct gate_id_index *index, uint64_t id) {
    size_t mask = index->slot_count - 1;
    if (id == 0)
        return GATE_NO_INDEX;
    for (size_t slot = (size_t)gate_hash_number(id, index->secret) & mask; index->hash_ids[slot] != 0;
         slot = (slot + 1) & mask)
        if (index->hash_ids[slot] == id)
            return index->hash_indices[slot];
    return GATE_NO_INDEX;
}

/* ---- sample types ------------------------------------------------------------------------------------------------ */

static bool type_is(struct gate_value_type type, struct gate_str wanted) {
    if (gate_str_equal(type.type, wanted))
        return true;
    size_t slash = gate_str_behind_last(wanted, '/');
    return slash > 0 && gate_str_equal(type.type, gate_str_slice(wanted, 0, slash - 1)) &&
           gate_str_equal(type.unit, gate_str_slice(wanted, slash, wanted.len));
}

static bool type_find(uint32_t *column, const struct gate_profile *profile, struct gate_str wanted) {
    const struct gate_str inuse = GATE_STR("inuse_");
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        *column = i;
        if (type_is(profile->sample_types[i], wanted))
            return true;
    }
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        struct gate_value_type type = profile->sample_types[i];
        *column = i;
        /* google/pprof accepts "space" for "inuse_space"; users also write the reverse. */
        if (gate_str_starts(wanted, inuse) && type_is(type, gate_str_slice(wanted, inuse.len, wanted.len)))
            return true;
        if (gate_str_starts(type.type, inuse)) {
            type.type = gate_str_slice(type.type, inuse.len, type.type.len);
            if (type_is(type, wanted))
                return true;
        }
    }
    return false;
}

/* Prefixes of types that measure a state. Types that count from the start or over a period are not among them. */
static const char *const level_types[] = {"inuse_", "inuse-", "peak_",     "heap-live",   "heap_live",
                                          "live_",  "live-",  "goroutine", "threadcreate"};

/* Types of profilers whose name for memory in use has none of the prefixes. */
static const char *const level_names[] = {"space", "objects"};

bool gate_sample_type_is_level(struct gate_str type) {
    for (size_t i = 0; i < sizeof level_types / sizeof *level_types; i++)
        if (gate_str_starts(type, gate_str_from(level_types[i])))
            return true;
    for (size_t i = 0; i < sizeof level_names / sizeof *level_names; i++)
        if (gate_str_equal(type, gate_str_from(level_names[i])))
            return true;
    return false;
}

/* Parse an index such as "3", "+3" or "-1", like strconv.Atoi. Returns false if `text` is not a number. */
static bool index_parse(int64_t *index, struct gate_str text) {
    bool negative = text.len > 0 && text.ptr[0] == '-';
    size_t at = negative || (text.len > 0 && text.ptr[0] == '+') ? 1 : 0;
    if (at == text.len || text.len > 10)
        return false;
    int64_t value = 0;
    for (; at < text.len; at++) {
        if (text.ptr[at] < '0' || text.ptr[at] > '9')
            return false;
        value = value * 10 + (text.ptr[at] - '0');
    }
    *index = negative ? -value : value;
    return true;
}

static bool type_missing(const struct gate_profile *profile, struct gate_str wanted, struct gate_error *err) {
    enum { NAMES_MAX = 64, NAME_SIZE = 64 };
    char names[NAMES_MAX][NAME_SIZE];
    const char *words[NAMES_MAX + 1];
    uint32_t word_count = 0;
    char list[400] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        struct gate_value_type type = profile->sample_types[i];
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s/%.*s", i == 0 ? "" : ", ",
                                     GATE_STR_ARG(type.type), GATE_STR_ARG(type.unit));
        if (word_count == NAMES_MAX || type.type.len >= NAME_SIZE)
            continue;
        (void)snprintf(names[word_count], NAME_SIZE, "%.*s", GATE_STR_ARG(type.type));
        words[word_count] = names[word_count];
        word_count++;
    }
    words[word_count] = NULL;
    const char *nearest = gate_str_nearest(wanted, words);
    return gate_error_set(err, GATE_ERR_INPUT, "no sample type '%.*s': the profile has %s%s%s%s%s",
                          GATE_STR_ARG(wanted), list[0] == '\0' ? "none" : list, used >= sizeof list ? "..." : "",
                          nearest == NULL ? "" : " (did you mean '", nearest == NULL ? "" : nearest,
                          nearest == NULL ? "" : "'?)");
}

uint32_t gate_sample_type_column(const struct gate_profile *profile, struct gate_str type, struct gate_str unit) {
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        const struct gate_value_type *has = &profile->sample_types[i];
        if (gate_str_equal(has->type, type) && (unit.len == 0 || gate_str_equal(has->unit, unit)))
            return i;
    }
    return GATE_NO_INDEX;
}

bool gate_sample_type_find(uint32_t *column, const struct gate_profile *profile, struct gate_str wanted,
                           struct gate_error *err) {
    int64_t index = 0;
    if (profile->sample_type_count == 0)
        return gate_error_set(err, GATE_ERR_INPUT, "the profile has no sample types");
    if (wanted.len == 0) {
        bool has_default = profile->default_sample_type.len != 0;
        *column =
            has_default ? gate_sample_type_column(profile, profile->default_sample_type, GATE_STR("")) : GATE_NO_INDEX;
        if (*column == GATE_NO_INDEX)
            *column = profile->sample_type_count - 1;
        return true;
    }
    if (!index_parse(&index, wanted))
        return type_find(column, profile, wanted) || type_missing(profile, wanted, err);
    if (index < 0 || index >= (int64_t)profile->sample_type_count)
        return gate_error_set(err, GATE_ERR_INPUT, "sample type %lld is out of range: the profile has 0 to %u",
                              (long long)index, profile->sample_type_count - 1);
    *column = (uint32_t)index;
    return true;
}

/* ---- release of a profile's bytes -------------------------------------------------------------------------------- */

bool gate_own_bytes_note(struct gate_profile *profile, uint8_t *own, struct gate_arena *arena) {
    profile->own = GATE_NEW_ARRAY(arena, struct gate_own_bytes, 1);
    if (profile->own != NULL)
        profile->own->bytes = own;
    return profile->own != NULL;
}

void gate_own_bytes_spend(const struct gate_profile *profile) {
    struct gate_own_bytes *own = profile->own;
    if (own == NULL || own->are_spent)
        return;
    own->are_spent = true;
    gate_heap_forget(own->bytes, profile->strings_from);
    gate_heap_forget(own->bytes + profile->strings_end, profile->bytes.len - profile->strings_end);
    if (profile->location_places != NULL)
        gate_heap_forget(profile->location_places, (size_t)profile->location_count * GATE_LOCATION_PLACE_BYTES);
}
