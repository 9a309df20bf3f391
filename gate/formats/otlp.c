/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of OpenTelemetry profiles (OTLP protobuf), several versions of the schema. */
#include "gate/base/buf.h"
#include "gate/formats/builder.h"
#include "gate/formats/otlp_tables.h"
#include "gate/formats/reader.h"
#include "gate/model/limits.h"
#include "gate/model/sample.h"
#include "gate/model/wire.h"

/* ---- entries of the tables by index ------------------------------------------------------------------------------ */

static const char *const otlp_tables_names[GATE_OTLP_TABLES] = {
    [GATE_OTLP_MAPPINGS] = "mapping", [GATE_OTLP_LOCATIONS] = "location", [GATE_OTLP_FUNCTIONS] = "function",
    [GATE_OTLP_LINKS] = "link",       [GATE_OTLP_STRINGS] = "string",     [GATE_OTLP_ATTRIBUTES] = "attribute",
    [GATE_OTLP_STACKS] = "stack"};

/* Get entry `index` of `table`. err: GATE_ERR_FORMAT: the table has no such entry. */
static bool entry_at(struct gate_wire *out, const struct gate_otlp_tables *tables, enum gate_otlp_table table,
                     uint64_t index, struct gate_error *err) {
    if (index >= tables->counts[table])
        return gate_error_set(err, GATE_ERR_FORMAT, "an OTLP profile refers to %s %lld, but its table holds %u",
                              otlp_tables_names[table], (long long)index, tables->counts[table]);
    *out = tables->items[table][index];
    return true;
}

/* Get the text at `index`. Index 0 is the empty text, even without a table. Errors: as entry_at. */
static bool text_at(struct gate_str *out, const struct gate_otlp_tables *tables, uint64_t index,
                    struct gate_error *err) {
    struct gate_wire text = {0};
    *out = GATE_STR("");
    if (index == 0)
        return true;
    if (!entry_at(&text, tables, GATE_OTLP_STRINGS, index, err))
        return false;
    *out = gate_wire_view(text);
    return true;
}

/* ---- attributes to labels ---------------------------------------------------------------------------------------- */

/* Labels of one sample. Texts point into the file or into `arena`. */
struct gate_otlp_labels {
    struct gate_label *items; /* array of limits->labels entries */
    uint32_t count;
    uint32_t limit;
    struct gate_arena *arena; /* for numbers and bytes converted to text */
};

/* Field numbers of AnyValue, which define its type. */
enum { TEXT = 1, BOOL = 2, INTEGER = 3, DOUBLE = 4, LIST = 5, BYTES = 7, TEXT_INDEX = 8 };

static bool label_push(struct gate_otlp_labels *labels, struct gate_label label, struct gate_error *err) {
    if (labels->count == labels->limit)
        return gate_error_set(err, GATE_ERR_LIMIT, "a sample has more than %u labels; raise --max-labels",
                              labels->limit);
    labels->items[labels->count++] = label;
    return true;
}

static bool text_push(struct gate_otlp_labels *labels, struct gate_str key, struct gate_str text,
                      struct gate_error *err) {
    if (text.ptr == NULL)
        return gate_arena_error(labels->arena, err);
    return label_push(labels, (struct gate_label){.key = key, .text = text}, err);
}

static struct gate_str hex_of(struct gate_arena *arena, struct gate_wire bytes) {
    size_t len = gate_wire_left(&bytes);
    char *text = gate_arena_alloc(arena, 2 * len + 1);
    if (text != NULL)
        gate_str_hex(text, bytes.at, len);
    return (struct gate_str){text, text == NULL ? 0 : 2 * len};
}

static bool double_push(struct gate_otlp_labels *labels, struct gate_str key, uint64_t bits, struct gate_error *err) {
    double number = 0;
    struct gate_buf buf = {0};
    memcpy(&number, &bits, sizeof number);
    gate_buf_number(&buf, number);
    bool ok =
        gate_buf_check(&buf, err) && text_push(labels, key, gate_str_copy(labels->arena, gate_buf_view(&buf)), err);
    gate_buf_free(&buf);
    return ok;
}

/* Add a value that is not a list. */
static bool value_push(struct gate_otlp_labels *labels, const struct gate_otlp_tables *tables,
                       const struct gate_label *label, const struct gate_wire_field *field, struct gate_error *err) {
    struct gate_label added = *label;
    struct gate_str text = GATE_STR("");
    switch (field->number) {
    case TEXT:
        text = gate_wire_view(field->bytes);
        return text_push(labels, label->key, text.len == 0 ? GATE_STR("") : text, err);
    case BOOL:
        return text_push(labels, label->key, field->value != 0 ? GATE_STR("true") : GATE_STR("false"), err);
    case INTEGER:
        added.number = (int64_t)field->value;
        return label_push(labels, added, err);
    case DOUBLE:
        return double_push(labels, label->key, field->value, err);
    case BYTES:
        return text_push(labels, label->key, hex_of(labels->arena, field->bytes), err);
    case TEXT_INDEX:
        return text_at(&text, tables, field->value, err) && text_push(labels, label->key, text, err);
    default:
        return true; /* ignore maps and types of later versions */
    }
}

