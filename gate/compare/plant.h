/* SPDX-License-Identifier: Apache-2.0 */
/* Draws synthetic runs from a profile and plants growth of known size in them. */
#ifndef GATE_COMPARE_PLANT_H
#define GATE_COMPARE_PLANT_H

#include "gate/compare/evidence.h"

/** The frames of one record: indices of the pair's frames, or GATE_NO_INDEX. */
struct gate_plant_record {
    uint32_t owner; /* frame that the record is charged to */
    uint32_t entry; /* records with the same entry frame vary together, as the traffic does */
};

/** Source of the drawn runs: one profile, the cost charged to each frame, and its variation. */
struct gate_plant_base {
    const struct gate_pair *pair; /* the profile paired with itself */
    const struct gate_delta_list *deltas;
    const double *sd; /* per frame: run-to-run standard deviation of the log of its charged cost */
    const struct gate_plant_record *records; /* of the profile, in its order */
    uint64_t record_count;
    double scale; /* expected events of a run / events of the profile */
};

/** Growth of the canary. */
struct gate_plant {
    uint32_t frame; /* of the base's pair; GATE_NO_INDEX: nothing grows */
    double growth;  /* share points of the whole, as a fraction */
    bool is_new;    /* the baseline does not contain the frame */
};

/** Sources of the run-to-run variation, best first. */
struct gate_plant_variation {
    const struct gate_noise *noise;     /* noise model, or NULL */
    const struct gate_pair *replicates; /* runs on its baseline side; NULL: one run, and the variation is assumed */
    const struct gate_delta_list *replicated; /* deltas of `replicates` */
};

/** Return the source of the variation that gate_plant_prepare uses. */
enum gate_variation gate_plant_variation_source(const struct gate_plant_variation *variation);

/**
 * Fill `out` from a pair of one profile with itself. O(records * depth).
 *
 * scale  expected events of a run / events of the profile
 * err    GATE_ERR_INPUT the events of the profile cannot be counted; GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_plant_prepare(struct gate_plant_base *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                        const struct gate_plant_variation *variation, double scale, struct gate_arena *arena,
                        struct gate_error *err);

/**
 * Compute the expected factor of each record in one drawn run of `side`. `factors` has room for base->record_count.
 * O(records).
 */
void gate_plant_expect(float *factors, const struct gate_plant_base *base, const struct gate_plant *plant,
                       enum gate_side_name side, uint64_t seed);

/** Return the share of the base that is charged to a frame. */
double gate_plant_share(const struct gate_plant_base *base, uint32_t frame);

/**
 * Return the factor by which a frame's cost must change to gain `growth` share points of the new whole. If `is_new`, it
 * must end at that share. INFINITY if that is impossible.
 */
double gate_plant_times(double share, double growth, bool is_new);

#endif
