/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/formats/pprof_write.h"

#include "gate/base/buf.h"
#include "gate/formats/builder.h"
#include "gate/formats/deflate.h"
#include "gate/model/profile.h"
#include "gate/model/wire.h"

/* ---- pprof bytes of a builder. Samples come first, as in google/pprof -------------------------------------------- */

/* State of writing. `added` are strings after the builder's, which the header needs. */
struct writing {
    struct gate_buf *out;
    struct gate_packing *packing; /* `out` is its plain buffer; NULL: no compression */
    struct gate_error *err;       /* for errors of `packing` */
    bool is_stopped;              /* writing stopped because of such an error */
    const struct gate_builder *builder;
    struct gate_table added;
    struct gate_arena arena;
    struct gate_buf message;
};

static uint64_t writing_string(struct writing *writing, struct gate_str text) {
    return gate_builder_string_index(writing->builder, &writing->added, text, &writing->out->failed);
}

static void message_end(struct writing *writing, uint32_t field) {
    writing->out->failed |= writing->message.failed;
    gate_wire_put_bytes(writing->out, field, gate_buf_view(&writing->message));
    writing->message.len = 0;
    if (writing->packing != NULL && writing->out->len >= writing->packing->part_bytes && !writing->is_stopped)
        writing->is_stopped = !gate_packing_flush(writing->packing, writing->err);
}

static void string_put(struct writing *writing, struct gate_str text) {
    gate_buf_str(&writing->message, text);
    message_end(writing, 6);
}

static void value_type_put(struct writing *writing, uint32_t field, struct gate_value_type type) {
    uint64_t name = writing_string(writing, type.type);
    uint64_t unit = writing_string(writing, type.unit);
    gate_wire_put_number(&writing->message, 1, name);
    gate_wire_put_number(&writing->message, 2, unit);
    message_end(writing, field);
}

static void samples_put(struct writing *writing) {
    const struct gate_builder *builder = writing->builder;
    const struct gate_stack_tree *samples = &builder->samples;
    struct gate_buf packed = {0}, key = {0};
    for (uint32_t at = gate_stack_tree_first(samples); at != 0; at = gate_stack_tree_next(samples, at)) {
        bool is_zero = true;
        packed.len = 0;
        for (uint32_t i = 0; i < builder->type_count; i++) {
            if (builder->type_dropped[i])
                continue;
            int64_t value = gate_stack_tree_value(samples, at, i);
            is_zero &= value == 0;
            gate_wire_put_varint(&packed, (uint64_t)value);
        }
        if (is_zero)
            continue;
        gate_stack_tree_put(&writing->message, &key, samples, at);
        gate_wire_put_bytes(&writing->message, 2, gate_buf_view(&packed));
        message_end(writing, 2);
    }
    gate_buf_free_part(writing->out, &packed);
    gate_buf_free_part(writing->out, &key);
}

static void mappings_put(struct writing *writing) {
    const struct gate_builder *builder = writing->builder;
    for (uint32_t i = 0; i < builder->mapping_keys.count; i++) {
        const struct gate_mapping *mapping = &builder->mappings[i].mapping;
        uint64_t file = writing_string(writing, mapping->file);
        uint64_t build_id = writing_string(writing, mapping->build_id);
        gate_wire_put_number(&writing->message, 1, (uint64_t)i + 1);
        gate_wire_put_number(&writing->message, 2, mapping->start);
        gate_wire_put_number(&writing->message, 3, mapping->limit);
        gate_wire_put_number(&writing->message, 4, mapping->offset);
        gate_wire_put_number(&writing->message, 5, file);
        gate_wire_put_number(&writing->message, 6, build_id);
        /* has functions, files, lines: tells pprof not to look for symbols */
        for (uint32_t flag = 7; flag <= 9; flag++)
            gate_wire_put_number(&writing->message, flag, builder->mappings[i].has_lines);
        message_end(writing, 3);
    }
}

static void numbered_put(struct writing *writing, uint32_t field, const struct gate_table *table) {
    for (uint32_t i = 0; i < table->count; i++) {
        gate_wire_put_number(&writing->message, 1, (uint64_t)i + 1);
        gate_buf_str(&writing->message, table->keys[i]);
        message_end(writing, field);
    }
}

static void header_put(struct writing *writing) {
    const struct gate_builder_header *header = &writing->builder->header;
    uint64_t drop = writing_string(writing, header->drop_frames);
    uint64_t keep = writing_string(writing, header->keep_frames);
    uint64_t default_type = writing_string(writing, header->default_sample_type);
    gate_wire_put_number(writing->out, 7, drop);
    gate_wire_put_number(writing->out, 8, keep);
    gate_wire_put_number(writing->out, 9, (uint64_t)header->time_ns);
    gate_wire_put_number(writing->out, 10, (uint64_t)header->duration_ns);
    if (header->period_type.type.len != 0 || header->period_type.unit.len != 0)
        value_type_put(writing, 11, header->period_type);
    gate_wire_put_number(writing->out, 12, (uint64_t)header->period);
    for (uint32_t i = 0; i < writing->builder->comments.count; i++) {
        gate_wire_put_varint(writing->out, 13 << 3 | GATE_WIRE_VARINT);
        gate_wire_put_varint(writing->out, writing_string(writing, writing->builder->comments.keys[i]));
    }
    gate_wire_put_number(writing->out, 14, default_type);
}

static bool builder_put(struct writing *writing, struct gate_error *err) {
    const struct gate_builder *builder = writing->builder;
    GATE_ASSERT(builder->is_full || builder->samples.walk_count == 0);
    if (builder->is_full)
        return gate_arena_error(builder->arena, err);
    gate_arena_fork(&writing->arena, builder->arena);
    gate_table_init(&writing->added, &writing->arena);
    /* the order of fields is free, but strings are indexed by their order */
    const uint32_t first = builder->header.is_marked ? 2 : 0;
    for (uint32_t i = 0; i < first; i++)
        string_put(writing, builder->strings.keys[i]);
    for (uint32_t i = 0; i < builder->type_count; i++)
        if (!builder->type_dropped[i])
            value_type_put(writing, 1, builder->types[i]);
    samples_put(writing);
    mappings_put(writing);
    numbered_put(writing, 4, &builder->locations);
    numbered_put(writing, 5, &builder->functions);
    header_put(writing);
    for (uint32_t i = first; i < builder->strings.count; i++)
        string_put(writing, builder->strings.keys[i]);
    for (uint32_t i = 0; i < writing->added.count; i++)
        string_put(writing, writing->added.keys[i]);
    gate_buf_free(&writing->message);
    bool ok = !writing->is_stopped &&
              (writing->arena.is_refused ? gate_arena_error(&writing->arena, err) : gate_buf_check(writing->out, err));
    gate_arena_free(&writing->arena);
    return ok;
}

bool gate_builder_write(struct gate_buf *out, const struct gate_builder *builder, struct gate_error *err) {
    struct writing writing = {.out = out, .builder = builder};
    return builder_put(&writing, err);
}

bool gate_builder_pack(struct gate_sink to, const struct gate_builder *builder, enum gate_container container,
                       struct gate_error *err) {
    struct gate_packing packing;
    gate_packing_begin(&packing, container, to);
    struct writing writing = {.out = &packing.plain, .packing = &packing, .err = err, .builder = builder};
    bool ok = builder_put(&writing, err) && gate_packing_end(&packing, err);
    gate_packing_free(&packing);
    return ok;
}
