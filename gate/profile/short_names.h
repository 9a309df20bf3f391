/* SPDX-License-Identifier: Apache-2.0 */
/* Where functions have names of one or two letters, as minifiers of JavaScript and shrinkers of the JVM leave them.
 * Pipeline: profile/profile.h -> profile/short_names.h -> profile/inspection.h */
#ifndef GATE_PROFILE_SHORT_NAMES_H
#define GATE_PROFILE_SHORT_NAMES_H

#include "gate/profile/profile.h"

/** A script, or a package of the JVM as the profile spells it. */
struct gate_short_named {
    struct gate_str place; /* empty: no package */
    uint32_t functions;    /* with a name */
    uint32_t short_count;  /* of them: a function "t", a method "a" of a class "b" */
    double share;          /* of the profile's value at the leaf, of one sample type; 0 to 1 */
};

/** Those where it is three functions or more, and half of them, by share, then by place. Arena memory. */
struct gate_short_names {
    struct gate_short_named *items;
    uint32_t count;
};

/**
 * Look through `profile` once, by the values of `column`. A script is a file that ends in .js, .mjs or .cjs; packages
 * are looked at where the profile is the JVM's.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(bytes of samples + functions + places log places).
 */
GATE_MUST_CHECK
bool gate_short_names_look(struct gate_short_names *out, const struct gate_profile *profile, uint32_t column,
                           struct gate_arena *arena, struct gate_error *err);

#endif
