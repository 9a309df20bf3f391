/* SPDX-License-Identifier: Apache-2.0 */
/* Merges profiles, one at a time. */
#include "gate/formats/merge.h"

#include "gate/base/buf.h"
#include "gate/base/hash.h"
#include "gate/formats/builder.h"
#include "gate/formats/pprof_write.h"
#include "gate/model/location.h"
#include "gate/model/unit.h"
#include "gate/model/wire.h"

#include <stdlib.h>

enum { PROFILE_ID_WORDS = 2 };

struct writing {
    struct gate_buf *out;
    const struct gate_builder *builder;
    struct gate_arena arena;
    struct gate_table added;      /* strings after the builder's */
    struct gate_table stacks;     /* encoded messages, from index 1 on */
    struct gate_table attributes; /* encoded messages, from index 1 on */
    struct gate_buf dictionary, message, part;
};

/* Hash keys for profile ids. */
static const uint64_t id_keys[PROFILE_ID_WORDS] = {UINT64_C(0x6f746c702d696431), UINT64_C(0x6f746c702d696432)};

static uint64_t text_index(struct writing *writing, struct gate_str text) {
    uint32_t known = gate_table_find(&writing->builder->strings, text);
    if (known != GATE_TABLE_NONE)
        return known;
    uint32_t index = gate_table_intern(&writing->added, text);
    writing->out->failed |= index == GATE_TABLE_NONE;
    return (uint64_t)writing->builder->strings.count + index;
}

/* Intern the contents of `message` in `table`, empty `message`, and return the index. */
static uint64_t message_index(struct writing *writing, struct gate_table *table, struct gate_buf *message) {
    uint32_t index = message->failed ? GATE_TABLE_NONE : gate_table_intern_copy(table, gate_buf_view(message));
    writing->out->failed |= index == GATE_TABLE_NONE;
    message->len = 0;
    return (uint64_t)index + 1;
}

static void message_put(struct writing *writing, struct gate_buf *out, uint32_t field, struct gate_buf *message) {
    writing->out->failed |= message->failed;
    gate_wire_put_bytes(out, field, gate_buf_view(message));
    message->len = 0;
}

/* Append a fixed64 field. 0 is written, too, so call it only for known times. */
static void fixed_put(struct gate_buf *out, uint32_t field, uint64_t value) {
    gate_wire_put_varint(out, (uint64_t)field << 3 | GATE_WIRE_FIXED64);
    for (int i = 0; i < 8; i++)
        gate_buf_char(out, (char)(value >> 8 * i & 0xFF));
}

/* Append an AnyValue: a text, or a number including 0. */
static void text_value_put(struct gate_buf *out, struct gate_str text) {
    gate_wire_put_bytes(out, 1, text);
}

static void number_value_put(struct gate_buf *out, uint64_t number) {
    gate_wire_put_varint(out, 3 << 3 | GATE_WIRE_VARINT);
    gate_wire_put_varint(out, number);
}

/* Return the index of the attribute with `key` and the AnyValue in `part`. */
static uint64_t attribute_index(struct writing *writing, uint64_t key, uint64_t unit) {
    gate_wire_put_number(&writing->message, 1, key);
    message_put(writing, &writing->message, 2, &writing->part);
    gate_wire_put_number(&writing->message, 3, unit);
    return message_index(writing, &writing->attributes, &writing->message);
}

static uint64_t text_attribute(struct writing *writing, const char *key, struct gate_str text) {
    text_value_put(&writing->part, text);
    return attribute_index(writing, text_index(writing, gate_str_from(key)), 0);
}

/* Convert a label of the builder (key, text, number, unit) to an attribute and return its index. */
static uint64_t label_attribute(struct writing *writing, struct gate_wire label) {
    struct gate_wire_field field;
    uint64_t numbers[5] = {0};
    while (gate_wire_next(&label, &field))
        numbers[field.number < 5 ? field.number : 0] = field.value;
    if (numbers[2] != 0)
        text_value_put(&writing->part, writing->builder->strings.keys[numbers[2]]);
    else
        number_value_put(&writing->part, numbers[3]);
    return attribute_index(writing, numbers[1], numbers[4]);
}

