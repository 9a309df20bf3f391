/* SPDX-License-Identifier: Apache-2.0 */
/* The messages, profiles and tables of an OTLP file, and the field numbers of each schema version. */
#ifndef GATE_FORMATS_OTLP_TABLES_H
#define GATE_FORMATS_OTLP_TABLES_H

#include "gate/model/wire.h"

/* ---- tables ---------------------------------------------------------------------------------------------------------
 *
 * Samples refer to their entries by index. They are in a dictionary shared by all profiles of a message or, before
 * proto 1.7, in each profile. Read in place. Source: opentelemetry-proto, profiles/v1development, releases 1.4 to
 * 1.11. */

/** Tables. GATE_OTLP_STACKS contains stacks since proto 1.8, before that the units of attributes. */
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

/** Messages or texts by index. They point into the file. */
struct gate_otlp_tables {
    struct gate_wire *items[GATE_OTLP_TABLES];
    uint32_t counts[GATE_OTLP_TABLES];
};

/**
 * Read the next number of a repeated field, packed or not. Returns false at the end, or if the field is malformed:
 * then `field` has bytes left. Consumes `field`.
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

/** Set the error for malformed protobuf in `what`. Returns false. */
bool gate_otlp_malformed(const char *what, struct gate_error *err);

/* ---- schema versions ------------------------------------------------------------------------------------------------
 *
 * Messages do not contain their version, and each version of the protocol gave the same field numbers different
 * meanings. The version is detected from the structure. */

/** In the order of the releases. Releases in between are read as the version with the same fields. */
enum gate_otlp_version {
    GATE_OTLP_1_4, /* tables in each profile; a stack is a slice of the profile's list of locations */
    GATE_OTLP_1_7, /* a dictionary shared by all profiles; a stack is a slice */
    GATE_OTLP_1_8, /* a table of stacks; fields of a sample: stack, values, attributes, link, times */
    GATE_OTLP_1_9  /* fields of a sample: stack, attributes, link, values, times; 1.9 to at least 1.11 */
};

/** Field numbers; 0: the version does not have the field. */
struct gate_otlp_layout {
    uint32_t version;
    struct {
        uint32_t indices, time, duration, period_type, period, comments, default_type, attributes;
    } profile;
    struct {
        uint32_t stack, length, values, attributes, link, times;
    } sample;
};

/* ---- profiles of a file, in order, each with its resource, scope, tables and field numbers ----------------------- */

/** One profile. All parts point into the file. `resource` and `scope` are empty if missing. */
struct gate_otlp_profile {
    struct gate_wire wire;
    struct gate_wire resource;
    struct gate_wire scope;
    const struct gate_otlp_tables *tables; /* profiles may share their tables */
    const struct gate_otlp_layout *layout;
};

/** The profiles of a file, in order. Arena memory. */
struct gate_otlp_file {
    struct gate_otlp_profile *items;
    size_t count;
    size_t capacity;
    struct gate_arena *arena;
};

/**
 * Return true for an OTLP message with resource profiles, with the dictionary first or last. Several messages may
 * follow one another, each after its length in four bytes, as the collector's file exporter writes them. pprof
 * messages are excluded, as they have field numbers above 2. O(top-level fields).
 */
bool gate_otlp_file_is(struct gate_str bytes);

/** List the profiles of `bytes`: one message, or several, each after its length. O(bytes). err: GATE_ERR_FORMAT:
 * malformed, no profile, two dictionaries in one message, or the experimental protocol of 2024. */
GATE_MUST_CHECK
bool gate_otlp_file_read(struct gate_otlp_file *out, struct gate_str bytes, struct gate_arena *arena,
                         struct gate_error *err);

#endif
