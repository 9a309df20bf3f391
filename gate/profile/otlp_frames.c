/* SPDX-License-Identifier: Apache-2.0 */
/* Locations, functions and mappings of OTLP (see otlp_frames.h). */
#include "gate/profile/otlp_frames.h"

bool gate_otlp_frames_init(struct gate_otlp_frames *out, const struct gate_otlp_tables *tables,
                           struct gate_builder *builder, const struct gate_limits *limits, struct gate_arena *arena,
                           struct gate_error *err) {
    *out = (struct gate_otlp_frames){.tables = tables, .builder = builder, .lines_max = limits->lines};
    out->ids = GATE_NEW_ARRAY(arena, uint64_t, (size_t)tables->counts[GATE_OTLP_LOCATIONS] + 1);
    out->function_ids = GATE_NEW_ARRAY(arena, uint64_t, (size_t)tables->counts[GATE_OTLP_FUNCTIONS] + 1);
    out->mappings = GATE_NEW_ARRAY(arena, struct gate_otlp_mapping, (size_t)tables->counts[GATE_OTLP_MAPPINGS] + 1);
    out->lines = gate_arena_alloc(arena, ((size_t)limits->lines + 1) * sizeof *out->lines);
    return (out->ids != NULL && out->function_ids != NULL && out->mappings != NULL && out->lines != NULL) ||
           gate_arena_error(arena, err);
}

/* The text of the attribute with `key`, of those that the field refers to; empty where there is none. */
static bool attribute_text(struct gate_str *out, const struct gate_otlp_tables *tables, struct gate_wire_field indices,
                           const char *key, struct gate_error *err) {
    uint64_t index = 0;
    while (gate_otlp_number_next(&indices, &index)) {
        struct gate_wire wire = {0};
        struct gate_wire_field field, value;
        struct gate_str name = GATE_STR(""), text = GATE_STR("");
        if (!gate_otlp_entry(&wire, tables, GATE_OTLP_ATTRIBUTES, index, err))
            return false;
        while (gate_wire_next(&wire, &field)) {
            if (field.number == 1 && field.type == GATE_WIRE_BYTES)
                name = gate_wire_view(field.bytes);
            else if (field.number == 1 && !gate_otlp_text(&name, tables, field.value, err))
                return false;
            else if (field.number == 2 && gate_wire_next(&field.bytes, &value) && value.number == 1)
                text = gate_wire_view(value.bytes);
        }
        if (gate_str_equal(name, gate_str_from(key))) {
            *out = text;
            return true;
        }
    }
    return true;
}

/* GNU's build id where there is one, else Go's, else what the eBPF profiler computes of any file. */
static bool build_id_find(struct gate_str *out, const struct gate_otlp_tables *tables,
                          const struct gate_wire_field *indices, struct gate_error *err) {
    static const char *const keys[] = {"process.executable.build_id.gnu", "process.executable.build_id.go",
                                       "process.executable.build_id.htlhash", "process.executable.build_id.profiling"};
    *out = GATE_STR("");
    for (size_t i = 0; out->len == 0 && i < sizeof keys / sizeof *keys; i++)
        if (!attribute_text(out, tables, *indices, keys[i], err))
            return false;
    return true;
}

static void mapping_add(struct gate_otlp_frames *frames, struct gate_otlp_mapping *out, struct gate_mapping *mapping) {
    uint64_t start = 0;
    out->is_read = true;
    mapping->limit = mapping->limit < mapping->start ? mapping->start : mapping->limit;
    out->id = gate_builder_mapping(frames->builder, mapping, &start);
    out->shift = start - mapping->start; /* modulo 2^64, as when profiles are merged */
}

static bool mapping_read(struct gate_mapping *out, const struct gate_otlp_tables *tables, struct gate_wire wire,
                         struct gate_error *err) {
    struct gate_wire_field field;
    while (gate_wire_next(&wire, &field)) {
        if (field.number == 1)
            out->start = field.value;
        else if (field.number == 2)
            out->limit = field.value;
        else if (field.number == 3)
            out->offset = field.value;
        else if (field.number == 4 && !gate_otlp_text(&out->file, tables, field.value, err))
            return false;
        else if (field.number == 5 && !build_id_find(&out->build_id, tables, &field, err))
            return false;
    }
    return gate_wire_left(&wire) == 0 || gate_otlp_malformed("a mapping", err);
}

static bool mapping_find(struct gate_otlp_mapping *out, struct gate_otlp_frames *frames, uint64_t index,
                         struct gate_error *err) {
    struct gate_wire wire = {0};
    struct gate_mapping mapping = {.file = GATE_STR(""), .build_id = GATE_STR("")};
    if (!gate_otlp_entry(&wire, frames->tables, GATE_OTLP_MAPPINGS, index, err))
        return false;
    if (!frames->mappings[index].is_read) {
        if (!mapping_read(&mapping, frames->tables, wire, err))
            return false;
        bool is_empty = mapping.limit == 0 && mapping.file.len == 0 && mapping.build_id.len == 0;
        if (index == 0 && is_empty) /* none, since 1.8 */
            frames->mappings[index].is_read = true;
        else
            mapping_add(frames, &frames->mappings[index], &mapping);
    }
    *out = frames->mappings[index];
    return true;
}

