/* SPDX-License-Identifier: Apache-2.0 */
/* Dispersion of the difference between runs of one round (see paired.h). */
#include "gate/compare/paired.h"

/* Of the variation of the sides, beyond samples: pairs that vary by more than this part of it are as good as none. */
static const double AGREES_MOST = 0.5;
/* Two differences say how they vary by one number alone. */
enum { ROUNDS_LEAST = 3 };

/* Whether run `r` begins a round: each does where none is told. */
static bool begins_round(const struct gate_side *side, uint32_t r) {
    return r == 0 || side->runs[r].input.round == 0 || side->runs[r].input.round != side->runs[r - 1].input.round;
}

uint32_t gate_paired_rounds(const struct gate_side *side) {
    uint32_t rounds = 0;
    for (uint32_t r = 0; r < side->run_count; r++)
        rounds += begins_round(side, r);
    return rounds;
}

/* What a run moves its side's share by: its part of the side times what its own share is off. */
static double moves(const struct gate_pair *pair, const struct gate_delta_list *deltas, uint32_t item,
                    enum gate_measure measure, int side, uint32_t r, const struct gate_effective *sums) {
    const struct gate_tally *tally =
        gate_tally_at(deltas, measure, gate_first_run(pair, (enum gate_side_name)side) + r, item);
    return ((double)tally->value - sums->share * (double)pair->sides[side].runs[r].total) / sums->total;
}

/* Sampling variance of a share, and what of it is left in the residuals of rounds: 1 - sum of (part of a round)^2. */
static double expected_of(const struct gate_side *side, const struct gate_effective *sums) {
    double squares = 0.0, part = 0.0, variance = sums->share * (1.0 - sums->share) / sums->n;
    for (uint32_t r = 0; r < side->run_count; r++) {
        if (begins_round(side, r)) {
            squares += part * part;
            part = 0.0;
        }
        part += (double)side->runs[r].total / sums->total;
    }
    return variance * (1.0 - squares - part * part);
}

bool gate_paired_dispersion(struct gate_dispersion *out, const struct gate_pair *pair,
                            const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure,
                            const struct gate_effective sums[GATE_SIDES]) {
    const struct gate_side *sides = pair->sides;
    double rounds = gate_paired_rounds(&sides[GATE_BASELINE]), expected = 0.0, square = 0.0, off = 0.0;
    *out = (struct gate_dispersion){0};
    for (int side = 0; side < GATE_SIDES; side++) {
        if (!(sums[side].n > 0.0) || !(sums[side].total > 0.0))
            return false;
        expected += expected_of(&sides[side], &sums[side]);
    }
    if (rounds < 2.0 || !(expected > 0.0))
        return false;
    for (uint32_t r = 0; r < sides[GATE_BASELINE].run_count; r++) {
        if (begins_round(&sides[GATE_BASELINE], r)) {
            square += off * off;
            off = 0.0;
        }
        off += moves(pair, deltas, item, measure, GATE_CANARY, r, &sums[GATE_CANARY]) -
               moves(pair, deltas, item, measure, GATE_BASELINE, r, &sums[GATE_BASELINE]);
    }
    square += off * off;
    out->df = rounds - 1.0;
    out->chi_square = out->df * square / expected;
    return true;
}

bool gate_paired_agrees(double slope_of_pairs, double slope_of_sides, uint32_t rounds) {
    return rounds >= ROUNDS_LEAST && slope_of_pairs < AGREES_MOST * slope_of_sides;
}
