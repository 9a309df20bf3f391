/* SPDX-License-Identifier: Apache-2.0 */
/* Sample types and header of OTLP profiles (see otlp_header.h). */
#include "gate/profile/otlp_header.h"

#include "gate/profile/otlp_labels.h"

enum { COMMENTS_MAX = 4096 }; /* of a profile: merged ones have those of each */

/* ValueType: indices of two texts. */
static bool type_read(struct gate_value_type *out, const struct gate_otlp_tables *tables, struct gate_wire wire,
                      struct gate_error *err) {
    struct gate_wire_field field;
    *out = (struct gate_value_type){GATE_STR(""), GATE_STR("")};
    while (gate_wire_next(&wire, &field)) {
        struct gate_str *text = field.number == 1 ? &out->type : &out->unit;
        if ((field.number == 1 || field.number == 2) && !gate_otlp_text(text, tables, field.value, err))
            return false;
    }
    return gate_wire_left(&wire) == 0 || gate_otlp_malformed("a sample type", err);
}

bool gate_otlp_types_read(struct gate_otlp_types *out, const struct gate_otlp_profile *profile,
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

static struct gate_otlp_column *column_find(struct gate_otlp_columns *columns, const struct gate_value_type *type) {
    for (uint32_t i = 0; i < columns->count; i++)
        if (gate_str_equal(columns->items[i].type.type, type->type) &&
            gate_str_equal(columns->items[i].type.unit, type->unit))
            return &columns->items[i];
    return NULL;
}

const struct gate_otlp_column *gate_otlp_column_of(const struct gate_otlp_columns *columns,
                                                   const struct gate_value_type *type) {
    for (uint32_t i = 0; i < columns->count; i++)
        if (gate_str_equal(columns->items[i].type.type, type->type) &&
            gate_str_equal(columns->items[i].type.unit, type->unit))
            return &columns->items[i];
    GATE_ASSERT(false);
    return NULL;
}

static bool types_add(struct gate_otlp_columns *columns, const struct gate_otlp_profile *profile,
                      struct gate_error *err) {
    struct gate_otlp_types types;
    if (!gate_otlp_types_read(&types, profile, err))
        return false;
    for (uint32_t i = 0; i < types.count; i++) {
        struct gate_otlp_column *column = column_find(columns, &types.items[i]);
        if (column == NULL && columns->count == GATE_VALUES_MAX)
            return gate_error_set(err, GATE_ERR_LIMIT, "the OTLP profiles have more than %d sample types together",
                                  GATE_VALUES_MAX);
        if (column == NULL) {
            column = &columns->items[columns->count++];
            *column = (struct gate_otlp_column){.type = types.items[i], .events = GATE_NO_INDEX};
        }
        column->has_times |= types.count == 1 && !is_count(types.items[0].unit) && has_times(profile);
    }
    return true;
}

/* What counts the events of a type: "samples", "off_samples" of "off_cpu" (profile/counts.h looks for it there). */
static struct gate_str events_name(struct gate_str type, struct gate_arena *arena) {
    size_t end = type.len;
    while (end > 0 && type.ptr[end - 1] != '_' && type.ptr[end - 1] != '-')
        end--;
    const struct gate_str parts[] = {gate_str_slice(type, 0, end), GATE_STR("samples")};
    return gate_str_concat(arena, parts, 2);
}

bool gate_otlp_columns_find(struct gate_otlp_columns *out, const struct gate_otlp_file *file,
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
        /* Each column that comes later needs its place, too. */
        uint32_t room = GATE_VALUES_MAX - builder->type_count;
        if (column->has_times && column_find(out, &events) == NULL && room > out->count - i) {
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

/* Numbers of one profile's header. */
struct header {
    int64_t time_ns, duration_ns, period;
    struct gate_value_type period_type;
    uint64_t default_type;
};

/* Comments, and the texts of pprof's that have no field here, by the names of OpenTelemetry's conventions. */
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
            if (!is_comment && !gate_otlp_labels_add(labels, profile->tables, layout, index, err))
                return false;
            if (is_comment && !gate_otlp_text(&comment, profile->tables, index, err))
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

/* Profiles of one file stand beside each other or follow one another: from the first one's start to the last one's end.
 */
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

/* What the scope keeps of pprof's: without a default there, the last type is, as pprof has it. */
static bool default_find(struct gate_builder *builder, const struct gate_otlp_profile *profile, uint64_t wanted,
                         struct gate_otlp_labels *labels, struct gate_error *err) {
    struct gate_wire scope = profile->scope;
    struct gate_wire_field field;
    struct gate_otlp_types types = {0};
    bool was_pprof = false;
    struct gate_str name = GATE_STR("");
    labels->count = 0;
    while (gate_wire_next(&scope, &field))
        if (field.number == 3 && !gate_otlp_labels_pair(labels, profile->tables, field.bytes, err))
            return false;
    for (uint32_t i = 0; i < labels->count; i++) {
        was_pprof |= gate_str_equal(labels->items[i].key, GATE_STR("pprof.scope.sample_type_order"));
        if (gate_str_equal(labels->items[i].key, GATE_STR("pprof.scope.default_sample_type")) &&
            labels->items[i].text.ptr != NULL)
            name = labels->items[i].text;
    }
    if (!gate_otlp_types_read(&types, profile, err))
        return false;
    if (name.len == 0 && !was_pprof)
        name = types.items[wanted < types.count ? wanted : 0].type;
    builder->header.default_sample_type = gate_str_copy(builder->arena, name);
    return builder->header.default_sample_type.ptr != NULL || gate_arena_error(builder->arena, err);
}

bool gate_otlp_header_read(struct gate_builder *builder, const struct gate_otlp_file *file,
                           const struct gate_limits *limits, struct gate_arena *scratch, struct gate_error *err) {
    struct gate_otlp_labels labels;
    struct gate_builder_header *out = &builder->header;
    struct gate_limits caps = *limits;
    caps.labels = caps.labels > COMMENTS_MAX ? caps.labels : COMMENTS_MAX;
    if (!gate_otlp_labels_init(&labels, &caps, scratch, err))
        return false;
    for (size_t i = 0; i < file->count; i++) {
        struct header header;
        if (!header_numbers(&header, &file->items[i], err) ||
            !header_attributes(builder, &file->items[i], &labels, err))
            return false;
        times_join(out, &header);
        if (i == 0 || (out->period == 0 && header.period != 0)) {
            out->period = header.period;
            out->period_type = header.period_type;
        }
        if (i == 0 && !default_find(builder, &file->items[0], header.default_type, &labels, err))
            return false;
    }
    return true;
}