/* Encode the stack and the labels of each sample. All profiles share them. */
static struct gate_str *contexts_make(struct writing *writing) {
    const struct gate_stack_tree *samples = &writing->builder->samples;
    struct gate_str *contexts = GATE_NEW_ARRAY(&writing->arena, struct gate_str, (size_t)samples->count + 1);
    struct gate_buf context = {0}, packed = {0}, sample = {0}, key = {0};
    uint32_t at = gate_stack_tree_first(samples);
    for (uint32_t i = 0; contexts != NULL && at != 0; i++, at = gate_stack_tree_next(samples, at)) {
        sample.len = 0;
        gate_stack_tree_put(&sample, &key, samples, at);
        struct gate_wire wire = gate_wire_of(gate_buf_view(&sample));
        struct gate_wire_field field;
        uint64_t stack = 0;
        context.len = packed.len = 0;
        while (gate_wire_next(&wire, &field)) {
            if (field.number == 1) {
                gate_wire_put_bytes(&writing->message, 1, gate_wire_view(field.bytes));
                stack = message_index(writing, &writing->stacks, &writing->message);
            } else {
                gate_wire_put_varint(&packed, label_attribute(writing, field.bytes));
            }
        }
        gate_wire_put_number(&context, 1, stack);
        if (packed.len != 0)
            gate_wire_put_bytes(&context, 2, gate_buf_view(&packed));
        contexts[i] = gate_str_copy(&writing->arena, gate_buf_view(&context));
        writing->out->failed |= contexts[i].ptr == NULL;
    }
    struct gate_buf *bufs[] = {&context, &packed, &sample, &key};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gate_buf_free_part(writing->out, bufs[i]);
    return contexts;
}

static void type_put(struct writing *writing, struct gate_buf *out, uint32_t field, struct gate_value_type type) {
    uint64_t name = text_index(writing, type.type), unit = text_index(writing, type.unit);
    gate_wire_put_number(&writing->message, 1, name);
    gate_wire_put_number(&writing->message, 2, unit);
    message_put(writing, out, field, &writing->message);
}

/* Return true if the sample has a value in a column that is written, as gate_builder_write requires, too. */
static bool is_kept(const struct gate_builder *builder, uint32_t place) {
    for (uint32_t i = 0; i < builder->type_count; i++)
        if (!builder->type_dropped[i] && gate_stack_tree_value(&builder->samples, place, i) != 0)
            return true;
    return false;
}

static void samples_put(struct writing *writing, struct gate_buf *profile, uint32_t column,
                        const struct gate_str *contexts) {
    const struct gate_builder *builder = writing->builder;
    const struct gate_stack_tree *samples = &builder->samples;
    uint32_t at = gate_stack_tree_first(samples);
    for (uint32_t i = 0; at != 0; i++, at = gate_stack_tree_next(samples, at)) {
        if (!is_kept(builder, at))
            continue;
        gate_buf_str(&writing->message, contexts[i]);
        gate_wire_put_varint(&writing->part, (uint64_t)gate_stack_tree_value(samples, at, column));
        message_put(writing, &writing->message, 4, &writing->part);
        message_put(writing, profile, 2, &writing->message);
    }
}

/* Append the profile's attributes, which have no field in OTLP. */
static void attributes_put(struct writing *writing, struct gate_buf *profile) {
    const struct gate_builder *builder = writing->builder;
    const struct gate_builder_header *header = &builder->header;
    struct gate_buf list = {0}, indices = {0};
    for (uint32_t i = 0; i < builder->comments.count; i++) {
        text_value_put(&writing->part, builder->comments.keys[i]);
        message_put(writing, &list, 1, &writing->part);
    }
    if (builder->comments.count != 0) {
        message_put(writing, &writing->part, 5, &list);
        gate_wire_put_varint(&indices,
                             attribute_index(writing, text_index(writing, GATE_STR("pprof.profile.comment")), 0));
    }
    if (header->drop_frames.len != 0)
        gate_wire_put_varint(&indices, text_attribute(writing, "pprof.profile.drop_frames", header->drop_frames));
    if (header->keep_frames.len != 0)
        gate_wire_put_varint(&indices, text_attribute(writing, "pprof.profile.keep_frames", header->keep_frames));
    if (indices.len != 0)
        message_put(writing, profile, 11, &indices);
    gate_buf_free(&list);
    gate_buf_free(&indices);
}

