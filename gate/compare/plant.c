/* SPDX-License-Identifier: Apache-2.0 */
/* Draws synthetic runs from a profile, with growth of known size. */
#include "gate/compare/plant.h"

#include "gate/compare/evidence.h"
#include "gate/compare/walk.h"

#include <math.h>

/* Share at which the assumed variation of one pair was measured. Smaller frames have the same relative variation. */
static const double ASSUMED_SHARE = 0.1;

/* Maximum cumulative share of an entry frame; more is common to all requests. */
static const double ENTRY_MOST = 0.5;

/* Fraction of the variation that comes from the traffic: what a known mix would remove. */
static const double TRAFFIC = 1.0 - GATE_ASSUMED_RHO_MIX / GATE_ASSUMED_RHO_CHARGED;

/* Maximum standard deviation of a log cost; a good run does not vary by more than a factor of e. */
static const double SD_MOST = 1.0;

enum gate_variation gate_plant_variation_source(const struct gate_plant_variation *variation) {
    if (variation->noise != NULL)
        return GATE_VARIATION_MODEL;
    return variation->replicates != NULL ? GATE_VARIATION_REPLICATES : GATE_VARIATION_ASSUMED;
}

double gate_plant_share(const struct gate_plant_base *base, uint32_t frame) {
    return gate_share(base->deltas->items[frame].value[GATE_CHARGED][GATE_BASELINE],
                      base->pair->sides[GATE_BASELINE].total);
}

double gate_plant_times(double share, double growth, bool is_new) {
    double then = is_new ? growth : share + growth;
    if (!(share > 0.0) || !(share < 1.0) || !(then < 1.0))
        return INFINITY;
    return then * (1.0 - share) / (share * (1.0 - then));
}

/* Convert the variance of a share to the standard deviation of the log cost. */
static double relative(double variance, double p) {
    return p > 0.0 && p < 1.0 ? fmin(sqrt(variance) / (p * (1.0 - p)), SD_MOST) : 0.0;
}

static bool find_deviations(double *sd, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                            const struct gate_plant_variation *variation, struct gate_arena *arena,
                            struct gate_error *err) {
    struct gate_noise learnt;
    const struct gate_noise *noise = variation->noise;
    if (noise == NULL && variation->replicates != NULL) {
        if (!gate_noise_estimate(&learnt, variation->replicates, variation->replicated, NULL, arena, err))
            return false;
        noise = &learnt;
    }
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        const struct gate_frame *frame = &pair->frames[i];
        enum gate_dispersion_class class = gate_dispersion_class_of(frame, GATE_CHARGED);
        double p = gate_share(deltas->items[i].value[GATE_CHARGED][GATE_BASELINE], pair->sides[GATE_BASELINE].total);
        double share = fmin(fmax(p, ASSUMED_SHARE), 1.0 - ASSUMED_SHARE);
        double rho = gate_evidence_assumed_rho(pair, GATE_CHARGED, class != GATE_DISPERSION_OWN);
        sd[i] = noise != NULL ? relative(gate_noise_variance(noise, frame->name, GATE_CHARGED, p, class), p)
                              : relative(rho * share * (1.0 - share), share);
    }
    return true;
}

/* Return the outermost own-code frame that is not on most stacks. It identifies the kind of request. */
static uint32_t entry_of(const struct gate_pair *pair, const struct gate_delta_list *deltas, const uint32_t *frames,
                         uint32_t count, uint32_t owner) {
    double total = (double)pair->sides[GATE_BASELINE].total;
    for (uint32_t i = count; i > 0; i--)
        if (pair->frames[frames[i - 1]].is_own &&
            (double)deltas->items[frames[i - 1]].value[GATE_CUMULATIVE][GATE_BASELINE] < ENTRY_MOST * total)
            return frames[i - 1];
    return owner;
}

/* Find the frame that each record is charged to, and its entry frame. */
static bool find_owners(struct gate_plant_record *records, const struct gate_pair *pair,
                        const struct gate_delta_list *deltas, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_run *run = &pair->sides[GATE_BASELINE].runs[0];
    uint32_t *frames = GATE_NEW_ARRAY(arena, uint32_t, pair->max_frames);
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    if (frames == NULL)
        return gate_arena_error(arena, err);
    gate_sample_begin(&cursor, run->input.profile);
    for (uint64_t i = 0; i < run->input.profile->sample_count && gate_sample_next(&cursor, &sample, err); i++) {
        const struct gate_stack stack = {.ref = sample.stack};
        uint32_t count = gate_walk_frames(run, &stack, frames);
        uint32_t owner = count == 0 ? GATE_NO_INDEX : frames[gate_delta_charged(pair, frames, count)];
        records[i] = (struct gate_plant_record){owner, entry_of(pair, deltas, frames, count, owner)};
    }
    gate_sample_end(&cursor);
    return err->code == GATE_OK;
}

bool gate_plant_prepare(struct gate_plant_base *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                        const struct gate_plant_variation *variation, double scale, struct gate_arena *arena,
                        struct gate_error *err) {
    const struct gate_run *run = &pair->sides[GATE_BASELINE].runs[0];
    uint64_t records = run->input.profile->sample_count;
    if (run->counts.kind == GATE_COUNTS_UNKNOWN)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "the events of '%.*s' cannot be counted, so they cannot be drawn anew: the profile has "
                              "neither counts nor a period; give --period, or choose another --sample-type",
                              GATE_STR_ARG(pair->type.type));
    double *sd = GATE_NEW_ARRAY(arena, double, pair->frame_count);
    struct gate_plant_record *where = GATE_NEW_ARRAY(arena, struct gate_plant_record, records);
    if (sd == NULL || where == NULL)
        return gate_arena_error(arena, err);
    if (!find_deviations(sd, pair, deltas, variation, arena, err) || !find_owners(where, pair, deltas, arena, err))
        return false;
    *out = (struct gate_plant_base){pair, deltas, sd, where, records, scale};
    return true;
}

void gate_plant_expect(float *factors, const struct gate_plant_base *base, const struct gate_plant *plant,
                       enum gate_side_name side, uint64_t seed) {
    double times = 1.0;
    bool is_planted = plant->frame != GATE_NO_INDEX && plant->growth > 0.0;
    if (is_planted && side == GATE_CANARY)
        times = gate_plant_times(gate_plant_share(base, plant->frame), plant->growth, plant->is_new);
    else if (is_planted && plant->is_new)
        times = 0.0;
    for (uint64_t i = 0; i < base->record_count; i++) {
        uint32_t owner = base->records[i].owner;
        double sd = owner == GATE_NO_INDEX ? 0.0 : base->sd[owner];
        double traffic = gate_resample_normal(seed, 2 * (uint64_t)base->records[i].entry);
        double own = gate_resample_normal(seed, 2 * (uint64_t)owner + 1);
        /* minus half the variance, so that the expected value is unchanged */
        double varied = sd * (sqrt(TRAFFIC) * traffic + sqrt(1.0 - TRAFFIC) * own) - sd * sd / 2.0;
        factors[i] = (float)(base->scale * exp(varied) * (owner == plant->frame && is_planted ? times : 1.0));
    }
}
