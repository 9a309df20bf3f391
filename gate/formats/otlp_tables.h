/* SPDX-License-Identifier: Apache-2.0 */
/* The dictionary of an OTLP profile (strings, functions, locations, attributes), its locations and labels, and the
 * field numbers of each schema version. */
#ifndef GATE_FORMATS_OTLP_TABLES_H
#define GATE_FORMATS_OTLP_TABLES_H

#include "gate/formats/builder.h"
#include "gate/model/limits.h"
#include "gate/model/sample.h"
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
 * Get entry `index` of `table`.
 *
 * err   GATE_ERR_FORMAT: no such entry; gives the table's name, the index and the number of entries
 */
GATE_MUST_CHECK
bool gate_otlp_entry(struct gate_wire *out, const struct gate_otlp_tables *tables, enum gate_otlp_table table,
                     uint64_t index, struct gate_error *err);

/** Get the text at `index`. Index 0 is the empty text, even without a table. Errors: as gate_otlp_entry. */
GATE_MUST_CHECK
bool gate_otlp_text(struct gate_str *out, const struct gate_otlp_tables *tables, uint64_t index,
                    struct gate_error *err);

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

/** Return true for an OTLP file; see otlp_sniff. */
bool gate_otlp_file_is(struct gate_str bytes);

/**
 * List the profiles of `bytes`: one message, or several, each after its length.
 *
 * err   GATE_ERR_FORMAT: malformed, no profile, two dictionaries in one message, or the experimental protocol of
 *       2024; GATE_ERR_LIMIT: `arena` is full
 *
 * O(bytes).
 */
GATE_MUST_CHECK
bool gate_otlp_file_read(struct gate_otlp_file *out, struct gate_str bytes, struct gate_arena *arena,
                         struct gate_error *err);

/* ---- labels from OTLP attributes --------------------------------------------------------------------------------- */

/** Labels of one sample. Texts point into the file or into `arena`. */
struct gate_otlp_labels {
    struct gate_label *items; /* array of limits->labels entries */
    uint32_t count;
    uint32_t limit;
    struct gate_arena *arena; /* for numbers and bytes converted to text */
};

/** Add an attribute that is a key and a value instead of an index, as resources have. Errors: as above. */
GATE_MUST_CHECK
bool gate_otlp_labels_pair(struct gate_otlp_labels *labels, const struct gate_otlp_tables *tables,
                           struct gate_wire pair, struct gate_error *err);

/** Add trace_id and span_id of a link, in hexadecimal. The empty link adds nothing. Errors: as above. */
GATE_MUST_CHECK
bool gate_otlp_labels_link(struct gate_otlp_labels *labels, const struct gate_otlp_tables *tables, uint64_t index,
                           struct gate_error *err);

/* ---- locations of OTLP as locations of the builder --------------------------------------------------------------- */

/** A mapping of the builder. `shift` is added to addresses in it. */
struct gate_otlp_mapping {
    uint64_t id; /* 0: no mapping */
    uint64_t shift;
    bool is_read;
};

/** Locations of one message. `ids` are the builder's; 0: not added yet. */
struct gate_otlp_frames {
    const struct gate_otlp_tables *tables;
    struct gate_builder *builder;
    uint64_t *ids;
    uint64_t *function_ids; /* id + 1; 1: a function without a name; 0: not added yet */
    struct gate_otlp_mapping *mappings;
    struct gate_builder_line *lines; /* array of lines_max entries */
    uint32_t lines_max;
};

/**
 * Get the builder's id of the location at `index`, with its mapping, build id and lines. A kernel frame without a
 * mapping gets a kernel mapping, detected by its attribute profile.frame.type.
 *
 * err   GATE_ERR_FORMAT: an index outside its table, or malformed; GATE_ERR_LIMIT: more than limits->lines, or
 *       memory is exhausted
 *
 * O(bytes of the location) the first time, then O(1).
 */
GATE_MUST_CHECK
bool gate_otlp_location(uint64_t *id, struct gate_otlp_frames *frames, uint64_t index, struct gate_error *err);

/** Add the first mapping of the table, which by pprof's convention is the main program. Errors: as above. */
GATE_MUST_CHECK
bool gate_otlp_frames_main(struct gate_otlp_frames *frames, struct gate_error *err);

#endif
