/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a profile as OTLP. The builder's ids of locations, functions and mappings count from 1, and entry 0 of each
 * table is empty, so ids are used as indices. */
#include "gate/formats/otlp_write.h"

#include "gate/base/hash.h"
#include "gate/formats/builder.h"
#include "gate/model/wire.h"

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
    return gate_builder_string_index(writing->builder, &writing->added, text, &writing->out->failed);
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
    struct gate_str *contexts = GATE_NEW_ARRAY(&writing->arena, struct gate_str, samples->count);
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
    gate_buf_free_part(writing->out, &indices);
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

bool gate_otlp_write(struct gate_buf *out, const struct gate_builder *builder, struct gate_error *err) {
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
