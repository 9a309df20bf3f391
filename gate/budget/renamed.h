/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that vanished while another appeared in their place: likely renamed, which a comparison by name cannot see.
 * Pipeline: compare/tree.h + compare/comparison.h -> budget/renamed.h -> warnings of the verdict ("renamed") */
#ifndef GATE_BUDGET_RENAMED_H
#define GATE_BUDGET_RENAMED_H

#include "gate/compare/comparison.h"
#include "gate/compare/tree.h"
#include "gate/guards/warnings.h"

/** A frame that vanished and a new one that stands where it stood. */
struct gate_renamed {
    uint32_t gone, fresh;
};

/** Whether there is a frame of weight on the baseline alone, and another on the canary alone. O(frames). */
bool gate_renamed_is_wanted(const struct gate_comparison *comparison);

/**
 * Warn of pairs of a frame without canary cost and one without baseline cost, each at least .5 % cumulative and worth
 * 20 events on either side, of weights within a factor 1.5, with a common caller and, where either has callees known to
 * both sides, a common callee. Each frame is in one pair at most: the heaviest first.
 */
GATE_MUST_CHECK
bool gate_renamed_warn(struct gate_warning_list *warnings, bool *raised, const struct gate_rules *rules,
                       const struct gate_comparison *comparison, const struct gate_tree *tree, struct gate_arena *arena,
                       struct gate_error *err);

#endif
