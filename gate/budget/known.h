/* SPDX-License-Identifier: Apache-2.0 */
/* Hypotheses that were asked lately: most functions have few samples, and many of them the same counts, of which the
 * same limit says the same.
 * Neighbours: budget/decide.h answers; budget/verdict.h and budget/finding.h ask of all functions. */
#ifndef GATE_BUDGET_KNOWN_H
#define GATE_BUDGET_KNOWN_H

#include "gate/budget/decide.h"

enum { GATE_KNOWN_SLOTS = 256 };

/** All zero at first. One budget's, and one thread's. */
struct gate_known {
    const struct gate_hypothesis *slots[GATE_KNOWN_SLOTS];
};

/**
 * A hypothesis that was given here before, and on which gate_hypothesis_decide and gate_hypothesis_detectable say what
 * they say of this one; NULL: none is known. This one is known from now on, and must stay where it is. O(1).
 */
const struct gate_hypothesis *gate_known_swap(struct gate_known *known, const struct gate_hypothesis *hypothesis);

/** gate_hypothesis_decide, of what is not known. */
void gate_known_decide(struct gate_known *known, struct gate_hypothesis *hypothesis,
                       const struct gate_decision_rules *rules);

#endif
