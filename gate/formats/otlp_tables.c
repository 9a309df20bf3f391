/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/formats/otlp_tables.h"

#include "gate/model/wire.h"

/* ---- tables by index --------------------------------------------------------------------------------------------- */

/** Field number of each table: in the dictionary, and in a profile. */
static const uint32_t gate_otlp_in_dictionary[GATE_OTLP_TABLES] = {
    [GATE_OTLP_MAPPINGS] = 1, [GATE_OTLP_LOCATIONS] = 2,  [GATE_OTLP_FUNCTIONS] = 3, [GATE_OTLP_LINKS] = 4,
    [GATE_OTLP_STRINGS] = 5,  [GATE_OTLP_ATTRIBUTES] = 6, [GATE_OTLP_STACKS] = 7};

static const uint32_t gate_otlp_in_profile[GATE_OTLP_TABLES] = {
    [GATE_OTLP_MAPPINGS] = 3, [GATE_OTLP_LOCATIONS] = 4,  [GATE_OTLP_FUNCTIONS] = 6, [GATE_OTLP_LINKS] = 9,
    [GATE_OTLP_STRINGS] = 10, [GATE_OTLP_ATTRIBUTES] = 7, [GATE_OTLP_STACKS] = 8};

bool gate_otlp_malformed(const char *what, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_FORMAT, "an OTLP profile, but %s is malformed or cut", what);
}

/* Return the table with this field number, or GATE_OTLP_TABLES. */
static uint32_t table_of(const uint32_t *numbers, const struct gate_wire_field *field) {
    uint32_t table = 0;
    while (table < GATE_OTLP_TABLES && numbers[table] != field->number)
        table++;
    return field->type == GATE_WIRE_BYTES ? table : GATE_OTLP_TABLES;
}

/** Index the tables of `message`. O(fields of the message). Takes 16 bytes of `arena` per entry. err: GATE_ERR_FORMAT:
 * malformed protobuf. */
static bool otlp_tables_read(struct gate_otlp_tables *out, struct gate_wire message, const uint32_t *numbers,
                             struct gate_arena *arena, struct gate_error *err) {
    struct gate_wire_field field;
    struct gate_wire wire = message;
    uint32_t filled[GATE_OTLP_TABLES] = {0};
    *out = (struct gate_otlp_tables){0};
    while (gate_wire_next(&wire, &field)) {
        uint32_t table = table_of(numbers, &field);
        if (table == GATE_OTLP_TABLES)
            continue;
        if (++out->counts[table] == UINT32_MAX)
            return gate_error_set(err, GATE_ERR_LIMIT, "more than 4 294 967 294 entries in a table");
    }
    if (gate_wire_left(&wire) != 0)
        return gate_otlp_malformed("its dictionary", err);
    for (uint32_t i = 0; i < GATE_OTLP_TABLES; i++) {
        out->items[i] = GATE_NEW_ARRAY(arena, struct gate_wire, out->counts[i]);
        if (out->items[i] == NULL)
            return gate_arena_error(arena, err);
    }
    while (gate_wire_next(&message, &field)) {
        uint32_t table = table_of(numbers, &field);
        if (table < GATE_OTLP_TABLES)
            out->items[table][filled[table]++] = field.bytes;
    }
    return true;
}

/* ---- schema versions --------------------------------------------------------------------------------------------- */

enum { PROFILE_ID_BYTES = 16 };

static const struct gate_otlp_layout layouts[] = {
    [GATE_OTLP_1_4] = {GATE_OTLP_1_4, {5, 11, 12, 13, 14, 15, 16, 22}, {1, 2, 3, 4, 5, 6}},
    [GATE_OTLP_1_7] = {GATE_OTLP_1_7, {3, 4, 5, 6, 7, 8, 9, 14}, {1, 2, 3, 4, 5, 6}},
    [GATE_OTLP_1_8] = {GATE_OTLP_1_8, {0, 3, 4, 5, 6, 7, 0, 12}, {1, 0, 2, 3, 4, 5}},
    [GATE_OTLP_1_9] = {GATE_OTLP_1_9, {0, 3, 4, 5, 6, 0, 0, 11}, {1, 0, 4, 2, 3, 5}},
};

