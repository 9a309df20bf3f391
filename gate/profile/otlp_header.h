/* SPDX-License-Identifier: Apache-2.0 */
/* What OTLP profiles say of themselves: sample types, times, period, and what a converter from pprof kept in
 * attributes. Neighbours: profile/otlp_file.h, profile/otlp.c, profile/otlp_samples.h */
#ifndef GATE_PROFILE_OTLP_HEADER_H
#define GATE_PROFILE_OTLP_HEADER_H

#include "gate/profile/builder.h"
#include "gate/profile/limits.h"
#include "gate/profile/otlp_file.h"

/** The sample types of one profile. */
struct gate_otlp_types {
    struct gate_value_type items[GATE_VALUES_MAX];
    uint32_t count;
};

/** A column of the whole file. */
struct gate_otlp_column {
    struct gate_value_type type;
    uint32_t index;  /* of the builder */
    uint32_t events; /* the column that counts its timestamps, or GATE_NO_INDEX */
    bool has_times;  /* a lone type that does not count, with timestamps */
};

struct gate_otlp_columns {
    struct gate_otlp_column items[GATE_VALUES_MAX];
    uint32_t count;
};

/** Errors: GATE_ERR_FORMAT an index, malformed; GATE_ERR_LIMIT more than GATE_VALUES_MAX. O(bytes of the profile). */
GATE_MUST_CHECK
bool gate_otlp_types_read(struct gate_otlp_types *out, const struct gate_otlp_profile *profile, struct gate_error *err);

/** The columns of all profiles, added to the builder as its sample types. Errors as above. O(bytes). */
GATE_MUST_CHECK
bool gate_otlp_columns_find(struct gate_otlp_columns *out, const struct gate_otlp_file *file,
                            struct gate_builder *builder, struct gate_error *err);

/** The column of a type; there is one. */
const struct gate_otlp_column *gate_otlp_column_of(const struct gate_otlp_columns *columns,
                                                   const struct gate_value_type *type);

/** Times, period, default sample type, comments and what else a header has. Errors as above. O(bytes). */
GATE_MUST_CHECK
bool gate_otlp_header_read(struct gate_builder *builder, const struct gate_otlp_file *file,
                           const struct gate_limits *limits, struct gate_arena *scratch, struct gate_error *err);

#endif
