/* SPDX-License-Identifier: Apache-2.0 */
/* Merges profiles, one at a time. */
#include "gate/formats/merge.h"

#include "gate/base/buf.h"
#include "gate/formats/builder.h"
#include "gate/formats/deflate.h"
#include "gate/formats/format.h"
#include "gate/formats/otlp_write.h"
#include "gate/formats/pprof.h"
#include "gate/model/location.h"
#include "gate/model/unit.h"
#include "gate/model/wire.h"

/* State of adding one profile to the builder. */
struct adding {
    struct gate_merge *merge;
    const struct gate_profile *profile;
    uint64_t *location_ids; /* merged id of each location; 0: not added yet */
    uint64_t *function_ids; /* merged id of each function; 0: not added yet */
    uint64_t *stack;        /* max_depth entries */
    /* max_labels entries, one for the added label, and one for the read that finds the end */
    struct gate_label *labels;
    struct gate_builder_line *lines;   /* as many as the largest location has */
    uint32_t columns[GATE_VALUES_MAX]; /* the profile's column for each type of the builder; GATE_NO_INDEX: none */
    int64_t factors[GATE_VALUES_MAX];
    int64_t sign;
    const struct gate_label *label;
};

void gate_merge_begin(struct gate_merge *merge, struct gate_arena *arena) {
    *merge = (struct gate_merge){0};
    gate_builder_init(&merge->builder, arena, NULL);
    gate_builder_mark(&merge->builder);
}

void gate_merge_end(struct gate_merge *merge) {
    gate_builder_free(&merge->builder);
}

static bool str_keep(struct gate_str *out, struct gate_str text, struct gate_arena *arena, struct gate_error *err) {
    *out = gate_str_copy(arena, text);
    return out->ptr != NULL || gate_arena_error(arena, err);
}

static bool header_first(struct gate_builder *builder, const struct gate_profile *profile, struct gate_error *err) {
    struct gate_builder_header *header = &builder->header;
    struct gate_arena *arena = builder->arena;
    for (uint32_t i = 0; i < profile->sample_type_count; i++)
        gate_builder_type(builder, profile->sample_types[i].type, profile->sample_types[i].unit);
    header->period = profile->period;
    return str_keep(&header->period_type.type, profile->period_type.type, arena, err) &&
           str_keep(&header->period_type.unit, profile->period_type.unit, arena, err) &&
           str_keep(&header->drop_frames, profile->drop_frames, arena, err) &&
           str_keep(&header->keep_frames, profile->keep_frames, arena, err) &&
           str_keep(&header->default_sample_type, profile->default_sample_type, arena, err);
}

/* Join the periods in the finer unit, for example nanoseconds and milliseconds. */
static bool period_join(struct gate_builder *builder, const struct gate_profile *profile, struct gate_error *err) {
    struct gate_builder_header *header = &builder->header;
    struct gate_value_type ours = header->period_type, theirs = profile->period_type;
    int64_t period = profile->period;
    int64_t to_theirs = gate_unit_ratio(ours.unit, theirs.unit);
    int64_t to_ours = gate_unit_ratio(theirs.unit, ours.unit);
    if (!gate_str_equal(ours.type, theirs.type) || (to_theirs == 0 && to_ours == 0))
        return gate_error_set(
            err, GATE_ERR_INPUT,
            "its period type is '%.*s/%.*s', the first profile's is '%.*s/%.*s': they measure different things",
            GATE_STR_ARG(theirs.type), GATE_STR_ARG(theirs.unit), GATE_STR_ARG(ours.type), GATE_STR_ARG(ours.unit));
    if (to_ours != 0 ? __builtin_mul_overflow(period, to_ours, &period)
                     : __builtin_mul_overflow(header->period, to_theirs, &header->period))
        return gate_error_set(err, GATE_ERR_OVERFLOW, "the period does not fit in 64 bits");
    if (to_ours == 0 && !str_keep(&header->period_type.unit, theirs.unit, builder->arena, err))
        return false;
    header->period = period > header->period ? period : header->period;
    return true;
}

static bool header_join(struct gate_merge *merge, const struct gate_profile *profile, struct gate_error *err) {
    struct gate_builder *builder = &merge->builder;
    struct gate_builder_header *header = &builder->header;
    if (profile->time_ns != 0 && (header->time_ns == 0 || profile->time_ns < header->time_ns))
        header->time_ns = profile->time_ns;
    int64_t sum = 0;
    if (__builtin_add_overflow(header->duration_ns, profile->duration_ns, &sum)) {
        merge->is_duration_cut = true;
        gate_builder_comment(builder, GATE_STR("its duration is cut: the durations add up to more than 64 bits hold"));
    }
    header->duration_ns = gate_profile_add_saturated(header->duration_ns, profile->duration_ns);
    if (header->default_sample_type.len == 0 &&
        !str_keep(&header->default_sample_type, profile->default_sample_type, builder->arena, err))
        return false;
    struct gate_profile noted = *profile;
    if (!gate_profile_note_format(&noted, builder->arena, err))
        return false;
    for (uint32_t i = 0; i < noted.comment_count; i++)
        gate_builder_comment(builder, noted.comments[i]);
    return true;
}

