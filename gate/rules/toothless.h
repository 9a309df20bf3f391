/* SPDX-License-Identifier: Apache-2.0 */
/* Detects rules under which no run can fail. */
#ifndef GATE_RULES_TOOTHLESS_H
#define GATE_RULES_TOOTHLESS_H

#include "gate/rules/rules.h"

/**
 * Describe why the rules cannot fail or ignore much of the cost: "by these rules no run can fail: every budget only
 * warns".
 *
 * Reasons: no budget of severity error has a limit of that severity that a cost could exceed; patterns rename or ignore
 * every frame or exclude all own code; a frame is a whole binary; the work of the sides differs by more than a factor
 * of 10 (GATE_TOOTHLESS_WORK).
 *
 * work  of both sides, as given to the run, or NULL: as in the rules
 *
 * Returns arena memory; empty if there is no reason. `.ptr` is NULL if the arena is full.
 */
struct gate_str gate_toothless_rules(const struct gate_rules *rules, const double work[GATE_SIDES],
                                     struct gate_arena *arena);

#endif
