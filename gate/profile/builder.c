/* SPDX-License-Identifier: Apache-2.0 */
/* Building a profile (see builder.h). */
#include "gate/profile/builder.h"

#include "gate/profile/stack_tree_values.h"
#include "gate/profile/wire.h"

enum { PAGE_BYTES = 0x1000 };

void gate_builder_init(struct gate_builder *builder, struct gate_arena *arena) {
    *builder = (struct gate_builder){.arena = arena};
    gate_table_init(&builder->strings, arena);
    gate_table_init(&builder->mapping_keys, arena);
    gate_table_init(&builder->functions, arena);
    gate_table_init(&builder->locations, arena);
    gate_stack_tree_init(&builder->samples, arena);
    gate_table_init(&builder->comments, arena);
    builder->is_full = gate_table_intern(&builder->strings, GATE_STR("")) == GATE_TABLE_NONE;
}

void gate_builder_free(struct gate_builder *builder) {
    gate_buf_free(&builder->scratch);
    gate_stack_tree_free(&builder->samples);
}

/* Index of the interned bytes; sets is_full when there is no room. */
static uint32_t builder_intern(struct gate_builder *builder, struct gate_table *table, struct gate_str key) {
    uint32_t index = builder->is_full ? GATE_TABLE_NONE : gate_table_intern_copy(table, key);
    builder->is_full |= index == GATE_TABLE_NONE;
    return index;
}

static uint64_t builder_string(struct gate_builder *builder, struct gate_str text) {
    uint32_t index = builder_intern(builder, &builder->strings, text);
    return index == GATE_TABLE_NONE ? 0 : index;
}

/* Intern what the scratch buffer holds; the id is the index + 1, 0 when there is no room. */
static uint64_t scratch_intern(struct gate_builder *builder, struct gate_table *table) {
    builder->is_full |= builder->scratch.failed;
    uint32_t index = builder_intern(builder, table, gate_buf_view(&builder->scratch));
    return index == GATE_TABLE_NONE ? 0 : (uint64_t)index + 1;
}

void gate_builder_type(struct gate_builder *builder, struct gate_str type, struct gate_str unit) {
    GATE_ASSERT(builder->type_count < GATE_VALUES_MAX && builder->samples.count == 0);
    struct gate_str copies[2] = {gate_str_copy(builder->arena, type), gate_str_copy(builder->arena, unit)};
    builder->is_full |= copies[0].ptr == NULL || copies[1].ptr == NULL;
    if (!builder->is_full)
        builder->types[builder->type_count++] = (struct gate_value_type){copies[0], copies[1]};
}

void gate_builder_comment(struct gate_builder *builder, struct gate_str text) {
    (void)builder_intern(builder, &builder->comments, text);
}

uint64_t gate_builder_mapping(struct gate_builder *builder, const struct gate_mapping *mapping, uint64_t *start) {
    uint64_t size = mapping->limit - mapping->start;
    struct gate_buf *key = &builder->scratch;
    key->len = 0;
    gate_wire_put_number(key, 1, (size + PAGE_BYTES - 1) / PAGE_BYTES);
    gate_wire_put_number(key, 2, mapping->offset);
    gate_wire_put_bytes(key, 3, mapping->build_id.len != 0 ? mapping->build_id : mapping->file);
    uint32_t known = builder->mapping_keys.count;
    uint64_t id = scratch_intern(builder, &builder->mapping_keys);
    *start = mapping->start;
    if (id == 0)
        return 0;
    if (id <= known) {
        *start = builder->mappings[id - 1].mapping.start;
        return id;
    }
    struct gate_builder_mapping *grown =
        gate_arena_grow(builder->arena, builder->mappings, known, &builder->mapping_capacity, sizeof *grown);
    struct gate_builder_mapping added = {.mapping = *mapping};
    added.mapping.file = gate_str_copy(builder->arena, mapping->file);
    added.mapping.build_id = gate_str_copy(builder->arena, mapping->build_id);
    builder->is_full |= grown == NULL || added.mapping.file.ptr == NULL || added.mapping.build_id.ptr == NULL;
    if (builder->is_full)
        return 0;
    builder->mappings = grown;
    builder->mappings[known] = added;
    return id;
}

uint64_t gate_builder_function(struct gate_builder *builder, const struct gate_function *function) {
    uint64_t name = builder_string(builder, function->name);
    uint64_t system_name = builder_string(builder, function->system_name);
    uint64_t file = builder_string(builder, function->file);
    struct gate_buf *body = &builder->scratch;
    body->len = 0;
    gate_wire_put_number(body, 2, name);
    gate_wire_put_number(body, 3, system_name);
    gate_wire_put_number(body, 4, file);
    gate_wire_put_number(body, 5, (uint64_t)function->start_line);
    return scratch_intern(builder, &builder->functions);
}

static size_t varint_len(uint64_t value) {
    size_t len = 1;
    while (value >= 0x80) {
        value >>= 7;
        len++;
    }
    return len;
}

/* Bytes that gate_wire_put_number writes for a field number below 16. */
static size_t number_len(uint64_t value) {
    return value == 0 ? 0 : 1 + varint_len(value);
}