/* Convert all values added so far to a unit that is `ratio` times finer. */
static bool column_rescale(struct gate_builder *builder, uint32_t column, int64_t ratio, struct gate_str unit,
                           struct gate_error *err) {
    if (!gate_stack_tree_scale(&builder->samples, column, ratio))
        return gate_error_set(err, GATE_ERR_OVERFLOW, "values of '%.*s' do not fit in 64 bits as %.*s",
                              GATE_STR_ARG(builder->types[column].type), GATE_STR_ARG(unit));
    return str_keep(&builder->types[column].unit, unit, builder->arena, err);
}

/* Find the column with the same type. If several have the same type, match them by order. */
static uint32_t column_find(const struct gate_builder *builder, uint32_t column, const struct gate_profile *profile) {
    struct gate_str type = builder->types[column].type;
    uint32_t before = 0, found = 0;
    for (uint32_t i = 0; i < column; i++)
        before += gate_str_equal(builder->types[i].type, type);
    for (; found < profile->sample_type_count; found++)
        if (gate_str_equal(profile->sample_types[found].type, type) && before-- == 0)
            return found;
    return GATE_NO_INDEX;
}

static bool column_join(struct adding *adding, uint32_t column, struct gate_error *err) {
    struct gate_builder *builder = &adding->merge->builder;
    const struct gate_profile *profile = adding->profile;
    struct gate_value_type ours = builder->types[column];
    uint32_t found = column_find(builder, column, profile);
    if (found == GATE_NO_INDEX) {
        if (gate_str_equal(builder->header.default_sample_type, ours.type))
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "it lacks the sample type '%.*s', the default of those before it",
                                  GATE_STR_ARG(ours.type));
        builder->type_dropped[column] = true;
        return true;
    }
    struct gate_value_type theirs = profile->sample_types[found];
    int64_t to_ours = gate_unit_ratio(theirs.unit, ours.unit);
    int64_t to_theirs = gate_unit_ratio(ours.unit, theirs.unit);
    if (to_ours == 0 && to_theirs == 0)
        return gate_error_set(err, GATE_ERR_INPUT, "its '%.*s' is in '%.*s', which does not convert to '%.*s'",
                              GATE_STR_ARG(ours.type), GATE_STR_ARG(theirs.unit), GATE_STR_ARG(ours.unit));
    adding->columns[column] = found;
    adding->factors[column] = to_ours == 0 ? 1 : to_ours;
    return to_ours != 0 || column_rescale(builder, column, to_theirs, theirs.unit, err);
}

static bool columns_join(struct adding *adding, struct gate_error *err) {
    struct gate_builder *builder = &adding->merge->builder;
    uint32_t common = 0;
    for (uint32_t i = 0; i < builder->type_count; i++) {
        adding->columns[i] = GATE_NO_INDEX;
        if (!builder->type_dropped[i] && !column_join(adding, i, err))
            return false;
        common += adding->columns[i] != GATE_NO_INDEX;
    }
    if (common == 0)
        return gate_error_set(err, GATE_ERR_INPUT, "it has no sample type in common with those before it");
    return true;
}

static uint64_t function_merge(struct adding *adding, uint32_t index) {
    if (index == GATE_NO_INDEX)
        return 0;
    uint64_t *id = &adding->function_ids[index];
    if (*id == 0)
        *id = gate_builder_function(&adding->merge->builder, &adding->profile->functions[index]);
    return *id;
}

static uint64_t location_merge(struct adding *adding, uint32_t index) {
    struct gate_builder_line *lines = adding->lines;
    struct gate_builder *builder = &adding->merge->builder;
    const struct gate_profile *profile = adding->profile;
    struct gate_location location = gate_location_at(profile, index);
    uint64_t mapping = 0, address = location.address;
    if (location.mapping != GATE_NO_INDEX) {
        uint64_t start = 0;
        mapping = gate_builder_mapping(builder, &profile->mappings[location.mapping], &start);
        /* modulo 2^64, so the second profile may be loaded at a lower address; 0 is no address */
        if (address != 0)
            address += start - profile->mappings[location.mapping].start;
    }
    struct gate_line_walk walk = gate_location_lines(profile, &location);
    struct gate_line line;
    for (uint32_t i = 0; gate_line_next(&walk, &line); i++) {
        lines[i].function = function_merge(adding, line.function);
        lines[i].line = line.line;
        lines[i].column = line.column;
    }
    return gate_builder_location(builder, mapping, address, lines, location.line_count);
}

/* Convert a stack into adding->stack. Returns its depth. */
static uint32_t stack_merge(struct adding *adding, struct gate_stack_ref stack) {
    uint32_t depth = 0, at = 0;
    while (at < stack.len) {
        uint32_t small = 0;
        unsigned len = stack.len - at < 4 ? 0 : gate_wire_short(&small, stack.ids + at);
        uint64_t id = small;
        at += len;
        if (len == 0 && !gate_stack_next(stack, &at, &id))
            break;
        uint32_t index = gate_location_find(adding->profile, id);
        if (adding->location_ids[index] == 0)
            adding->location_ids[index] = location_merge(adding, index);
        adding->stack[depth++] = adding->location_ids[index];
    }
    return depth;
}

