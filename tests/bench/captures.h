/* SPDX-License-Identifier: Apache-2.0 */
/* A directory of captured profiles. Its MANIFEST.csv states the change planted in each, for rates.c. */
#ifndef GATE_TESTS_CAPTURES_H
#define GATE_TESTS_CAPTURES_H

#include "gate/compare/pair.h"

enum { CAPTURE_PARTS_MAX = 16 };

/** One row of the manifest, and its profile. */
struct capture {
    char name[64];
    char variant[32];
    char planted[96];                /* frame that was made more expensive; empty: none */
    double requests;                 /* work done; 0: not known */
    double parts[CAPTURE_PARTS_MAX]; /* requests by endpoint, as in `part_names` of the captures */
    double order;                    /* position in the session */
    double round;                    /* runs of one round were taken at the same time; 0: not known */
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
 * Read DIRECTORY/MANIFEST.csv and the profiles DIRECTORY/NAME.KIND.pb.gz or DIRECTORY/KIND/NAME.pb.gz. Columns: name,
 * variant, planted; optional: requests, order, round, requests/ENDPOINT. Fields contain no commas. The first word of
 * `planted` is a frame if it contains a '.'. Rows without a profile are left out.
 */
GATE_MUST_CHECK
bool captures_load(struct captures *out, const char *directory, const char *kind, struct gate_arena *arena,
                   struct gate_error *err);

/** Write the indices of a variant's captures to `out`, which has room for captures->count. Return their number. */
uint32_t captures_of(const struct captures *captures, const char *variant, uint32_t *out);

/** Return whether no earlier capture is of the same variant. */
bool captures_is_first(const struct captures *captures, uint32_t index);

#endif
