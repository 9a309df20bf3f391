/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of an OTLP profile: what samples refer to by index, in a dictionary that all profiles of a message share
 * or, before proto 1.7, in each profile. Read in place. Used by the other readers of OTLP (profile/otlp.h).
 * Source: opentelemetry-proto, profiles/v1development, as its releases 1.4 to 1.11 have it. */
#ifndef GATE_PROFILE_OTLP_TABLES_H
#define GATE_PROFILE_OTLP_TABLES_H

#include "gate/profile/wire.h"

/** Of the last one: stacks since proto 1.8, before that the units of attributes. */
enum gate_otlp_table {
    GATE_OTLP_MAPPINGS,
    GATE_OTLP_LOCATIONS,
    GATE_OTLP_FUNCTIONS,
    GATE_OTLP_LINKS,
    GATE_OTLP_STRINGS,
    GATE_OTLP_ATTRIBUTES,
    GATE_OTLP_STACKS
};
enum { GATE_OTLP_TABLES = GATE_OTLP_STACKS + 1 };

/** Messages (or texts) by index; they point into the file. */
struct gate_otlp_tables {
    struct gate_wire *items[GATE_OTLP_TABLES];
    uint32_t counts[GATE_OTLP_TABLES];
};

/** Where the tables stand: the field number of each. */
extern const uint32_t gate_otlp_in_dictionary[GATE_OTLP_TABLES];
extern const uint32_t gate_otlp_in_profile[GATE_OTLP_TABLES];

/**
 * Index the tables of `message`.
 *
 * err   GATE_ERR_FORMAT malformed protobuf; GATE_ERR_LIMIT the arena is full
 *
 * O(fields of the message); 16 bytes an entry of `arena`.
 */
GATE_MUST_CHECK
bool gate_otlp_tables_read(struct gate_otlp_tables *out, struct gate_wire message, const uint32_t *numbers,
                           struct gate_arena *arena, struct gate_error *err);

/**
 * The entry of `table` at `index`.
 *
 * err   GATE_ERR_FORMAT there is none: with the table's name, the index and how many there are
 */
GATE_MUST_CHECK
bool gate_otlp_entry(struct gate_wire *out, const struct gate_otlp_tables *tables, enum gate_otlp_table table,
                     uint64_t index, struct gate_error *err);

/** The text at `index`; 0 is none, also where there is no table. Errors as of gate_otlp_entry. */
GATE_MUST_CHECK
bool gate_otlp_text(struct gate_str *out, const struct gate_otlp_tables *tables, uint64_t index,
                    struct gate_error *err);

/**
 * The next number of a repeated field, which is packed or not: false at its end, or where it is malformed, then
 * `field` still holds bytes. `field` is used up.
 */
GATE_MUST_CHECK
static inline bool gate_otlp_number_next(struct gate_wire_field *field, uint64_t *value) {
    if (field->type == GATE_WIRE_BYTES)
        return gate_wire_left(&field->bytes) != 0 && gate_wire_varint(&field->bytes, value);
    bool is_number = field->type == GATE_WIRE_VARINT;
    *value = field->value;
    field->type = GATE_WIRE_BYTES;
    return is_number;
}

/** The usual error for what is not protobuf. Returns false. */
bool gate_otlp_malformed(const char *what, struct gate_error *err);

#endif
