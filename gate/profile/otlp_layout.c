/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of OTLP profiles, told apart (see otlp_layout.h). */
#include "gate/profile/otlp_layout.h"

enum { PROFILE_ID_BYTES = 16 };

static const struct gate_otlp_layout layouts[] = {
    [GATE_OTLP_1_4] = {GATE_OTLP_1_4, {5, 11, 12, 13, 14, 15, 16, 22}, {1, 2, 3, 4, 5, 6}},
    [GATE_OTLP_1_7] = {GATE_OTLP_1_7, {3, 4, 5, 6, 7, 8, 9, 14}, {1, 2, 3, 4, 5, 6}},
    [GATE_OTLP_1_8] = {GATE_OTLP_1_8, {0, 3, 4, 5, 6, 7, 0, 12}, {1, 0, 2, 3, 4, 5}},
    [GATE_OTLP_1_9] = {GATE_OTLP_1_9, {0, 3, 4, 5, 6, 0, 0, 11}, {1, 0, 4, 2, 3, 5}},
};

/* What is known of a file with stacks. */
struct evidence {
    const struct gate_otlp_tables *tables;
    bool fits[2];    /* 1.8, 1.9: every reference of every sample resolves */
    bool is_1_8;     /* a profile has what only 1.8 has */
    bool is_1_9;     /* or only 1.9 */
    bool has_slices; /* a profile has a list of locations, as 1.7 does */
};

/* Whether every number of the field is an index of the table. */
static bool indices_fit(struct gate_wire_field field, uint32_t count) {
    uint64_t index = 0;
    while (gate_otlp_number_next(&field, &index))
        if (index >= count)
            return false;
    return field.type == GATE_WIRE_BYTES && gate_wire_left(&field.bytes) == 0;
}

static uint32_t numbers_count(struct gate_wire_field field) {
    uint32_t count = 0;
    uint64_t value = 0;
    while (gate_otlp_number_next(&field, &value))
        count++;
    return count;
}

static uint32_t times_count(const struct gate_wire_field *field) {
    return field->type == GATE_WIRE_FIXED64 ? 1 : (uint32_t)(gate_wire_left(&field->bytes) / 8);
}

/* A sample has values or times, and where it has both, a value for each time. */
static bool sample_fits(struct gate_wire sample, const struct gate_otlp_layout *layout,
                        const struct gate_otlp_tables *tables) {
    struct gate_wire_field field;
    uint32_t values = 0, times = 0;
    while (gate_wire_next(&sample, &field)) {
        bool is_link = field.number == layout->sample.link;
        if (field.number == layout->sample.values)
            values += numbers_count(field);
        else if (field.number == layout->sample.times)
            times += times_count(&field);
        else if (field.number == layout->sample.attributes) {
            if (!indices_fit(field, tables->counts[GATE_OTLP_ATTRIBUTES]))
                return false;
        } else if (is_link && (field.type != GATE_WIRE_VARINT ||
                               (field.value != 0 && field.value >= tables->counts[GATE_OTLP_LINKS])))
            return false;
    }
    return values == 0 ? times != 0 : times == 0 || times == values;
}

static void profile_look(struct evidence *evidence, struct gate_wire profile) {
    struct gate_wire_field field;
    bool id_at_7 = false, id_at_8 = false;
    while (gate_wire_next(&profile, &field)) {
        bool is_bytes = field.type == GATE_WIRE_BYTES;
        evidence->has_slices |= field.number == 3 && field.type != GATE_WIRE_FIXED64;
        id_at_7 |= field.number == 7 && is_bytes && gate_wire_left(&field.bytes) == PROFILE_ID_BYTES;
        id_at_8 |= field.number == 8 && is_bytes;
        evidence->is_1_8 |= field.number == 12;
        for (uint32_t i = 0; field.number == 2 && is_bytes && i < 2; i++)
            evidence->fits[i] =
                evidence->fits[i] && sample_fits(field.bytes, &layouts[GATE_OTLP_1_8 + i], evidence->tables);
    }
    evidence->is_1_8 |= id_at_8;
    evidence->is_1_9 |= id_at_7 && !id_at_8;
}

const struct gate_otlp_layout *gate_otlp_layout_of(const struct gate_wire *profiles, size_t count,
                                                   const struct gate_otlp_tables *tables, bool has_dictionary) {
    struct evidence evidence = {.tables = tables, .fits = {true, true}};
    for (size_t i = 0; has_dictionary && i < count; i++)
        profile_look(&evidence, profiles[i]);
    if (!has_dictionary)
        return &layouts[GATE_OTLP_1_4];
    if (evidence.has_slices)
        return &layouts[GATE_OTLP_1_7];
    if (evidence.fits[0] != evidence.fits[1])
        return &layouts[evidence.fits[0] ? GATE_OTLP_1_8 : GATE_OTLP_1_9];
    return &layouts[evidence.is_1_8 && !evidence.is_1_9 ? GATE_OTLP_1_8 : GATE_OTLP_1_9];
}
