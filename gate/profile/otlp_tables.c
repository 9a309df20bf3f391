/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of OTLP, by index (see otlp_tables.h). */
#include "gate/profile/otlp_tables.h"

const uint32_t gate_otlp_in_dictionary[GATE_OTLP_TABLES] = {
    [GATE_OTLP_MAPPINGS] = 1, [GATE_OTLP_LOCATIONS] = 2,  [GATE_OTLP_FUNCTIONS] = 3, [GATE_OTLP_LINKS] = 4,
    [GATE_OTLP_STRINGS] = 5,  [GATE_OTLP_ATTRIBUTES] = 6, [GATE_OTLP_STACKS] = 7};
const uint32_t gate_otlp_in_profile[GATE_OTLP_TABLES] = {
    [GATE_OTLP_MAPPINGS] = 3, [GATE_OTLP_LOCATIONS] = 4,  [GATE_OTLP_FUNCTIONS] = 6, [GATE_OTLP_LINKS] = 9,
    [GATE_OTLP_STRINGS] = 10, [GATE_OTLP_ATTRIBUTES] = 7, [GATE_OTLP_STACKS] = 8};

static const char *const names[GATE_OTLP_TABLES] = {
    [GATE_OTLP_MAPPINGS] = "mapping", [GATE_OTLP_LOCATIONS] = "location", [GATE_OTLP_FUNCTIONS] = "function",
    [GATE_OTLP_LINKS] = "link",       [GATE_OTLP_STRINGS] = "string",     [GATE_OTLP_ATTRIBUTES] = "attribute",
    [GATE_OTLP_STACKS] = "stack"};

bool gate_otlp_malformed(const char *what, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_FORMAT, "an OTLP profile, but %s is malformed or cut", what);
}

/* The table of a field number, or GATE_OTLP_TABLES. */
static uint32_t table_of(const uint32_t *numbers, const struct gate_wire_field *field) {
    uint32_t table = 0;
    while (table < GATE_OTLP_TABLES && numbers[table] != field->number)
        table++;
    return field->type == GATE_WIRE_BYTES ? table : GATE_OTLP_TABLES;
}

bool gate_otlp_tables_read(struct gate_otlp_tables *out, struct gate_wire message, const uint32_t *numbers,
                           struct gate_arena *arena, struct gate_error *err) {
    struct gate_wire_field field;
    struct gate_wire wire = message;
    uint32_t filled[GATE_OTLP_TABLES] = {0};
    *out = (struct gate_otlp_tables){0};
    while (gate_wire_next(&wire, &field)) {
        uint32_t table = table_of(numbers, &field);
        if (table == GATE_OTLP_TABLES)
            continue;
        if (++out->counts[table] == UINT32_MAX)
            return gate_error_set(err, GATE_ERR_LIMIT, "more than 4 294 967 294 entries in a table");
    }
    if (gate_wire_left(&wire) != 0)
        return gate_otlp_malformed("its dictionary", err);
    for (uint32_t i = 0; i < GATE_OTLP_TABLES; i++) {
        out->items[i] = GATE_NEW_ARRAY(arena, struct gate_wire, (size_t)out->counts[i] + 1);
        if (out->items[i] == NULL)
            return gate_arena_error(arena, err);
    }
    while (gate_wire_next(&message, &field)) {
        uint32_t table = table_of(numbers, &field);
        if (table < GATE_OTLP_TABLES)
            out->items[table][filled[table]++] = field.bytes;
    }
    return true;
}

bool gate_otlp_entry(struct gate_wire *out, const struct gate_otlp_tables *tables, enum gate_otlp_table table,
                     uint64_t index, struct gate_error *err) {
    if (index >= tables->counts[table])
        return gate_error_set(err, GATE_ERR_FORMAT, "an OTLP profile refers to %s %lld, but its table holds %u",
                              names[table], (long long)index, tables->counts[table]);
    *out = tables->items[table][index];
    return true;
}

bool gate_otlp_text(struct gate_str *out, const struct gate_otlp_tables *tables, uint64_t index,
                    struct gate_error *err) {
    struct gate_wire text = {0};
    *out = GATE_STR("");
    if (index == 0)
        return true;
    if (!gate_otlp_entry(&text, tables, GATE_OTLP_STRINGS, index, err))
        return false;
    *out = gate_wire_view(text);
    return true;
}