/* Evidence for the version of a file that has a dictionary. */
struct evidence {
    const struct gate_otlp_tables *tables;
    bool fits[2];    /* for 1.8 and 1.9: every reference of every sample is valid */
    bool is_1_8;     /* some profile has a field that only 1.8 has */
    bool is_1_9;     /* some profile has a field that only 1.9 has */
    bool has_slices; /* some profile has a list of locations, as in 1.7 */
};

/* Return true if every number of the field is an index of a table with `count` entries. */
static bool indices_fit(struct gate_wire_field field, uint32_t count) {
    uint64_t index = 0;
    while (gate_otlp_number_next(&field, &index))
        if (index >= count)
            return false;
    return field.type == GATE_WIRE_BYTES && gate_wire_left(&field.bytes) == 0;
}

static uint32_t numbers_count(struct gate_wire_field field) {
    uint32_t count = 0;
    uint64_t value = 0;
    while (gate_otlp_number_next(&field, &value))
        count++;
    return count;
}

static uint32_t times_count(const struct gate_wire_field *field) {
    return field->type == GATE_WIRE_FIXED64 ? 1 : (uint32_t)(gate_wire_left(&field->bytes) / 8);
}

/* Return true if the sample is valid: it has values or timestamps and, if both, one value per timestamp. */
static bool sample_fits(struct gate_wire sample, const struct gate_otlp_layout *layout,
                        const struct gate_otlp_tables *tables) {
    struct gate_wire_field field;
    uint32_t values = 0, times = 0;
    while (gate_wire_next(&sample, &field)) {
        bool is_link = field.number == layout->sample.link;
        if (field.number == layout->sample.values)
            values += numbers_count(field);
        else if (field.number == layout->sample.times)
            times += times_count(&field);
        else if (field.number == layout->sample.attributes) {
            if (!indices_fit(field, tables->counts[GATE_OTLP_ATTRIBUTES]))
                return false;
        } else if (is_link && (field.type != GATE_WIRE_VARINT ||
                               (field.value != 0 && field.value >= tables->counts[GATE_OTLP_LINKS])))
            return false;
    }
    return values == 0 ? times != 0 : times == 0 || times == values;
}

static void profile_look(struct evidence *evidence, struct gate_wire profile) {
    struct gate_wire_field field;
    bool id_at_7 = false, id_at_8 = false;
    while (gate_wire_next(&profile, &field)) {
        bool is_bytes = field.type == GATE_WIRE_BYTES;
        evidence->has_slices |= field.number == 3 && field.type != GATE_WIRE_FIXED64;
        id_at_7 |= field.number == 7 && is_bytes && gate_wire_left(&field.bytes) == PROFILE_ID_BYTES;
        id_at_8 |= field.number == 8 && is_bytes;
        evidence->is_1_8 |= field.number == 12;
        for (uint32_t i = 0; field.number == 2 && is_bytes && i < 2; i++)
            evidence->fits[i] =
                evidence->fits[i] && sample_fits(field.bytes, &layouts[GATE_OTLP_1_8 + i], evidence->tables);
    }
    evidence->is_1_8 |= id_at_8;
    evidence->is_1_9 |= id_at_7 && !id_at_8;
}

/**
 * Detect the version of the profiles that share a dictionary. `has_dictionary` is false if each profile contains its
 * tables. The version is 1.8 or 1.9 if all references are valid for only one of them. If both fit, the position of
 * the profile id decides, else it is 1.9. O(bytes of the profiles).
 */
static const struct gate_otlp_layout *otlp_layout_of(const struct gate_wire *profiles, size_t count,
                                                     const struct gate_otlp_tables *tables, bool has_dictionary) {
    struct evidence evidence = {.tables = tables, .fits = {true, true}};
    for (size_t i = 0; has_dictionary && i < count; i++)
        profile_look(&evidence, profiles[i]);
    if (!has_dictionary)
        return &layouts[GATE_OTLP_1_4];
    if (evidence.has_slices)
        return &layouts[GATE_OTLP_1_7];
    if (evidence.fits[0] != evidence.fits[1])
        return &layouts[evidence.fits[0] ? GATE_OTLP_1_8 : GATE_OTLP_1_9];
    return &layouts[evidence.is_1_8 && !evidence.is_1_9 ? GATE_OTLP_1_8 : GATE_OTLP_1_9];
}

