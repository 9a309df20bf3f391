/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest growth that a comparison could detect. */
#ifndef GATE_COMPARE_DETECTABLE_H
#define GATE_COMPARE_DETECTABLE_H

#include "gate/compare/evidence.h"

/**
 * Return the smallest growth detectable with 80% power under budget `b`, as a fraction of the total. Growth > 0 is
 * tested at `level`, growth > b at `level_margin`. INFINITY if events cannot be counted. About 20 tests.
 */
double gate_detectable_growth(const struct gate_evidence *evidence, double b, double level, double level_margin);

/** Return whether gate_detectable_growth is at most `growth`. Two tests, so it is cheap to find the largest of many
 * frames. */
bool gate_detectable_is_within(const struct gate_evidence *evidence, double b, double level, double level_margin,
                               double growth);

#endif
