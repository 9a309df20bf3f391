/* SPDX-License-Identifier: Apache-2.0 */
/* Known growth in known code: runs of a baseline drawn anew, and the same with one function made costlier.
 * Pipeline: compare/delta.h + compare/evidence.h -> compare/plant.h -> profile/resample.h */
#ifndef GATE_COMPARE_PLANT_H
#define GATE_COMPARE_PLANT_H

#include "gate/compare/evidence.h"

/** Where a record belongs: frames of the pair, or GATE_NO_INDEX. */
struct gate_plant_record {
    uint32_t owner; /* that it is charged to */
    uint32_t entry; /* by which it varies together with others: what the work was for */
};

/** What runs are drawn from: one profile, with what is charged to each frame, and how much that varies. */
struct gate_plant_base {
    const struct gate_pair *pair; /* of the profile with itself */
    const struct gate_delta_list *deltas;
    const double *sd;                        /* a frame: of the logarithm of what is charged to it, from run to run */
    const struct gate_plant_record *records; /* of the profile, in its order */
    uint64_t record_count;
    double scale; /* expected events of a run, over those of the profile */
};

/** What grows in the canary. */
struct gate_plant {
    uint32_t frame; /* of the base's pair; GATE_NO_INDEX: nothing does */
    double growth;  /* in points of the whole, as a fraction */
    bool is_new;    /* the baseline does not have it at all */
};

/** What is known of how much runs differ, the best first. */
struct gate_plant_variation {
    const struct gate_noise *noise;           /* or NULL */
    const struct gate_pair *replicates;       /* runs on its baseline side; NULL: one run, the usual is assumed */
    const struct gate_delta_list *replicated; /* of those */
};

/** Where the variation of a base came from. */
enum gate_variation gate_plant_variation_source(const struct gate_plant_variation *variation);

/**
 * Fill `out` from a pair of one profile with itself. O(records * depth).
 *
 * err   GATE_ERR_INPUT the events of the profile cannot be counted; GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_plant_prepare(struct gate_plant_base *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                        const struct gate_plant_variation *variation, double scale, struct gate_arena *arena,
                        struct gate_error *err);

/** What a run of this side expects of each record. `factors` has room for base->record_count. O(records). */
void gate_plant_expect(float *factors, const struct gate_plant_base *base, const struct gate_plant *plant,
                       enum gate_side_name side, uint64_t seed);

/** Share of the base that is charged to a frame. */
double gate_plant_share(const struct gate_plant_base *base, uint32_t frame);

/** How many times its cost in the base a frame has to cost to grow by `growth` points of the new whole; INFINITY: more
 * than there is. Of a new one, to have that much. */
double gate_plant_times(double share, double growth, bool is_new);

#endif
