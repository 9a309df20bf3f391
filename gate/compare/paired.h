/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of both sides that were taken at the same time share what the host and the traffic did to them: how much the
 * difference varies from round to round, rather than how much the runs of a side do.
 * Formulas: docs/statistics.md, "Pairs". Duet benchmarking: Bulej et al., arXiv 2001.05811.
 * Pipeline: compare/effective.h + compare/dispersion.h -> compare/paired.h -> compare/evidence.h */
#ifndef GATE_COMPARE_PAIRED_H
#define GATE_COMPARE_PAIRED_H

#include "gate/compare/dispersion.h"

/**
 * Set the dispersion of the difference between the sides, by rounds: how each round moves it, over what its samples
 * explain, on one degree of freedom less than there are rounds. False, and nothing, with one round or where neither
 * side holds the item. The runs must be in pairs (gate_pair's is_interleaved). O(runs).
 */
bool gate_paired_dispersion(struct gate_dispersion *out, const struct gate_pair *pair,
                            const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure,
                            const struct gate_effective sums[GATE_SIDES]);

/**
 * Whether pairs agree better than the runs of a side do, by the slopes of a class: clearly, since who takes the smaller
 * of two estimates is wrong too often.
 */
bool gate_paired_agrees(double slope_of_pairs, double slope_of_sides, uint32_t rounds);

/** Rounds of a pair whose runs are in pairs. O(runs). */
uint32_t gate_paired_rounds(const struct gate_side *side);

#endif