/* Add an AnyValue. `label` has the key and the unit. */
static bool any_push(struct gate_otlp_labels *labels, const struct gate_otlp_tables *tables,
                     const struct gate_label *label, struct gate_wire wire, struct gate_error *err) {
    struct gate_wire_field field, item, value;
    while (gate_wire_next(&wire, &field)) {
        if (field.number != LIST) {
            if (!value_push(labels, tables, label, &field, err))
                return false;
            continue;
        }
        while (gate_wire_next(&field.bytes, &item)) {
            bool is_value = item.number == 1 && gate_wire_next(&item.bytes, &value) && value.number != LIST;
            if (is_value && !value_push(labels, tables, label, &value, err))
                return false;
        }
    }
    return gate_wire_left(&wire) == 0 || gate_otlp_malformed("the value of an attribute", err);
}

/* Add an attribute that is a key and a value instead of an index, as resources have. */
static bool labels_pair(struct gate_otlp_labels *labels, const struct gate_otlp_tables *tables, struct gate_wire pair,
                        struct gate_error *err) {
    struct gate_label label = {.key = GATE_STR(""), .unit = GATE_STR("")};
    struct gate_wire value = {0};
    struct gate_wire_field field;
    while (gate_wire_next(&pair, &field)) {
        bool is_index = field.type == GATE_WIRE_VARINT; /* an index of the string table */
        if (field.number == 1 && field.type == GATE_WIRE_BYTES)
            label.key = gate_wire_view(field.bytes);
        else if (field.number == 2)
            value = field.bytes;
        else if (field.number == 1 && is_index && !text_at(&label.key, tables, field.value, err))
            return false;
        else if (field.number == 3 && is_index &&
                 !text_at(label.key.len == 0 ? &label.key : &label.unit, tables, field.value, err))
            /* field 3 is the key of a KeyValue without key, or the unit of an entry of the attribute table */
            return false;
    }
    if (gate_wire_left(&pair) != 0)
        return gate_otlp_malformed("an attribute", err);
    return label.key.len == 0 || any_push(labels, tables, &label, value, err);
}

/* Add trace_id and span_id of a link, in hexadecimal. The empty link adds nothing. */
static bool labels_link(struct gate_otlp_labels *labels, const struct gate_otlp_tables *tables, uint64_t index,
                        struct gate_error *err) {
    static const char *const names[] = {NULL, "trace_id", "span_id"};
    struct gate_wire wire = {0};
    struct gate_wire_field field;
    if (index == 0 && tables->counts[GATE_OTLP_LINKS] == 0)
        return true;
    if (!entry_at(&wire, tables, GATE_OTLP_LINKS, index, err))
        return false;
    while (gate_wire_next(&wire, &field)) {
        bool is_id = (field.number == 1 || field.number == 2) && gate_wire_left(&field.bytes) != 0;
        bool is_set = false;
        for (const uint8_t *at = field.bytes.at; is_id && at < field.bytes.end; at++)
            is_set |= *at != 0;
        if (is_set && !text_push(labels, gate_str_from(names[field.number]), hex_of(labels->arena, field.bytes), err))
            return false;
    }
    return gate_wire_left(&wire) == 0 || gate_otlp_malformed("a link", err);
}

