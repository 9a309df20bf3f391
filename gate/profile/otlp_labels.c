/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes to labels (see otlp_labels.h). */
#include "gate/profile/otlp_labels.h"

enum { UNITS_MAX = 256 }; /* each label looks for its unit; no producer has more than a few */

/* AnyValue: the field number says of what kind. */
enum { TEXT = 1, BOOL = 2, INTEGER = 3, DOUBLE = 4, LIST = 5, BYTES = 7, TEXT_INDEX = 8 };

bool gate_otlp_labels_init(struct gate_otlp_labels *out, const struct gate_limits *limits, struct gate_arena *arena,
                           struct gate_error *err) {
    *out = (struct gate_otlp_labels){.limit = limits->labels, .arena = arena};
    out->items = gate_arena_alloc(arena, ((size_t)limits->labels + 1) * sizeof *out->items);
    return out->items != NULL || gate_arena_error(arena, err);
}

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
    static const char digits[] = "0123456789abcdef";
    size_t len = gate_wire_left(&bytes);
    char *text = gate_arena_alloc(arena, 2 * len + 1);
    for (size_t i = 0; text != NULL && i < len; i++) {
        text[2 * i] = digits[bytes.at[i] >> 4];
        text[2 * i + 1] = digits[bytes.at[i] & 0xF];
    }
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

/* One value that is not a list. */
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
        return gate_otlp_text(&text, tables, field->value, err) && text_push(labels, label->key, text, err);
    default:
        return true; /* maps, and what later versions may add */
    }
}

/* `label` has the key and the unit; `wire` is an AnyValue. */
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

/* The unit of a key, which versions with slices keep in a table of their own. */
static bool unit_find(struct gate_str *out, const struct gate_otlp_tables *tables, struct gate_str key,
                      struct gate_error *err) {
    for (uint32_t i = 0; i < tables->counts[GATE_OTLP_STACKS] && i < UNITS_MAX; i++) {
        struct gate_wire wire = tables->items[GATE_OTLP_STACKS][i];
        struct gate_wire_field field;
        uint64_t indices[3] = {0};
        struct gate_str name = GATE_STR("");
        while (gate_wire_next(&wire, &field))
            indices[field.number < 3 ? field.number : 0] = field.value;
        if (!gate_otlp_text(&name, tables, indices[1], err))
            return false;
        if (gate_str_equal(name, key))
            return gate_otlp_text(out, tables, indices[2], err);
    }
    return true;
}

bool gate_otlp_labels_pair(struct gate_otlp_labels *labels, const struct gate_otlp_tables *tables,
                           struct gate_wire pair, struct gate_error *err) {
    struct gate_label label = {.key = GATE_STR(""), .unit = GATE_STR("")};
    struct gate_wire value = {0};
    struct gate_wire_field field;
    while (gate_wire_next(&pair, &field)) {
        bool is_index = field.type == GATE_WIRE_VARINT; /* into the table of strings; units have only that */
        if (field.number == 1 && field.type == GATE_WIRE_BYTES)
            label.key = gate_wire_view(field.bytes);
        else if (field.number == 2)
            value = field.bytes;
        else if (field.number == 1 && is_index && !gate_otlp_text(&label.key, tables, field.value, err))
            return false;
        else if (field.number == 3 && is_index &&
                 !gate_otlp_text(label.key.len == 0 ? &label.key : &label.unit, tables, field.value, err))
            return false; /* a pair that has no key yet names it by index here; an entry of a table has its unit */
    }
    if (gate_wire_left(&pair) != 0)
        return gate_otlp_malformed("an attribute", err);
    return label.key.len == 0 || any_push(labels, tables, &label, value, err);
}

bool gate_otlp_labels_add(struct gate_otlp_labels *labels, const struct gate_otlp_tables *tables,
                          const struct gate_otlp_layout *layout, uint64_t index, struct gate_error *err) {
    struct gate_wire pair = {0};
    uint32_t first = labels->count;
    if (index == 0 && layout->version >= GATE_OTLP_1_8)
        return true;
    if (!gate_otlp_entry(&pair, tables, GATE_OTLP_ATTRIBUTES, index, err) ||
        !gate_otlp_labels_pair(labels, tables, pair, err))
        return false;
    for (uint32_t i = first; i < labels->count && layout->version < GATE_OTLP_1_8; i++)
        if (!unit_find(&labels->items[i].unit, tables, labels->items[i].key, err))
            return false;
    return true;
}

bool gate_otlp_labels_link(struct gate_otlp_labels *labels, const struct gate_otlp_tables *tables, uint64_t index,
                           struct gate_error *err) {
    static const char *const names[] = {NULL, "trace_id", "span_id"};
    struct gate_wire wire = {0};
    struct gate_wire_field field;
    if (index == 0 && tables->counts[GATE_OTLP_LINKS] == 0)
        return true;
    if (!gate_otlp_entry(&wire, tables, GATE_OTLP_LINKS, index, err))
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
