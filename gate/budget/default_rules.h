/* SPDX-License-Identifier: Apache-2.0 */
/* Which presets apply where nobody named rules: a heap is not judged by what is right for CPU time.
 * Pipeline: rules/preset.h + loaded runs -> budget/default_rules.h -> budget/plan.h */
#ifndef GATE_BUDGET_DEFAULT_RULES_H
#define GATE_BUDGET_DEFAULT_RULES_H

#include "gate/budget/plan.h"

/** The preset for profiles whose values are of this type: "heap", "contention", "wall", else "recommended". O(1). */
const char *gate_default_rules_preset(struct gate_str sample_type);

/**
 * Replace `rules`, the preset `recommended`, by the presets that fit the inputs: that of the type which a pair is named
 * after, else which the baseline's first run shows by default. Where pairs need several, their budgets stand side by
 * side, each for its own pair and named "NAME (LABEL)". A budget on values that its input does not hold is left out;
 * `recommended` stands in for a preset of which nothing would be left.
 *
 * rules  to be freed as before; unchanged where `recommended` fits all
 * err    GATE_ERR_LIMIT, GATE_ERR_MEMORY
 */
GATE_MUST_CHECK
bool gate_default_rules_choose(struct gate_rules *rules, const struct gate_plan_input *inputs, uint32_t input_count,
                               struct gate_arena *arena, struct gate_error *err);

#endif
