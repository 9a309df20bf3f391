/* SPDX-License-Identifier: Apache-2.0 */
/* How much of each mapping has names: which binary it is whose symbols are missing.
 * Pipeline: profile/profile.h -> profile/mapping_names.h -> profile/inspection.h */
#ifndef GATE_PROFILE_MAPPING_NAMES_H
#define GATE_PROFILE_MAPPING_NAMES_H

#include "gate/profile/profile.h"

/** One file; mappings of one file and build id are one. */
struct gate_mapping_named {
    struct gate_str file;     /* empty: in no mapping, or in one without a file */
    struct gate_str build_id; /* or empty */
    uint32_t locations;
    uint32_t unnamed; /* of them without a function's name */
    double share;     /* of the profile's value at the leaf, of one sample type; 0 to 1 */
    double named;     /* of that share what has a name, 0 to 1; 0 where there is no value */
};

/** Those in which locations have an address, by share, then by file. Arena memory. */
struct gate_mapping_names {
    struct gate_mapping_named *items;
    uint32_t count;
    bool has_unnamed;
};

/**
 * Look through `profile` once, by the values of `column`.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(bytes of samples + locations + files log files).
 */
GATE_MUST_CHECK
bool gate_mapping_names_look(struct gate_mapping_names *out, const struct gate_profile *profile, uint32_t column,
                             struct gate_arena *arena, struct gate_error *err);

#endif