static bool function_read(struct gate_otlp_frames *frames, uint64_t index, struct gate_error *err) {
    const struct gate_otlp_tables *tables = frames->tables;
    struct gate_function function = {.name = GATE_STR(""), .system_name = GATE_STR(""), .file = GATE_STR("")};
    struct gate_str *texts[] = {NULL, &function.name, &function.system_name, &function.file};
    struct gate_wire wire = {0};
    struct gate_wire_field field;
    if (!gate_otlp_entry(&wire, tables, GATE_OTLP_FUNCTIONS, index, err))
        return false;
    while (gate_wire_next(&wire, &field)) {
        if (field.number >= 1 && field.number <= 3 && !gate_otlp_text(texts[field.number], tables, field.value, err))
            return false;
        if (field.number == 4)
            function.start_line = (int64_t)field.value;
    }
    if (gate_wire_left(&wire) != 0)
        return gate_otlp_malformed("a function", err);
    bool is_none = function.name.len == 0 && function.system_name.len == 0 && function.file.len == 0;
    frames->function_ids[index] = 1 + (is_none ? 0 : gate_builder_function(frames->builder, &function));
    return true;
}

/* One line, unless its function is the empty one. */
static bool line_add(struct gate_otlp_frames *frames, uint32_t *count, struct gate_wire wire, struct gate_error *err) {
    struct gate_builder_line line = {0};
    struct gate_wire_field field;
    uint64_t function = 0;
    while (gate_wire_next(&wire, &field)) {
        if (field.number == 1)
            function = field.value;
        else if (field.number == 2)
            line.line = (int64_t)field.value;
        else if (field.number == 3)
            line.column = gate_column_of((int64_t)field.value);
    }
    if (gate_wire_left(&wire) != 0)
        return gate_otlp_malformed("a line of a location", err);
    if (*count == frames->lines_max)
        return gate_error_set(err, GATE_ERR_LIMIT, "a location has more than %u lines; raise --max-lines",
                              frames->lines_max);
    bool is_known = function < frames->tables->counts[GATE_OTLP_FUNCTIONS] && frames->function_ids[function] != 0;
    if (!is_known && !function_read(frames, function, err))
        return false;
    line.function = frames->function_ids[function] - 1;
    if (line.function != 0)
        frames->lines[(*count)++] = line;
    return true;
}

static bool location_add(struct gate_otlp_frames *frames, struct gate_wire wire, uint64_t *id, struct gate_error *err) {
    struct gate_wire_field field;
    struct gate_otlp_mapping mapping = {0};
    struct gate_str frame_type = GATE_STR("");
    uint64_t address = 0;
    uint32_t count = 0;
    while (gate_wire_next(&wire, &field)) {
        /* Attributes are 4 since 1.8, where a flag was before; then they were 5. */
        bool is_list = field.type == GATE_WIRE_BYTES && (field.number == 4 || field.number == 5);
        if (field.number == 1 && !mapping_find(&mapping, frames, field.value, err))
            return false;
        if (field.number == 2)
            address = field.value;
        if (field.number == 3 && !line_add(frames, &count, field.bytes, err))
            return false;
        if (is_list && !attribute_text(&frame_type, frames->tables, field, "profile.frame.type", err))
            return false;
    }
    if (gate_wire_left(&wire) != 0)
        return gate_otlp_malformed("a location", err);
    if (mapping.id == 0 && gate_str_equal(frame_type, GATE_STR("kernel"))) {
        struct gate_mapping kernel = {.file = GATE_STR("[kernel.kallsyms]"), .build_id = GATE_STR("")};
        mapping_add(frames, &mapping, &kernel);
    }
    *id = gate_builder_location(frames->builder, mapping.id, address + mapping.shift, frames->lines, count);
    return *id != 0 || gate_arena_error(frames->builder->arena, err);
}

bool gate_otlp_location(uint64_t *id, struct gate_otlp_frames *frames, uint64_t index, struct gate_error *err) {
    struct gate_wire wire = {0};
    if (!gate_otlp_entry(&wire, frames->tables, GATE_OTLP_LOCATIONS, index, err))
        return false;
    if (frames->ids[index] == 0 && !location_add(frames, wire, &frames->ids[index], err))
        return false;
    *id = frames->ids[index];
    return true;
}

bool gate_otlp_frames_main(struct gate_otlp_frames *frames, struct gate_error *err) {
    struct gate_otlp_mapping mapping = {0};
    /* Since 1.8 the first entry is the empty one. */
    for (uint32_t i = 0; mapping.id == 0 && i < 2 && i < frames->tables->counts[GATE_OTLP_MAPPINGS]; i++)
        if (!mapping_find(&mapping, frames, i, err))
            return false;
    return true;
}
