/* SPDX-License-Identifier: Apache-2.0 */
/* How large a growth would have been found: what tells "nothing is there" from "nothing could be seen".
 * Pipeline: compare/evidence.h -> compare/detectable.h -> budget/decide.h, rules/starter.h */
#ifndef GATE_COMPARE_DETECTABLE_H
#define GATE_COMPARE_DETECTABLE_H

#include "gate/compare/evidence.h"

/**
 * Detectable growth at 80 % power for budget b: growth > 0 is tested at `level`, growth > b at `level_margin`. As a
 * fraction of the total; INFINITY where nothing is counted. About 20 tests.
 */
double gate_detectable_growth(const struct gate_evidence *evidence, double b, double level, double level_margin);

/** Whether that is at most `growth`: two tests, which is all that the largest of many frames takes for most of them. */
bool gate_detectable_is_within(const struct gate_evidence *evidence, double b, double level, double level_margin,
                               double growth);

#endif