/* Find the text of the attribute `key` among those that the field refers to; empty if there is none. */
static bool attribute_text(struct gate_str *out, const struct gate_otlp_tables *tables, struct gate_wire_field indices,
                           const char *key, struct gate_error *err) {
    uint64_t index = 0;
    while (gate_otlp_number_next(&indices, &index)) {
        struct gate_wire wire = {0};
        struct gate_wire_field field, value;
        struct gate_str name = GATE_STR(""), text = GATE_STR("");
        if (!entry_at(&wire, tables, GATE_OTLP_ATTRIBUTES, index, err))
            return false;
        while (gate_wire_next(&wire, &field)) {
            if (field.number == 1 && field.type == GATE_WIRE_BYTES)
                name = gate_wire_view(field.bytes);
            else if (field.number == 1 && !text_at(&name, tables, field.value, err))
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

/* Find the build id: GNU's, else Go's, else the hash that the eBPF profiler computes for any file. */
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

enum { UNITS_MAX = 256 }; /* limits the linear search for a label's unit; producers have few units */

/* Initialise an empty list with room for limits->labels labels. */
static bool otlp_labels_init(struct gate_otlp_labels *out, const struct gate_limits *limits, struct gate_arena *arena,
                             struct gate_error *err) {
    *out = (struct gate_otlp_labels){.limit = limits->labels, .arena = arena};
    out->items = gate_arena_alloc(arena, ((size_t)limits->labels + 1) * sizeof *out->items);
    return out->items != NULL || gate_arena_error(arena, err);
}

/* Find the unit of a key. Versions before 1.8 have a separate table of units. */
static bool unit_find(struct gate_str *out, const struct gate_otlp_tables *tables, struct gate_str key,
                      struct gate_error *err) {
    for (uint32_t i = 0; i < tables->counts[GATE_OTLP_STACKS] && i < UNITS_MAX; i++) {
        struct gate_wire wire = tables->items[GATE_OTLP_STACKS][i];
        struct gate_wire_field field;
        uint64_t indices[3] = {0};
        struct gate_str name = GATE_STR("");
        while (gate_wire_next(&wire, &field))
            indices[field.number < 3 ? field.number : 0] = field.value;
        if (!text_at(&name, tables, indices[1], err))
            return false;
        if (gate_str_equal(name, key))
            return text_at(out, tables, indices[2], err);
    }
    return true;
}

/* Add attribute `index` of the attribute table. Texts and booleans become texts; integers keep their unit; other
 * numbers become texts; bytes become hexadecimal. Each element of a list becomes a label. Deeper nesting and index 0
 * are ignored.
 *
 * err   GATE_ERR_FORMAT: an index outside its table, or malformed; GATE_ERR_LIMIT: more than limits->labels */
static bool otlp_labels_add(struct gate_otlp_labels *labels, const struct gate_otlp_tables *tables,
                            const struct gate_otlp_layout *layout, uint64_t index, struct gate_error *err) {
    struct gate_wire pair = {0};
    uint32_t first = labels->count;
    if (index == 0 && layout->version >= GATE_OTLP_1_8)
        return true;
    if (!entry_at(&pair, tables, GATE_OTLP_ATTRIBUTES, index, err) || !labels_pair(labels, tables, pair, err))
        return false;
    for (uint32_t i = first; i < labels->count && layout->version < GATE_OTLP_1_8; i++)
        if (!unit_find(&labels->items[i].unit, tables, labels->items[i].key, err))
            return false;
    return true;
}

/* ---- locations, functions and mappings --------------------------------------------------------------------------- */

/* A mapping of the builder. `shift` is added to addresses in it. */
struct gate_otlp_mapping {
    uint64_t id; /* 0: no mapping */
    uint64_t shift;
    bool is_read;
};

/* Locations of one message. `ids` are the builder's; 0: not added yet. */
struct gate_otlp_frames {
    const struct gate_otlp_tables *tables;
    struct gate_builder *builder;
    uint64_t *ids;
    uint64_t *function_ids; /* id + 1; 1: a function without a name; 0: not added yet */
    struct gate_otlp_mapping *mappings;
    struct gate_builder_line *lines; /* array of lines_max entries */
    uint32_t lines_max;
};

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
        else if (field.number == 4 && !text_at(&out->file, tables, field.value, err))
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
    if (!entry_at(&wire, frames->tables, GATE_OTLP_MAPPINGS, index, err))
        return false;
    if (!frames->mappings[index].is_read) {
        if (!mapping_read(&mapping, frames->tables, wire, err))
            return false;
        bool is_empty = mapping.limit == 0 && mapping.file.len == 0 && mapping.build_id.len == 0;
        if (index == 0 && is_empty) /* entry 0 means "no mapping" since 1.8 */
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
    if (!entry_at(&wire, tables, GATE_OTLP_FUNCTIONS, index, err))
        return false;
    while (gate_wire_next(&wire, &field)) {
        if (field.number >= 1 && field.number <= 3 && !text_at(texts[field.number], tables, field.value, err))
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

/* Add one line, unless its function is the empty one. */
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
        /* Attributes are field 4 since 1.8 and field 5 before, when field 4 was a flag. */
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

/* Get the builder's id of the location at `index`, with its mapping, build id and lines. A kernel frame without a
 * mapping gets a kernel mapping, detected by its attribute profile.frame.type. O(bytes of the location) the first time,
 * then O(1). */
static bool location_id(uint64_t *id, struct gate_otlp_frames *frames, uint64_t index, struct gate_error *err) {
    struct gate_wire wire = {0};
    if (!entry_at(&wire, frames->tables, GATE_OTLP_LOCATIONS, index, err))
        return false;
    if (frames->ids[index] == 0 && !location_add(frames, wire, &frames->ids[index], err))
        return false;
    *id = frames->ids[index];
    return true;
}

/* Add the first mapping of the table, which by pprof's convention is the main program. */
static bool frames_main(struct gate_otlp_frames *frames, struct gate_error *err) {
    struct gate_otlp_mapping mapping = {0};
    /* Since 1.8 the first entry is empty. */
    for (uint32_t i = 0; mapping.id == 0 && i < 2 && i < frames->tables->counts[GATE_OTLP_MAPPINGS]; i++)
        if (!mapping_find(&mapping, frames, i, err))
            return false;
    return true;
}

static bool otlp_frames_init(struct gate_otlp_frames *out, const struct gate_otlp_tables *tables,
                             struct gate_builder *builder, const struct gate_limits *limits, struct gate_arena *arena,
                             struct gate_error *err) {
    *out = (struct gate_otlp_frames){.tables = tables, .builder = builder, .lines_max = limits->lines};
    out->ids = GATE_NEW_ARRAY(arena, uint64_t, tables->counts[GATE_OTLP_LOCATIONS]);
    out->function_ids = GATE_NEW_ARRAY(arena, uint64_t, tables->counts[GATE_OTLP_FUNCTIONS]);
    out->mappings = GATE_NEW_ARRAY(arena, struct gate_otlp_mapping, tables->counts[GATE_OTLP_MAPPINGS]);
    out->lines = gate_arena_alloc(arena, ((size_t)limits->lines + 1) * sizeof *out->lines);
    return (out->ids != NULL && out->function_ids != NULL && out->mappings != NULL && out->lines != NULL) ||
           gate_arena_error(arena, err);
}

/* ---- sample types and header ------------------------------------------------------------------------------------- */

/** The sample types of one profile. */
struct gate_otlp_types {
    struct gate_value_type items[GATE_VALUES_MAX];
    uint32_t count;
};

/** A column of the merged profile. */
struct gate_otlp_column {
    struct gate_value_type type;
    uint32_t index;  /* index in the builder */
    uint32_t events; /* column that counts its timestamps, or GATE_NO_INDEX */
    bool has_times;  /* some profile has this as its only type, with timestamps and a unit other than a count */
};

struct gate_otlp_columns {
    struct gate_otlp_column items[GATE_VALUES_MAX];
    uint32_t count;
};

enum { COMMENTS_MAX = 4096 }; /* least limit of attributes in a header, as merged profiles have the comments of each */

/* Read a ValueType: the string indices of type and unit. */
static bool type_read(struct gate_value_type *out, const struct gate_otlp_tables *tables, struct gate_wire wire,
                      struct gate_error *err) {
    struct gate_wire_field field;
    *out = (struct gate_value_type){GATE_STR(""), GATE_STR("")};
    while (gate_wire_next(&wire, &field)) {
        struct gate_str *text = field.number == 1 ? &out->type : &out->unit;
        if ((field.number == 1 || field.number == 2) && !text_at(text, tables, field.value, err))
            return false;
    }
    return gate_wire_left(&wire) == 0 || gate_otlp_malformed("a sample type", err);
}

/* Read the sample types of a profile. err: GATE_ERR_FORMAT: malformed; GATE_ERR_LIMIT: more than GATE_VALUES_MAX. */
static bool otlp_types_read(struct gate_otlp_types *out, const struct gate_otlp_profile *profile,
                            struct gate_error *err) {
    struct gate_wire wire = profile->wire;
    struct gate_wire_field field;
    out->count = 0;
    while (gate_wire_next(&wire, &field)) {
        if (field.number != 1 || field.type != GATE_WIRE_BYTES)
            continue;
        if (out->count == GATE_VALUES_MAX)
            return gate_error_set(err, GATE_ERR_LIMIT, "an OTLP profile has more than %d sample types",
                                  GATE_VALUES_MAX);
        if (!type_read(&out->items[out->count++], profile->tables, field.bytes, err))
            return false;
    }
    return out->count != 0 || gate_error_set(err, GATE_ERR_FORMAT, "an OTLP profile without a sample type");
}

static bool is_count(struct gate_str unit) {
    return gate_str_equal(unit, GATE_STR("count")) || gate_str_equal(unit, GATE_STR("counts")) ||
           gate_str_equal(unit, GATE_STR("samples")) || gate_str_equal(unit, GATE_STR("objects"));
}

static bool has_times(const struct gate_otlp_profile *profile) {
    struct gate_wire wire = profile->wire;
    struct gate_wire_field field, inner;
    while (gate_wire_next(&wire, &field))
        while (field.number == 2 && gate_wire_next(&field.bytes, &inner))
            if (inner.number == profile->layout->sample.times)
                return true;
    return false;
}

/* Return the index of the column of a type; `columns->count` if there is none. */
static uint32_t column_find(const struct gate_otlp_columns *columns, const struct gate_value_type *type) {
    uint32_t at = 0;
    while (at < columns->count && !(gate_str_equal(columns->items[at].type.type, type->type) &&
                                    gate_str_equal(columns->items[at].type.unit, type->unit)))
        at++;
    return at;
}

static bool types_add(struct gate_otlp_columns *columns, const struct gate_otlp_profile *profile,
                      struct gate_error *err) {
    struct gate_otlp_types types;
    if (!otlp_types_read(&types, profile, err))
        return false;
    for (uint32_t i = 0; i < types.count; i++) {
        uint32_t at = column_find(columns, &types.items[i]);
        if (at == GATE_VALUES_MAX)
            return gate_error_set(err, GATE_ERR_LIMIT, "the OTLP profiles have more than %d sample types together",
                                  GATE_VALUES_MAX);
        if (at == columns->count)
            columns->items[columns->count++] =
                (struct gate_otlp_column){.type = types.items[i], .events = GATE_NO_INDEX};
        columns->items[at].has_times |= types.count == 1 && !is_count(types.items[0].unit) && has_times(profile);
    }
    return true;
}

/* Return the name of the column that counts the events of a type: "samples", or "off_samples" for "off_cpu".
 * model/effective_samples.h searches for these names. */
static struct gate_str events_name(struct gate_str type, struct gate_arena *arena) {
    size_t end = type.len;
    while (end > 0 && type.ptr[end - 1] != '_' && type.ptr[end - 1] != '-')
        end--;
    const struct gate_str parts[] = {gate_str_slice(type, 0, end), GATE_STR("samples")};
    return gate_str_concat(arena, parts, 2);
}

/* Find the columns of all profiles and add them to the builder as sample types. err: those of otlp_types_read, also for
 * all profiles together. O(bytes). */
static bool otlp_columns_find(struct gate_otlp_columns *out, const struct gate_otlp_file *file,
                              struct gate_builder *builder, struct gate_error *err) {
    out->count = 0;
    for (size_t i = 0; i < file->count; i++)
        if (!types_add(out, &file->items[i], err))
            return false;
    for (uint32_t i = 0; i < out->count; i++) {
        struct gate_otlp_column *column = &out->items[i];
        struct gate_value_type events = {.unit = GATE_STR("count")};
        if (column->has_times) {
            events.type = events_name(column->type.type, builder->arena);
            if (events.type.ptr == NULL)
                return gate_arena_error(builder->arena, err);
        }
        /* Add the column for events only if there is room for all later columns. */
        uint32_t room = GATE_VALUES_MAX - builder->type_count;
        if (column->has_times && column_find(out, &events) == out->count && room > out->count - i) {
            column->events = builder->type_count;
            gate_builder_type(builder, events.type, events.unit);
        }
        column->index = builder->type_count;
        gate_builder_type(builder, column->type.type, column->type.unit);
        if (builder->is_full)
            return gate_arena_error(builder->arena, err);
    }
    return true;
}

/* Numbers from the header of one profile. */
struct header {
    int64_t time_ns, duration_ns, period;
    struct gate_value_type period_type;
    uint64_t default_type;
};

/* Use the attributes that OpenTelemetry's conventions define for pprof fields: comments, drop_frames, keep_frames. */
static bool attributes_use(struct gate_builder *builder, const struct gate_otlp_labels *labels,
                           struct gate_error *err) {
    struct gate_builder_header *header = &builder->header;
    for (uint32_t i = 0; i < labels->count; i++) {
        const struct gate_label *label = &labels->items[i];
        struct gate_str *out = NULL;
        if (label->text.ptr == NULL)
            continue;
        if (gate_str_equal(label->key, GATE_STR("pprof.profile.comment")))
            gate_builder_comment(builder, label->text);
        else if (gate_str_equal(label->key, GATE_STR("pprof.profile.drop_frames")))
            out = &header->drop_frames;
        else if (gate_str_equal(label->key, GATE_STR("pprof.profile.keep_frames")))
            out = &header->keep_frames;
        if (out != NULL && out->len == 0)
            *out = gate_str_copy(builder->arena, label->text);
        if (out != NULL && out->ptr == NULL)
            return gate_arena_error(builder->arena, err);
    }
    return !builder->is_full || gate_arena_error(builder->arena, err);
}

static bool header_attributes(struct gate_builder *builder, const struct gate_otlp_profile *profile,
                              struct gate_otlp_labels *labels, struct gate_error *err) {
    const struct gate_otlp_layout *layout = profile->layout;
    struct gate_wire wire = profile->wire;
    struct gate_wire_field field;
    struct gate_str comment = GATE_STR("");
    uint64_t index = 0;
    labels->count = 0;
    while (gate_wire_next(&wire, &field)) {
        bool is_comment = layout->profile.comments != 0 && field.number == layout->profile.comments;
        if (!is_comment && field.number != layout->profile.attributes)
            continue;
        while (gate_otlp_number_next(&field, &index)) {
            if (!is_comment && !otlp_labels_add(labels, profile->tables, layout, index, err))
                return false;
            if (is_comment && !text_at(&comment, profile->tables, index, err))
                return false;
            if (is_comment)
                gate_builder_comment(builder, comment);
        }
    }
    return attributes_use(builder, labels, err);
}

static bool header_numbers(struct header *out, const struct gate_otlp_profile *profile, struct gate_error *err) {
    const struct gate_otlp_layout *layout = profile->layout;
    struct gate_wire wire = profile->wire;
    struct gate_wire_field field;
    *out = (struct header){.period_type = {GATE_STR(""), GATE_STR("")}};
    while (gate_wire_next(&wire, &field)) {
        int64_t value = (int64_t)field.value;
        if (field.number == layout->profile.time && value > 0)
            out->time_ns = value;
        else if (field.number == layout->profile.duration && value > 0)
            out->duration_ns = value;
        else if (field.number == layout->profile.period && field.type == GATE_WIRE_VARINT)
            out->period = value;
        else if (field.number == layout->profile.default_type && layout->profile.default_type != 0)
            out->default_type = field.value;
        else if (field.number == layout->profile.period_type &&
                 !type_read(&out->period_type, profile->tables, field.bytes, err))
            return false;
    }
    return true;
}

/* Extend the time range to cover the profile. Profiles of one file run in parallel or in sequence, so the range is
 * from the first start to the last end. */
static void times_join(struct gate_builder_header *out, const struct header *header) {
    int64_t end = gate_profile_add_saturated(header->time_ns, header->duration_ns);
    int64_t known_end = gate_profile_add_saturated(out->time_ns, out->duration_ns);
    if (header->time_ns == 0 && header->duration_ns == 0)
        return;
    if (out->time_ns == 0 && out->duration_ns == 0)
        known_end = end;
    if (out->time_ns == 0 || (header->time_ns != 0 && header->time_ns < out->time_ns))
        out->time_ns = header->time_ns;
    end = end > known_end ? end : known_end;
    out->duration_ns = end > out->time_ns ? end - out->time_ns : 0;
}

/* Find the default sample type. If the scope comes from pprof but has no default, the last type is the default, as
 * in pprof. */
static bool default_find(struct gate_builder *builder, const struct gate_otlp_profile *profile, uint64_t wanted,
                         struct gate_otlp_labels *labels, struct gate_error *err) {
    struct gate_wire scope = profile->scope;
    struct gate_wire_field field;
    struct gate_otlp_types types = {0};
    bool was_pprof = false;
    struct gate_str name = GATE_STR("");
    labels->count = 0;
    while (gate_wire_next(&scope, &field))
        if (field.number == 3 && !labels_pair(labels, profile->tables, field.bytes, err))
            return false;
    for (uint32_t i = 0; i < labels->count; i++) {
        was_pprof |= gate_str_equal(labels->items[i].key, GATE_STR("pprof.scope.sample_type_order"));
        if (gate_str_equal(labels->items[i].key, GATE_STR("pprof.scope.default_sample_type")) &&
            labels->items[i].text.ptr != NULL)
            name = labels->items[i].text;
    }
    if (!otlp_types_read(&types, profile, err))
        return false;
    if (name.len == 0 && !was_pprof)
        name = types.items[wanted < types.count ? wanted : 0].type;
    builder->header.default_sample_type = gate_str_copy(builder->arena, name);
    return builder->header.default_sample_type.ptr != NULL || gate_arena_error(builder->arena, err);
}

/* Read times, period, default sample type and comments. err: GATE_ERR_FORMAT: malformed; GATE_ERR_LIMIT: more
 * attributes than `limits` allow. O(bytes). */
static bool otlp_header_read(struct gate_builder *builder, const struct gate_otlp_file *file,
                             const struct gate_limits *limits, struct gate_arena *scratch, struct gate_error *err) {
    struct gate_otlp_labels labels;
    struct gate_builder_header *out = &builder->header;
    struct gate_limits caps = *limits;
    caps.labels = caps.labels > COMMENTS_MAX ? caps.labels : COMMENTS_MAX;
    if (!otlp_labels_init(&labels, &caps, scratch, err))
        return false;
    for (size_t i = 0; i < file->count; i++) {
        struct header header;
        if (!header_numbers(&header, &file->items[i], err) ||
            !header_attributes(builder, &file->items[i], &labels, err))
            return false;
        times_join(out, &header);
        if (i == 0 || (out->period == 0 && header.period != 0)) {
            out->period = header.period;
            out->period_type = (struct gate_value_type){gate_str_copy(builder->arena, header.period_type.type),
                                                        gate_str_copy(builder->arena, header.period_type.unit)};
            if (out->period_type.type.ptr == NULL || out->period_type.unit.ptr == NULL)
                return gate_arena_error(builder->arena, err);
        }
        if (i == 0 && !default_find(builder, &file->items[0], header.default_type, &labels, err))
            return false;
    }
    return true;
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* State of adding all profiles of a file. */
struct adding {
    struct gate_builder *builder;
    const struct gate_limits *limits;
    const struct gate_otlp_columns *columns;
    struct gate_otlp_labels labels;
    struct gate_otlp_frames frames; /* locations of frames.tables */
    const uint8_t *resource;        /* resource whose attributes are the first labels */
    uint32_t resource_labels;
    uint64_t slots;
};

/* The profile that is being read. */
struct current {
    const struct gate_otlp_profile *profile;
    struct gate_otlp_types types;
    uint64_t *slices; /* list of locations that stacks are slices of (before 1.8) */
    size_t slice_count;
};

/* One decoded sample. Timestamps are only counted. */
struct sample {
    uint64_t stack, length, link;
    int64_t values[GATE_VALUES_MAX]; /* if there is one type, values of several timestamps are added up */
    uint64_t value_count;
    uint64_t times;
    bool has_link;
};

static bool stack_push(struct adding *adding, uint64_t location, struct gate_error *err) {
    uint64_t id = 0;
    if (++adding->slots > adding->limits->inflated_bytes)
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "the stacks of its samples, written out, hold more than %zu bytes; raise --max-size",
                              adding->limits->inflated_bytes);
    return location_id(&id, &adding->frames, location, err) && gate_builder_push(adding->builder, id, err);
}

/* Read the stack of a sample, leaf first. */
static bool stack_read(struct adding *adding, const struct current *current, const struct sample *sample,
                       struct gate_error *err) {
    const struct gate_otlp_tables *tables = current->profile->tables;
    struct gate_wire wire = {0};
    struct gate_wire_field field;
    uint64_t location = 0;
    adding->builder->depth = 0;
    if (current->profile->layout->sample.length != 0) {
        if (sample->stack > current->slice_count || sample->length > current->slice_count - sample->stack)
            return gate_error_set(err, GATE_ERR_FORMAT, "an OTLP sample has locations %llu to %llu of a list of %zu",
                                  (unsigned long long)sample->stack,
                                  (unsigned long long)(sample->stack + sample->length), current->slice_count);
        for (uint64_t i = 0; i < sample->length; i++)
            if (!stack_push(adding, current->slices[sample->stack + i], err))
                return false;
        return true;
    }
    if (sample->stack == 0 && tables->counts[GATE_OTLP_STACKS] == 0)
        return true;
    if (!entry_at(&wire, tables, GATE_OTLP_STACKS, sample->stack, err))
        return false;
    while (gate_wire_next(&wire, &field)) {
        while (field.number == 1 && gate_otlp_number_next(&field, &location))
            if (!stack_push(adding, location, err))
                return false;
        if (field.number == 1 && gate_wire_left(&field.bytes) != 0)
            return gate_otlp_malformed("a stack", err);
    }
    return gate_wire_left(&wire) == 0 || gate_otlp_malformed("a stack", err);
}

static bool values_read(struct sample *sample, const struct current *current, struct gate_wire_field *field,
                        struct gate_error *err) {
    uint64_t value = 0;
    while (gate_otlp_number_next(field, &value)) {
        uint64_t column = current->types.count == 1 ? 0 : sample->value_count;
        sample->value_count++;
        if (column >= current->types.count)
            return gate_error_set(err, GATE_ERR_FORMAT, "an OTLP sample has more values than the %u sample types",
                                  current->types.count);
        if (__builtin_add_overflow(sample->values[column], (int64_t)value, &sample->values[column]))
            return gate_error_set(err, GATE_ERR_OVERFLOW,
                                  "the values of a sample add up to more than 64 bits can hold");
    }
    return gate_wire_left(&field->bytes) == 0 || gate_otlp_malformed("the values of a sample", err);
}

static void times_count(struct sample *sample, struct gate_wire_field *field, bool is_fixed) {
    uint64_t time = 0;
    if (field->type == GATE_WIRE_FIXED64)
        sample->times++;
    else if (is_fixed)
        sample->times += gate_wire_left(&field->bytes) / sizeof time;
    else
        while (gate_otlp_number_next(field, &time))
            sample->times++;
}

static bool sample_read(struct sample *out, struct adding *adding, const struct current *current, struct gate_wire wire,
                        struct gate_error *err) {
    const struct gate_otlp_profile *profile = current->profile;
    const struct gate_otlp_layout *layout = profile->layout;
    struct gate_wire_field field;
    uint64_t attribute = 0;
    memset(out, 0, sizeof *out);
    adding->labels.count = adding->resource_labels;
    while (gate_wire_next(&wire, &field)) {
        if (field.number == layout->sample.stack)
            out->stack = field.value;
        else if (layout->sample.length != 0 && field.number == layout->sample.length)
            out->length = field.value;
        else if (field.number == layout->sample.link) {
            out->link = field.value;
            out->has_link = true;
        } else if (field.number == layout->sample.values) {
            if (!values_read(out, current, &field, err))
                return false;
        } else if (field.number == layout->sample.times)
            times_count(out, &field, layout->version >= GATE_OTLP_1_8);
        else if (field.number == layout->sample.attributes)
            while (gate_otlp_number_next(&field, &attribute))
                if (!otlp_labels_add(&adding->labels, profile->tables, layout, attribute, err))
                    return false;
    }
    return gate_wire_left(&wire) == 0 || gate_otlp_malformed("a sample", err);
}

/* Put the sample's values into the columns of the file. */
static bool values_place(int64_t *values, const struct adding *adding, const struct current *current,
                         const struct sample *sample, struct gate_error *err) {
    const struct gate_otlp_types *types = &current->types;
    if (sample->value_count != 0 && types->count > 1 && sample->value_count != types->count)
        return gate_error_set(err, GATE_ERR_FORMAT, "an OTLP sample has %llu values for %u sample types",
                              (unsigned long long)sample->value_count, types->count);
    if (sample->value_count == 0 && sample->times != 0 && types->count > 1)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "an OTLP sample has timestamps alone, which mean nothing for %u sample types",
                              types->count);
    for (uint32_t i = 0; i < types->count; i++) {
        const struct gate_otlp_column *column = &adding->columns->items[column_find(adding->columns, &types->items[i])];
        int64_t value = sample->value_count == 0 ? (int64_t)sample->times : sample->values[i];
        if (__builtin_add_overflow(values[column->index], value, &values[column->index]))
            return gate_error_set(err, GATE_ERR_OVERFLOW,
                                  "the values of a sample add up to more than 64 bits can hold");
        if (column->events != GATE_NO_INDEX)
            values[column->events] = (int64_t)sample->times;
    }
    return true;
}

static bool sample_add(struct adding *adding, const struct current *current, struct gate_wire wire,
                       struct gate_error *err) {
    struct sample sample;
    int64_t values[GATE_VALUES_MAX] = {0};
    if (!sample_read(&sample, adding, current, wire, err) || !values_place(values, adding, current, &sample, err) ||
        !stack_read(adding, current, &sample, err))
        return false;
    if (sample.has_link && !labels_link(&adding->labels, current->profile->tables, sample.link, err))
        return false;
    const struct gate_builder_sample added = {.locations = adding->builder->stack,
                                              .depth = adding->builder->depth,
                                              .values = values,
                                              .labels = adding->labels.items,
                                              .label_count = adding->labels.count};
    return gate_builder_sample(adding->builder, &added, err);
}

/* Read the list of locations that stacks are slices of. */
static bool slices_read(struct current *current, struct gate_arena *arena, struct gate_error *err) {
    uint32_t number = current->profile->layout->profile.indices;
    struct gate_wire wire = current->profile->wire;
    struct gate_wire_field field;
    uint64_t index = 0;
    size_t room = 0;
    while (gate_wire_next(&wire, &field))
        if (field.number == number && number != 0)
            room += field.type == GATE_WIRE_VARINT ? 1 : gate_wire_left(&field.bytes);
    current->slices = GATE_NEW_ARRAY(arena, uint64_t, room);
    if (current->slices == NULL)
        return gate_arena_error(arena, err);
    wire = current->profile->wire;
    while (room != 0 && gate_wire_next(&wire, &field))
        while (field.number == number && gate_otlp_number_next(&field, &index))
            current->slices[current->slice_count++] = index;
    return true;
}

/* Read the attributes of the resource, unless the previous profile has the same resource. */
static bool resource_read(struct adding *adding, const struct gate_otlp_profile *profile, struct gate_error *err) {
    struct gate_wire wire = profile->resource;
    struct gate_wire_field field;
    if (adding->resource == profile->resource.at && adding->frames.tables == profile->tables)
        return true;
    adding->labels.count = 0;
    while (gate_wire_next(&wire, &field))
        if (field.number == 1 && !labels_pair(&adding->labels, profile->tables, field.bytes, err))
            return false;
    adding->resource = profile->resource.at;
    adding->resource_labels = adding->labels.count;
    return gate_wire_left(&wire) == 0 || gate_otlp_malformed("a resource", err);
}

static bool profile_add(struct adding *adding, const struct gate_otlp_profile *profile, struct gate_error *err) {
    struct gate_arena *arena = adding->builder->arena;
    struct current current = {.profile = profile};
    struct gate_wire wire = profile->wire;
    struct gate_wire_field field;
    if (!otlp_types_read(&current.types, profile, err) || !slices_read(&current, arena, err) ||
        !resource_read(adding, profile, err))
        return false;
    if (adding->frames.tables != profile->tables &&
        (!otlp_frames_init(&adding->frames, profile->tables, adding->builder, adding->limits, arena, err) ||
         !frames_main(&adding->frames, err)))
        return false;
    while (gate_wire_next(&wire, &field))
        if (field.number == 2 && field.type == GATE_WIRE_BYTES && !sample_add(adding, &current, field.bytes, err))
            return false;
    return true;
}

/*
 * Add the samples of all profiles, as otlp_fill documents, with its errors; also GATE_ERR_LIMIT: stacks with more
 * than limits->inflated_bytes entries in total. Memory: the builder's arena.
 */
static bool otlp_samples_add(struct gate_builder *builder, const struct gate_otlp_file *file,
                             const struct gate_otlp_columns *columns, const struct gate_limits *limits,
                             struct gate_error *err) {
    struct adding adding = {.builder = builder, .limits = limits, .columns = columns};
    if (!otlp_labels_init(&adding.labels, limits, builder->arena, err))
        return false;
    for (size_t i = 0; i < file->count; i++)
        if (!profile_add(&adding, &file->items[i], err))
            return false;
    return true;
}

/* ---- conversion to pprof: sample types of all profiles first, then samples --------------------------------------- */

/*
 * Convert OTLP profiles to pprof. All profiles of all resources become one. Its sample types are those of the
 * profiles, by name and unit, in order of appearance. The default type is the one that a converter from pprof
 * recorded in the scope, else the first profile's. Attributes of a sample, its resource and its link become labels.
 *
 * A sample without values counts once per timestamp, as the protocol defines. If values of another unit have
 * timestamps and there is no such column yet, an additional column counts the timestamps: "samples", or
 * "off_samples" for "off_cpu". `limits` has no zeros (gate_limits_fill).
 *
 * err   GATE_ERR_FORMAT: malformed, an index outside its table, values that do not match the sample types, or the
 *       experimental protocol of 2024; GATE_ERR_LIMIT; GATE_ERR_OVERFLOW
 *
 * O(bytes + stack entries).
 */
static bool otlp_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                      struct gate_error *err) {
    struct gate_otlp_file file;
    struct gate_otlp_columns columns;
    return gate_otlp_file_read(&file, bytes, builder->arena, err) && otlp_columns_find(&columns, &file, builder, err) &&
           otlp_header_read(builder, &file, limits, builder->arena, err) &&
           otlp_samples_add(builder, &file, &columns, limits, err);
}

const struct gate_reader gate_otlp_reader = {
    .name = "OTLP profiles",
    .sniff = gate_otlp_file_is,
    .format = GATE_FORMAT_OTLP,
    .fill = otlp_fill,
};
