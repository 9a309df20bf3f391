/* SPDX-License-Identifier: Apache-2.0 */
/* A directory of captured profiles whose MANIFEST.csv says what was planted in each: the ground truth of rates.c. */
#ifndef GATE_TESTS_CAPTURES_H
#define GATE_TESTS_CAPTURES_H

#include "gate/compare/pair.h"

enum { CAPTURE_PARTS_MAX = 16 };

/** One row of the manifest and its profile. */
struct capture {
    char name[64];
    char variant[32];
    char planted[96];                /* the frame that was made costlier; empty: none */
    double requests;                 /* work done; 0: not told */
    double parts[CAPTURE_PARTS_MAX]; /* of it, by endpoint: the captures' part_names */
    double order;                    /* place in the session */
    double round;                    /* runs of one round were taken at the same time; 0: not told */
    struct gate_str path;
    struct gate_profile profile;
};

struct captures {
    struct capture *items;
    uint32_t count;
    char part_names[CAPTURE_PARTS_MAX][32];
    uint32_t part_count;
};

/**
 * Read DIRECTORY/MANIFEST.csv (columns name, variant, planted, and requests, order and requests/ENDPOINT where they are
 * there; fields without commas) and the profiles DIRECTORY/NAME.KIND.pb.gz, or DIRECTORY/KIND/NAME.pb.gz. The first
 * word of `planted` is a frame when it holds a '.' or '/'. Rows whose profile is missing are left out.
 */
GATE_MUST_CHECK
bool captures_load(struct captures *out, const char *directory, const char *kind, struct gate_arena *arena,
                   struct gate_error *err);

/** Indices of a variant's captures; returns how many. `out` has room for captures->count. */
uint32_t captures_of(const struct captures *captures, const char *variant, uint32_t *out);

/** Whether no capture before this one is of its variant. */
bool captures_is_first(const struct captures *captures, uint32_t index);

#endif
