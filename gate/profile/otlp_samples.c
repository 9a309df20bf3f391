/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of OTLP (see otlp_samples.h). */
#include "gate/profile/otlp_samples.h"

#include "gate/profile/otlp_frames.h"
#include "gate/profile/otlp_labels.h"

/* The walk over all profiles of a file. */
struct adding {
    struct gate_builder *builder;
    const struct gate_limits *limits;
    const struct gate_otlp_columns *columns;
    struct gate_otlp_labels labels;
    struct gate_otlp_frames frames; /* of `frames.tables` */
    const uint8_t *resource;        /* whose attributes the first labels are */
    uint32_t resource_labels;
    uint64_t *stack; /* limits->depth of them */
    uint64_t samples;
    uint64_t slots;
};

/* One profile of it. */
struct current {
    const struct gate_otlp_profile *profile;
    struct gate_otlp_types types;
    uint64_t *slices; /* its list of locations, where stacks are slices of it */
    size_t slice_count;
};

/* One sample as it stands; times are only counted. */
struct sample {
    uint64_t stack, length, link;
    int64_t values[GATE_VALUES_MAX]; /* summed up where there is one type, and a value for each time */
    uint64_t value_count;
    uint64_t times;
    bool has_link;
};

static bool stack_push(struct adding *adding, uint32_t *depth, uint64_t location, struct gate_error *err) {
    if (*depth == adding->limits->depth)
        return gate_error_set(err, GATE_ERR_LIMIT, "a stack has more than %u frames; raise --max-depth",
                              adding->limits->depth);
    if (++adding->slots > adding->limits->inflated_bytes)
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "the stacks of its samples, written out, hold more than %zu bytes; raise --max-size",
                              adding->limits->inflated_bytes);
    return gate_otlp_location(&adding->stack[(*depth)++], &adding->frames, location, err);
}

/* Leaf first, as pprof has it. */
static bool stack_read(struct adding *adding, const struct current *current, const struct sample *sample,
                       uint32_t *depth, struct gate_error *err) {
    const struct gate_otlp_tables *tables = current->profile->tables;
    struct gate_wire wire = {0};
    struct gate_wire_field field;
    uint64_t location = 0;
    *depth = 0;
    if (current->profile->layout->sample.length != 0) {
        if (sample->stack > current->slice_count || sample->length > current->slice_count - sample->stack)
            return gate_error_set(err, GATE_ERR_FORMAT, "an OTLP sample has locations %llu to %llu of a list of %zu",
                                  (unsigned long long)sample->stack,
                                  (unsigned long long)(sample->stack + sample->length), current->slice_count);
        for (uint64_t i = 0; i < sample->length; i++)
            if (!stack_push(adding, depth, current->slices[sample->stack + i], err))
                return false;
        return true;
    }
    if (sample->stack == 0 && tables->counts[GATE_OTLP_STACKS] == 0)
        return true;
    if (!gate_otlp_entry(&wire, tables, GATE_OTLP_STACKS, sample->stack, err))
        return false;
    while (gate_wire_next(&wire, &field)) {
        while (field.number == 1 && gate_otlp_number_next(&field, &location))
            if (!stack_push(adding, depth, location, err))
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
                if (!gate_otlp_labels_add(&adding->labels, profile->tables, layout, attribute, err))
                    return false;
    }
    return gate_wire_left(&wire) == 0 || gate_otlp_malformed("a sample", err);
}

/* The sample's values in the columns of the file. */
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
        const struct gate_otlp_column *column = gate_otlp_column_of(adding->columns, &types->items[i]);
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
    struct gate_builder_sample added = {.locations = adding->stack, .values = values};
    if (++adding->samples > adding->limits->samples)
        return gate_error_set(err, GATE_ERR_LIMIT, "more than %llu samples; raise --max-samples",
                              (unsigned long long)adding->limits->samples);
    if (!sample_read(&sample, adding, current, wire, err) || !values_place(values, adding, current, &sample, err) ||
        !stack_read(adding, current, &sample, &added.depth, err))
        return false;
    if (sample.has_link && !gate_otlp_labels_link(&adding->labels, current->profile->tables, sample.link, err))
        return false;
    added.labels = adding->labels.items;
    added.label_count = adding->labels.count;
    return gate_builder_sample(adding->builder, &added, err);
}

/* The list of locations that the profile's stacks are slices of. */
static bool slices_read(struct current *current, struct gate_arena *arena, struct gate_error *err) {
    uint32_t number = current->profile->layout->profile.indices;
    struct gate_wire wire = current->profile->wire;
    struct gate_wire_field field;
    uint64_t index = 0;
    size_t room = 0;
    while (gate_wire_next(&wire, &field))
        if (field.number == number && number != 0)
            room += field.type == GATE_WIRE_VARINT ? 1 : gate_wire_left(&field.bytes);
    current->slices = GATE_NEW_ARRAY(arena, uint64_t, room + 1);
    if (current->slices == NULL)
        return gate_arena_error(arena, err);
    wire = current->profile->wire;
    while (room != 0 && gate_wire_next(&wire, &field))
        while (field.number == number && gate_otlp_number_next(&field, &index))
            current->slices[current->slice_count++] = index;
    return true;
}

/* The attributes of the resource, of which several profiles may be. */
static bool resource_read(struct adding *adding, const struct gate_otlp_profile *profile, struct gate_error *err) {
    struct gate_wire wire = profile->resource;
    struct gate_wire_field field;
    if (adding->resource == profile->resource.at && adding->frames.tables == profile->tables)
        return true;
    adding->labels.count = 0;
    while (gate_wire_next(&wire, &field))
        if (field.number == 1 && !gate_otlp_labels_pair(&adding->labels, profile->tables, field.bytes, err))
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
    if (!gate_otlp_types_read(&current.types, profile, err) || !slices_read(&current, arena, err) ||
        !resource_read(adding, profile, err))
        return false;
    if (adding->frames.tables != profile->tables &&
        (!gate_otlp_frames_init(&adding->frames, profile->tables, adding->builder, adding->limits, arena, err) ||
         !gate_otlp_frames_main(&adding->frames, err)))
        return false;
    while (gate_wire_next(&wire, &field))
        if (field.number == 2 && field.type == GATE_WIRE_BYTES && !sample_add(adding, &current, field.bytes, err))
            return false;
    return true;
}

bool gate_otlp_samples_add(struct gate_builder *builder, const struct gate_otlp_file *file,
                           const struct gate_otlp_columns *columns, const struct gate_limits *limits,
                           struct gate_error *err) {
    struct adding adding = {.builder = builder, .limits = limits, .columns = columns};
    adding.stack = gate_arena_alloc(builder->arena, ((size_t)limits->depth + 1) * sizeof *adding.stack);
    if (adding.stack == NULL)
        return gate_arena_error(builder->arena, err);
    if (!gate_otlp_labels_init(&adding.labels, limits, builder->arena, err))
        return false;
    for (size_t i = 0; i < file->count; i++)
        if (!profile_add(&adding, &file->items[i], err))
            return false;
    return true;
}
