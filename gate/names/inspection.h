/* SPDX-License-Identifier: Apache-2.0 */
/* What `inspect` reports about a profile: counts, own code, and oddities. */
#ifndef GATE_NAMES_INSPECTION_H
#define GATE_NAMES_INSPECTION_H

#include "gate/base/table.h"
#include "gate/model/effective_samples.h"
#include "gate/model/profile.h"

/* ---- names per mapping: which binaries lack symbols -------------------------------------------------------------- */

/** One file. Mappings with the same file and build id are one entry. */
struct gate_mapping_named {
    struct gate_str file;     /* empty: no mapping, or a mapping without a file */
    struct gate_str build_id; /* may be empty */
    uint32_t locations;
    uint32_t unnamed; /* locations without a function name */
    double share;     /* share of the total value whose leaf is in this file, 0 to 1 */
    double named;     /* part of `share` whose leaf has a name, 0 to 1; 0 if `share` is 0 */
};

/** Files that have locations with an address, sorted by share, then file. Arena memory. */
struct gate_mapping_names {
    struct gate_mapping_named *items;
    uint32_t count;
    bool has_unnamed;
};

/** Collect the files of `profile`. Shares are of the values of `column`. O(bytes of samples + locations + files log
 * files). */
GATE_MUST_CHECK
bool gate_mapping_names_look(struct gate_mapping_names *out, const struct gate_profile *profile, uint32_t column,
                             struct gate_arena *arena, struct gate_error *err);

/* ---- short names: functions with names of 1 or 2 letters, left by JavaScript minifiers and JVM shrinkers --------- */

/** A script, or a JVM package in the profile's spelling. */
struct gate_short_named {
    struct gate_str place; /* file or package; empty: no package */
    uint32_t functions;    /* functions with a name */
    uint32_t short_count;  /* functions with a short name: "t", or method "a" of class "b" */
    double share;          /* share of the total value whose leaf is in this place, 0 to 1 */
    double short_share;    /* the part of `share` whose leaf has a short name */
};

/** Places where at least 3 functions have short names, and these are half of all or a tenth of the total value. Sorted
 * by share, then place. Arena memory. */
struct gate_short_names {
    struct gate_short_named *items;
    uint32_t count;
};

/** Find places with short names in `profile`. Shares are of the values of `column`. Scripts are files that end with
 * .js, .mjs or .cjs. Packages are used if the profile's language is the JVM. O(bytes of samples + functions + places
 * log places). */
GATE_MUST_CHECK
bool gate_short_names_look(struct gate_short_names *out, const struct gate_profile *profile, uint32_t column,
                           struct gate_arena *arena, struct gate_error *err);

/* ---- inspection of one profile, as data: producer, sample types, labels and oddities ----------------------------- */

enum { GATE_INSPECTION_ODDITIES = 24, GATE_INSPECTION_EXAMPLES = 5, GATE_INSPECTION_VALUES = 8 };

/** One sample type. */
struct gate_inspected_type {
    struct gate_value_type type;
    struct gate_counts_model counts;
    int64_t total;     /* saturates at the limits of int64_t */
    double events;     /* effective number, which the statistics use */
    uint64_t non_zero; /* samples with a value other than 0 */
    double symbolised; /* share of the total whose leaf has a name */
};

/** One label key, with its first values. */
struct gate_inspected_label {
    struct gate_str key;
    uint64_t sample_count;
    bool is_number;
    struct gate_table values;
    bool has_more; /* more than GATE_INSPECTION_VALUES values */
};

/** A name that differs from its stable form. */
struct gate_inspected_name {
    struct gate_str from, to;
};

/** A property of the profile that affects how its numbers should be read. */
struct gate_oddity {
    const char *code;
    uint64_t count; /* number of occurrences */
    const char *text;
};

/** What `inspect` reports about a profile. Arena memory. */
struct gate_inspection {
    struct gate_str language; /* such as "Go"; may be empty */
    struct gate_str producer; /* guessed; may be empty */
    struct gate_inspected_type *types;
    uint32_t default_type;
    struct gate_inspected_label *labels;
    uint32_t label_count;
    struct gate_inspected_name names[GATE_INSPECTION_EXAMPLES];
    struct gate_mapping_names mappings;
    struct gate_short_names shorts;
    uint32_t renamed; /* number of functions whose stable name differs */
    struct gate_oddity oddities[GATE_INSPECTION_ODDITIES];
    uint32_t oddity_count;
};

/** Inspect `profile`. `options` may be NULL. O(bytes of samples + functions). */
GATE_MUST_CHECK
bool gate_profile_inspect(struct gate_inspection *out, const struct gate_profile *profile,
                          const struct gate_counts_options *options, struct gate_arena *arena, struct gate_error *err);

#endif
