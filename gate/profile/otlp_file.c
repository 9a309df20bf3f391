/* SPDX-License-Identifier: Apache-2.0 */
/* Messages, resources, scopes and profiles of an OTLP file (see otlp_file.h). */
#include "gate/profile/otlp_file.h"

enum { RESOURCE_PROFILES = 1, DICTIONARY = 2, LENGTH_BYTES = 4 };

/* What a top-level field may be: a message whose first field is one of its own. `is_cut`: the file's head alone. */
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

/* Whether the bytes are, or begin, one message: its fields are 1 and 2, and not all of it is empty. */
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

/* The length before a message, or SIZE_MAX. */
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
        struct gate_otlp_profile *grown =
            gate_arena_grow(file->arena, file->items, file->count, &file->capacity, sizeof *grown);
        if (grown == NULL)
            return gate_arena_error(file->arena, err);
        file->items = grown;
    }
    file->items[file->count++] = *profile;
    return true;
}

/* ScopeProfiles: the scope may stand behind its profiles. */
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

/* Tables and layouts of the profiles from `first` on; `dictionary` is NULL where each has its own. */
static bool tables_assign(struct gate_otlp_file *file, size_t first, const struct gate_wire *dictionary,
                          struct gate_error *err) {
    bool is_shared = dictionary != NULL;
    size_t count = file->count - first;
    struct gate_otlp_tables *tables =
        GATE_NEW_ARRAY(file->arena, struct gate_otlp_tables, is_shared || count == 0 ? 1 : count);
    struct gate_wire *wires = GATE_NEW_ARRAY(file->arena, struct gate_wire, count + 1);
    if (tables == NULL || wires == NULL)
        return gate_arena_error(file->arena, err);
    if (is_shared && !gate_otlp_tables_read(tables, *dictionary, gate_otlp_in_dictionary, file->arena, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct gate_otlp_tables *own = is_shared ? tables : &tables[i];
        wires[i] = file->items[first + i].wire;
        if (!is_shared && !gate_otlp_tables_read(own, wires[i], gate_otlp_in_profile, file->arena, err))
            return false;
        file->items[first + i].tables = own;
    }
    const struct gate_otlp_layout *layout = gate_otlp_layout_of(wires, count, tables, is_shared);
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