/* ---- messages, resources, scopes and profiles of a file ---------------------------------------------------------- */

enum { RESOURCE_PROFILES = 1, DICTIONARY = 2, LENGTH_BYTES = 4 };

/* Return true if `field` may be a top-level field: a message that starts with a valid field. `is_cut`: only the head
 * of the file is available. */
static bool is_top(const struct gate_wire_field *field, struct gate_wire inside, bool is_cut) {
    struct gate_wire_field inner;
    if (field->type != GATE_WIRE_BYTES || (field->number != RESOURCE_PROFILES && field->number != DICTIONARY))
        return false;
    if (gate_wire_left(&inside) == 0)
        return field->number == DICTIONARY || !is_cut;
    uint64_t tag = 0;
    bool is_whole = gate_wire_next(&inside, &inner);
    if (!is_whole && !(is_cut && gate_wire_varint(&inside, &tag)))
        return false;
    uint64_t number = is_whole ? inner.number : tag >> 3;
    uint64_t type = is_whole ? inner.type : tag & 7;
    return type == GATE_WIRE_BYTES && number >= 1 && number <= (field->number == DICTIONARY ? 7 : 3);
}

/* Return true if the bytes are a message or the start of one: it has only fields 1 and 2, not all empty. */
static bool is_message(struct gate_str bytes) {
    struct gate_wire wire = gate_wire_of(bytes);
    struct gate_wire_field field;
    bool is_some = false;
    while (gate_wire_next(&wire, &field)) {
        if (!is_top(&field, field.bytes, false))
            return false;
        is_some |= gate_wire_left(&field.bytes) != 0;
    }
    uint64_t tag = 0, len = 0;
    if (gate_wire_left(&wire) == 0)
        return is_some;
    if (!gate_wire_varint(&wire, &tag) || !gate_wire_varint(&wire, &len))
        return is_some;
    field = (struct gate_wire_field){.number = (uint32_t)(tag >> 3), .type = (uint32_t)(tag & 7)};
    return is_top(&field, wire, true);
}

/* Return the length before a message, or SIZE_MAX. */
static size_t length_of(struct gate_str bytes) {
    size_t len = 0;
    if (bytes.len < LENGTH_BYTES + 2)
        return SIZE_MAX;
    for (size_t i = 0; i < LENGTH_BYTES; i++)
        len = len << 8 | (unsigned char)bytes.ptr[i];
    return len;
}

static bool is_framed(struct gate_str bytes) {
    size_t len = length_of(bytes);
    return len != SIZE_MAX && len != 0 && bytes.ptr[0] != 0x0A && bytes.ptr[0] != 0x12 &&
           is_message(gate_str_slice(bytes, LENGTH_BYTES, len > bytes.len ? bytes.len : LENGTH_BYTES + len));
}

bool gate_otlp_file_is(struct gate_str bytes) {
    return is_message(bytes) || is_framed(bytes);
}

static bool profile_push(struct gate_otlp_file *file, const struct gate_otlp_profile *profile, struct gate_error *err) {
    struct gate_wire wire = profile->wire;
    struct gate_wire_field field;
    while (gate_wire_next(&wire, &field))
        if (field.number == 2 && field.type == GATE_WIRE_FIXED64)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "an OTLP profile of the experimental protocol of 2024 (v1experimental): take it with "
                                  "a profiler and a collector of 2025 or later");
    if (gate_wire_left(&wire) != 0)
        return gate_otlp_malformed("a profile", err);
    if (file->count == file->capacity) {
        if (!GATE_GROW(file->arena, file->items, file->count, file->capacity))
            return gate_arena_error(file->arena, err);
    }
    file->items[file->count++] = *profile;
    return true;
}