static bool sample_merge(struct adding *adding, const struct gate_sample_cursor *cursor,
                         const struct gate_sample *sample, struct gate_error *err) {
    struct gate_builder *builder = &adding->merge->builder;
    int64_t values[GATE_VALUES_MAX] = {0};
    struct gate_builder_sample added = {.locations = adding->stack, .values = values, .labels = adding->labels};
    bool is_zero = true;
    for (uint32_t i = 0; i < builder->type_count; i++) {
        if (adding->columns[i] == GATE_NO_INDEX)
            continue;
        if (__builtin_mul_overflow(sample->values[adding->columns[i]], adding->factors[i] * adding->sign, &values[i]))
            return gate_error_set(err, GATE_ERR_OVERFLOW, "a value of '%.*s' does not fit in 64 bits as '%.*s'",
                                  GATE_STR_ARG(builder->types[i].type), GATE_STR_ARG(builder->types[i].unit));
        is_zero &= values[i] == 0;
    }
    if (is_zero)
        return true;
    added.depth = stack_merge(adding, sample->stack);
    struct gate_label_walk walk = gate_labels_of(cursor);
    while (sample->label_count != 0 && gate_labels_next(&walk, &adding->labels[added.label_count]))
        added.label_count++;
    if (adding->label != NULL)
        adding->labels[added.label_count++] = *adding->label;
    return gate_builder_queue(builder, &added, err);
}

static bool samples_merge(struct adding *adding, struct gate_arena *scratch, struct gate_error *err) {
    const struct gate_profile *profile = adding->profile;
    adding->lines = GATE_NEW_ARRAY(scratch, struct gate_builder_line, profile->most_lines);
    adding->labels = GATE_NEW_ARRAY(scratch, struct gate_label, (size_t)profile->max_labels + 2);
    adding->location_ids = GATE_NEW_ARRAY(scratch, uint64_t, profile->location_count);
    adding->function_ids = GATE_NEW_ARRAY(scratch, uint64_t, profile->function_count);
    adding->stack = GATE_NEW_ARRAY(scratch, uint64_t, profile->max_depth);
    if (adding->lines == NULL || adding->labels == NULL || adding->location_ids == NULL ||
        adding->function_ids == NULL || adding->stack == NULL)
        return gate_arena_error(scratch, err);
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    bool ok = true;
    gate_sample_begin(&cursor, profile);
    while (ok && gate_sample_next(&cursor, &sample, err))
        ok = sample_merge(adding, &cursor, &sample, err);
    gate_sample_end(&cursor);
    return ok && err->code == GATE_OK && gate_builder_settle(&adding->merge->builder, err);
}

bool gate_merge_add_scaled(struct gate_merge *merge, const struct gate_profile *profile, int64_t factor,
                           const struct gate_label *label, struct gate_arena *scratch, struct gate_error *err) {
    struct adding adding = {.merge = merge, .profile = profile, .sign = factor, .label = label};
    struct gate_builder *builder = &merge->builder;
    uint64_t start = 0;
    GATE_ASSERT(factor == 1 || factor == -1);
    if (!(merge->profile_count == 0 ? header_first(builder, profile, err) : period_join(builder, profile, err)) ||
        !columns_join(&adding, err) || !header_join(merge, profile, err))
        return false;
    /* By pprof's convention the first mapping is the main program. */
    if (builder->mapping_keys.count == 0 && profile->mapping_count != 0)
        (void)gate_builder_mapping(builder, &profile->mappings[0], &start);
    merge->profile_count++;
    return samples_merge(&adding, scratch, err);
}

bool gate_merge_add(struct gate_merge *merge, const struct gate_profile *profile, struct gate_arena *scratch,
                    struct gate_error *err) {
    return gate_merge_add_scaled(merge, profile, 1, NULL, scratch, err);
}

bool gate_merge_write(struct gate_buf *out, struct gate_merge *merge, enum gate_container container,
                      struct gate_error *err) {
    return gate_merge_pack(gate_sink_of_buf(out), merge, container, err);
}

bool gate_merge_pack(struct gate_sink to, struct gate_merge *merge, enum gate_container container,
                     struct gate_error *err) {
    return gate_builder_pack(to, &merge->builder, container, err);
}

bool gate_merge_pack_otlp(struct gate_sink to, struct gate_merge *merge, enum gate_container container,
                          struct gate_error *err) {
    struct gate_buf plain = {0};
    struct gate_packing packing;
    gate_packing_begin(&packing, container, to);
    bool ok = gate_otlp_write(&plain, &merge->builder, err) && gate_packing_put(&packing, gate_buf_view(&plain), err) &&
              gate_packing_end(&packing, err);
    gate_packing_free(&packing);
    gate_buf_free(&plain);
    return ok;
}