static void profile_put(struct writing *writing, struct gate_buf *scope, uint32_t column,
                        const struct gate_str *contexts) {
    const struct gate_builder_header *header = &writing->builder->header;
    struct gate_buf profile = {0};
    char id[8 * PROFILE_ID_WORDS];
    type_put(writing, &profile, 1, writing->builder->types[column]);
    samples_put(writing, &profile, column, contexts);
    if (header->time_ns != 0)
        fixed_put(&profile, 3, (uint64_t)header->time_ns);
    gate_wire_put_number(&profile, 4, (uint64_t)header->duration_ns);
    if (header->period_type.type.len != 0 || header->period_type.unit.len != 0)
        type_put(writing, &profile, 5, header->period_type);
    gate_wire_put_number(&profile, 6, (uint64_t)header->period);
    for (int i = 0; i < PROFILE_ID_WORDS; i++) {
        uint64_t word = gate_hash_bytes(profile.ptr, profile.len, id_keys[i]);
        for (int j = 0; j < 8; j++)
            id[8 * i + j] = (char)(word >> 8 * j & 0xFF);
    }
    gate_wire_put_bytes(&profile, 7, (struct gate_str){id, sizeof id});
    attributes_put(writing, &profile);
    message_put(writing, scope, 2, &profile);
    gate_buf_free(&profile);
}

/* Append an attribute of the scope. It contains its key instead of an index. */
static void scope_pair_put(struct writing *writing, struct gate_buf *scope, const char *key) {
    gate_wire_put_bytes(&writing->message, 1, gate_str_from(key));
    message_put(writing, &writing->message, 2, &writing->part);
    message_put(writing, scope, 3, &writing->message);
}

static void scope_put(struct writing *writing, struct gate_buf *out) {
    const struct gate_builder *builder = writing->builder;
    struct gate_buf scope = {0}, list = {0};
    uint64_t order = 0;
    gate_wire_put_bytes(&scope, 1, GATE_STR("pprofgate"));
    for (uint32_t i = 0; i < builder->type_count; i++) {
        if (builder->type_dropped[i])
            continue;
        number_value_put(&writing->part, order++);
        message_put(writing, &list, 1, &writing->part);
    }
    message_put(writing, &writing->part, 5, &list);
    scope_pair_put(writing, &scope, "pprof.scope.sample_type_order");
    if (builder->header.default_sample_type.len != 0) {
        text_value_put(&writing->part, builder->header.default_sample_type);
        scope_pair_put(writing, &scope, "pprof.scope.default_sample_type");
    }
    message_put(writing, out, 1, &scope);
    gate_buf_free(&scope);
    gate_buf_free(&list);
}

static void mappings_put(struct writing *writing) {
    const struct gate_builder *builder = writing->builder;
    gate_wire_put_bytes(&writing->dictionary, 1, GATE_STR(""));
    for (uint32_t i = 0; i < builder->mapping_keys.count; i++) {
        const struct gate_mapping *mapping = &builder->mappings[i].mapping;
        uint64_t build_id = mapping->build_id.len == 0
                                ? 0
                                : text_attribute(writing, "process.executable.build_id.gnu", mapping->build_id);
        uint64_t file = text_index(writing, mapping->file);
        gate_wire_put_number(&writing->message, 1, mapping->start);
        gate_wire_put_number(&writing->message, 2, mapping->limit);
        gate_wire_put_number(&writing->message, 3, mapping->offset);
        gate_wire_put_number(&writing->message, 4, file);
        if (build_id != 0) {
            gate_wire_put_varint(&writing->part, build_id);
            message_put(writing, &writing->message, 5, &writing->part);
        }
        message_put(writing, &writing->dictionary, 1, &writing->message);
    }
}

/* Append a table of the builder's messages. OTLP's field numbers of functions and locations are pprof's minus 1, as
 * they have no id. */
static void shifted_put(struct writing *writing, uint32_t field, const struct gate_table *table) {
    gate_wire_put_bytes(&writing->dictionary, field, GATE_STR(""));
    for (uint32_t i = 0; i < table->count; i++) {
        struct gate_wire wire = gate_wire_of(table->keys[i]);
        struct gate_wire_field part;
        while (gate_wire_next(&wire, &part)) {
            if (part.type == GATE_WIRE_BYTES)
                gate_wire_put_bytes(&writing->message, part.number - 1, gate_wire_view(part.bytes));
            else
                gate_wire_put_number(&writing->message, part.number - 1, part.value);
        }
        message_put(writing, &writing->dictionary, field, &writing->message);
    }
}

