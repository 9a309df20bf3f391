/* SPDX-License-Identifier: Apache-2.0 */
/* Which development version of the OTLP profiles protocol a message has: none says so, and each gave the same field
 * numbers other meanings. Told by structure. Neighbours: profile/otlp_tables.h, profile/otlp.c. */
#ifndef GATE_PROFILE_OTLP_LAYOUT_H
#define GATE_PROFILE_OTLP_LAYOUT_H

#include "gate/profile/otlp_tables.h"

/** In the order of their releases; those between two of them are read as the one whose fields they have. */
enum gate_otlp_version {
    GATE_OTLP_1_4, /* tables in each profile, stacks are slices of its list of locations */
    GATE_OTLP_1_7, /* a dictionary for all profiles, stacks are slices still */
    GATE_OTLP_1_8, /* a table of stacks; a sample is stack, values, attributes, link, times */
    GATE_OTLP_1_9  /* a sample is stack, attributes, link, values, times: until 1.11 and on */
};

/** Field numbers; 0: there is no such field. */
struct gate_otlp_layout {
    uint32_t version;
    struct {
        uint32_t indices, time, duration, period_type, period, comments, default_type, attributes;
    } profile;
    struct {
        uint32_t stack, length, values, attributes, link, times;
    } sample;
};

/**
 * The layout of the profile messages of one dictionary; `has_dictionary` is false where each holds its tables.
 * Between 1.8 and 1.9 the one is taken by which every reference of every sample resolves, and where both fit, by where
 * the profile's id stands, else the newer one. O(bytes of the profiles).
 */
const struct gate_otlp_layout *gate_otlp_layout_of(const struct gate_wire *profiles, size_t count,
                                                   const struct gate_otlp_tables *tables, bool has_dictionary);

#endif
