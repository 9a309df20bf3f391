/* SPDX-License-Identifier: Apache-2.0 */
/* What an OTLP file holds: its profiles in their order, each with its resource, scope, tables and layout.
 * Neighbours: profile/otlp_tables.h, profile/otlp_layout.h -> profile/otlp_file.h -> profile/otlp.c */
#ifndef GATE_PROFILE_OTLP_FILE_H
#define GATE_PROFILE_OTLP_FILE_H

#include "gate/profile/otlp_layout.h"

/** Everything points into the file; `resource` and `scope` are empty where there is none. */
struct gate_otlp_profile {
    struct gate_wire wire;
    struct gate_wire resource;
    struct gate_wire scope;
    const struct gate_otlp_tables *tables; /* several profiles have the same ones */
    const struct gate_otlp_layout *layout;
};

struct gate_otlp_file {
    struct gate_otlp_profile *items;
    size_t count;
    size_t capacity;
    struct gate_arena *arena;
};

/** See gate_otlp_sniff. */
bool gate_otlp_file_is(struct gate_str bytes);

/**
 * List the profiles of `bytes`, one message or several, each behind its length.
 *
 * err   GATE_ERR_FORMAT malformed, no profile, two dictionaries in one message, the experimental protocol of 2024;
 *       GATE_ERR_LIMIT the arena is full
 *
 * O(bytes).
 */
GATE_MUST_CHECK
bool gate_otlp_file_read(struct gate_otlp_file *out, struct gate_str bytes, struct gate_arena *arena,
                         struct gate_error *err);

#endif