static void table_put(struct writing *writing, uint32_t field, const struct gate_table *table) {
    gate_wire_put_bytes(&writing->dictionary, field, GATE_STR(""));
    for (uint32_t i = 0; i < table->count; i++)
        gate_wire_put_bytes(&writing->dictionary, field, table->keys[i]);
}

static void dictionary_put(struct writing *writing) {
    mappings_put(writing);
    shifted_put(writing, 2, &writing->builder->locations);
    shifted_put(writing, 3, &writing->builder->functions);
    gate_wire_put_bytes(&writing->dictionary, 4, GATE_STR(""));
    table_put(writing, 6, &writing->attributes);
    table_put(writing, 7, &writing->stacks);
    for (uint32_t i = 0; i < writing->builder->strings.count; i++)
        gate_wire_put_bytes(&writing->dictionary, 5, writing->builder->strings.keys[i]);
    for (uint32_t i = 0; i < writing->added.count; i++)
        gate_wire_put_bytes(&writing->dictionary, 5, writing->added.keys[i]);
    message_put(writing, writing->out, 2, &writing->dictionary);
}

/* Append a ProfilesData message: a dictionary, and one profile per sample type, each with all samples in their
 * order. Labels become attributes of samples; build ids become process.executable.build_id.gnu. What OTLP has no
 * field for is stored in attributes by OpenTelemetry's conventions: pprof.profile.comment, drop_frames and
 * keep_frames, pprof.scope.sample_type_order and default_sample_type. A profile's id is a hash of its contents.
 *
 * err   GATE_ERR_LIMIT: memory is exhausted
 *
 * O(samples * (sample types + labels)). Memory: a fork of the builder's arena, while writing. */
static bool otlp_write(struct gate_buf *out, const struct gate_builder *builder, struct gate_error *err) {
    struct writing writing = {.out = out, .builder = builder};
    struct gate_buf scope = {0}, resource = {0};
    if (builder->is_full)
        return gate_arena_error(builder->arena, err);
    gate_arena_fork(&writing.arena, builder->arena);
    gate_table_init(&writing.added, &writing.arena);
    gate_table_init(&writing.stacks, &writing.arena);
    gate_table_init(&writing.attributes, &writing.arena);
    const struct gate_str *contexts = contexts_make(&writing);
    scope_put(&writing, &scope);
    for (uint32_t i = 0; contexts != NULL && i < builder->type_count; i++)
        if (!builder->type_dropped[i])
            profile_put(&writing, &scope, i, contexts);
    message_put(&writing, &resource, 2, &scope);
    message_put(&writing, out, 1, &resource);
    dictionary_put(&writing);
    struct gate_buf *bufs[] = {&scope, &resource, &writing.dictionary, &writing.message, &writing.part};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gate_buf_free(bufs[i]);
    bool ok = writing.arena.is_refused ? gate_arena_error(&writing.arena, err) : gate_buf_check(out, err);
    gate_arena_free(&writing.arena);
    return ok;
}

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
    gate_builder_init(&merge->builder, arena);
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
    for (uint32_t i = 0; i < profile->comment_count; i++)
        gate_builder_comment(builder, profile->comments[i]);
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
        /* modulo 2^64, so the second profile may be loaded at a lower address */
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
    adding->lines = GATE_NEW_ARRAY(scratch, struct gate_builder_line, (size_t)profile->most_lines + 1);
    adding->labels = GATE_NEW_ARRAY(scratch, struct gate_label, (size_t)profile->max_labels + 2);
    adding->location_ids = GATE_NEW_ARRAY(scratch, uint64_t, profile->location_count);
    adding->function_ids = GATE_NEW_ARRAY(scratch, uint64_t, profile->function_count);
    adding->stack = GATE_NEW_ARRAY(scratch, uint64_t, (size_t)profile->max_depth + 1);
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
    bool ok = otlp_write(&plain, &merge->builder, err) && gate_packing_put(&packing, gate_buf_view(&plain), err) &&
              gate_packing_end(&packing, err);
    gate_packing_free(&packing);
    gate_buf_free(&plain);
    return ok;
}