uint64_t gate_builder_location(struct gate_builder *builder, uint64_t mapping, uint64_t address,
                               const struct gate_builder_line *lines, uint32_t line_count) {
    struct gate_buf *body = &builder->scratch;
    body->len = 0;
    gate_wire_put_number(body, 2, mapping);
    gate_wire_put_number(body, 3, address);
    for (uint32_t i = 0; i < line_count; i++) {
        size_t len = number_len(lines[i].function) + number_len((uint64_t)lines[i].line) + number_len(lines[i].column);
        gate_wire_put_varint(body, 4 << 3 | GATE_WIRE_BYTES);
        gate_wire_put_varint(body, len);
        gate_wire_put_number(body, 1, lines[i].function);
        gate_wire_put_number(body, 2, (uint64_t)lines[i].line);
        gate_wire_put_number(body, 3, lines[i].column);
    }
    if (mapping != 0 && mapping <= builder->mapping_keys.count && !builder->is_full)
        builder->mappings[mapping - 1].has_lines |= line_count != 0;
    return scratch_intern(builder, &builder->locations);
}

uint64_t gate_builder_frame(struct gate_builder *builder, struct gate_str name, struct gate_str file, int64_t line) {
    struct gate_function function = {.name = name, .system_name = name, .file = file};
    struct gate_builder_line at = {gate_builder_function(builder, &function), line, 0};
    return at.function == 0 ? 0 : gate_builder_location(builder, 0, 0, &at, 1);
}

/* A sample's labels in the order of their keys' first use; NULL when there is no room. */
static struct gate_builder_order *labels_order(struct gate_builder *builder, const struct gate_builder_sample *sample) {
    while (builder->order_capacity < sample->label_count) {
        struct gate_builder_order *grown = gate_arena_grow(builder->arena, builder->order, builder->order_capacity,
                                                           &builder->order_capacity, sizeof *grown);
        if (grown == NULL) {
            builder->is_full = true;
            return NULL;
        }
        builder->order = grown;
    }
    for (uint32_t i = 0; i < sample->label_count; i++) {
        uint64_t key = builder_string(builder, sample->labels[i].key);
        uint32_t at = i;
        for (; at > 0 && builder->order[at - 1].key > key; at--)
            builder->order[at] = builder->order[at - 1];
        builder->order[at] = (struct gate_builder_order){key, i};
    }
    return builder->order;
}

/* Encoded labels, so that equal sets are equal bytes. */
static void labels_put(struct gate_builder *builder, const struct gate_builder_sample *sample) {
    const struct gate_builder_order *order = labels_order(builder, sample);
    for (uint32_t i = 0; order != NULL && i < sample->label_count; i++) {
        const struct gate_label *label = &sample->labels[order[i].label];
        bool is_text = label->text.ptr != NULL;
        uint64_t text = is_text ? builder_string(builder, label->text) : 0;
        uint64_t unit = is_text ? 0 : builder_string(builder, label->unit);
        uint64_t number = is_text ? 0 : (uint64_t)label->number;
        size_t len = number_len(order[i].key) + number_len(text) + number_len(number) + number_len(unit);
        gate_wire_put_varint(&builder->scratch, 3 << 3 | GATE_WIRE_BYTES);
        gate_wire_put_varint(&builder->scratch, len);
        gate_wire_put_number(&builder->scratch, 1, order[i].key);
        gate_wire_put_number(&builder->scratch, 2, text);
        gate_wire_put_number(&builder->scratch, 3, number);
        gate_wire_put_number(&builder->scratch, 4, unit);
    }
}

static bool builder_full(const struct gate_builder *builder, struct gate_error *err) {
    if (builder->samples.is_at_end)
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "the sum has more distinct stacks than 4 GiB hold; add up fewer profiles at a time");
    return gate_arena_error(builder->arena, err);
}

static bool values_add(struct gate_builder *builder, uint32_t place, const int64_t *values, struct gate_error *err) {
    struct gate_stack_tree *samples = &builder->samples;
    for (uint32_t i = 0; i < builder->type_count; i++) {
        int64_t value = 0;
        if (__builtin_add_overflow(gate_stack_tree_value(samples, place, i), values[i], &value))
            return gate_error_set(err, GATE_ERR_OVERFLOW,
                                  "the values of sample type '%.*s' add up to more than 64 bits can hold",
                                  GATE_STR_ARG(builder->types[i].type));
        builder->is_full = !gate_stack_tree_set(samples, place, i, value);
        if (builder->is_full)
            return builder_full(builder, err);
    }
    return true;
}

bool gate_builder_settle(struct gate_builder *builder, struct gate_error *err) {
    struct gate_stack_tree *samples = &builder->samples;
    uint32_t count = samples->walk_count;
    if (count > 1)
        gate_stack_tree_meet(samples);
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        uint32_t place = gate_stack_tree_take(samples, i);
        builder->is_full = place == 0;
        ok = builder->is_full ? builder_full(builder, err) : values_add(builder, place, builder->queued[i], err);
    }
    samples->walk_count = 0;
    return ok;
}

bool gate_builder_queue(struct gate_builder *builder, const struct gate_builder_sample *sample,
                        struct gate_error *err) {
    struct gate_stack_tree *samples = &builder->samples;
    builder->scratch.len = 0;
    labels_put(builder, sample);
    builder->is_full |= builder->scratch.failed;
    struct gate_str labels = gate_buf_view(&builder->scratch);
    int64_t *values = builder->queued[samples->walk_count];
    builder->is_full = builder->is_full ||
                       !gate_stack_tree_queue(samples, sample->locations, sample->depth, labels, builder->type_count);
    if (builder->is_full)
        return builder_full(builder, err);
    for (uint32_t i = 0; i < builder->type_count; i++)
        values[i] = sample->values[i];
    return samples->walk_count < GATE_STACK_WALKS || gate_builder_settle(builder, err);
}

bool gate_builder_sample(struct gate_builder *builder, const struct gate_builder_sample *sample,
                         struct gate_error *err) {
    return gate_builder_queue(builder, sample, err) && gate_builder_settle(builder, err);
}