/* Read ScopeProfiles. The scope may come after its profiles. */
static bool scope_read(struct gate_otlp_file *file, struct gate_wire wire, struct gate_otlp_profile *profile,
                       struct gate_error *err) {
    struct gate_wire walk = wire;
    struct gate_wire_field field;
    profile->scope = (struct gate_wire){0};
    while (gate_wire_next(&walk, &field))
        if (field.number == 1)
            profile->scope = field.bytes;
    while (gate_wire_next(&wire, &field)) {
        profile->wire = field.bytes;
        if (field.number == 2 && !profile_push(file, profile, err))
            return false;
    }
    return gate_wire_left(&wire) == 0 || gate_otlp_malformed("a scope's profiles", err);
}

static bool resource_read(struct gate_otlp_file *file, struct gate_wire wire, struct gate_error *err) {
    struct gate_otlp_profile profile = {0};
    struct gate_wire walk = wire;
    struct gate_wire_field field;
    while (gate_wire_next(&walk, &field))
        if (field.number == 1)
            profile.resource = field.bytes;
    while (gate_wire_next(&wire, &field))
        if (field.number == 2 && !scope_read(file, field.bytes, &profile, err))
            return false;
    return gate_wire_left(&wire) == 0 || gate_otlp_malformed("a resource's profiles", err);
}

/* Set tables and layout of the profiles from `first` on. `dictionary` is NULL if each profile has its own tables. */
static bool tables_assign(struct gate_otlp_file *file, size_t first, const struct gate_wire *dictionary,
                          struct gate_error *err) {
    bool is_shared = dictionary != NULL;
    size_t count = file->count - first;
    struct gate_otlp_tables *tables =
        GATE_NEW_ARRAY(file->arena, struct gate_otlp_tables, is_shared || count == 0 ? 1 : count);
    struct gate_wire *wires = GATE_NEW_ARRAY(file->arena, struct gate_wire, count);
    if (tables == NULL || wires == NULL)
        return gate_arena_error(file->arena, err);
    if (is_shared && !otlp_tables_read(tables, *dictionary, gate_otlp_in_dictionary, file->arena, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct gate_otlp_tables *own = is_shared ? tables : &tables[i];
        wires[i] = file->items[first + i].wire;
        if (!is_shared && !otlp_tables_read(own, wires[i], gate_otlp_in_profile, file->arena, err))
            return false;
        file->items[first + i].tables = own;
    }
    const struct gate_otlp_layout *layout = otlp_layout_of(wires, count, tables, is_shared);
    for (size_t i = 0; i < count; i++)
        file->items[first + i].layout = layout;
    return true;
}

static bool message_read(struct gate_otlp_file *file, struct gate_str bytes, struct gate_error *err) {
    struct gate_wire wire = gate_wire_of(bytes);
    struct gate_wire_field field;
    struct gate_wire dictionary = {0};
    bool has_dictionary = false;
    size_t first = file->count;
    while (gate_wire_next(&wire, &field)) {
        if (field.number == DICTIONARY && has_dictionary)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "two OTLP messages one behind the other: give each as a file of its own");
        if (field.number == DICTIONARY)
            dictionary = field.bytes;
        has_dictionary |= field.number == DICTIONARY;
        if (field.number == RESOURCE_PROFILES && !resource_read(file, field.bytes, err))
            return false;
    }
    if (gate_wire_left(&wire) != 0)
        return gate_otlp_malformed("its message", err);
    return tables_assign(file, first, has_dictionary ? &dictionary : NULL, err);
}

bool gate_otlp_file_read(struct gate_otlp_file *out, struct gate_str bytes, struct gate_arena *arena,
                         struct gate_error *err) {
    *out = (struct gate_otlp_file){.arena = arena};
    if (is_message(bytes)) {
        if (!message_read(out, bytes, err))
            return false;
        bytes.len = 0;
    }
    while (bytes.len != 0) {
        size_t len = length_of(bytes);
        if (len > bytes.len - LENGTH_BYTES || len == SIZE_MAX)
            return gate_error_set(err, GATE_ERR_FORMAT, "OTLP messages behind their lengths, of which the last is cut");
        if (!message_read(out, gate_str_slice(bytes, LENGTH_BYTES, LENGTH_BYTES + len), err))
            return false;
        bytes = gate_str_slice(bytes, LENGTH_BYTES + len, bytes.len);
    }
    return out->count != 0 ||
           gate_error_set(err, GATE_ERR_FORMAT, "an OTLP message without a profile: was it taken while nothing ran?");
}
