/* SPDX-License-Identifier: Apache-2.0 */
/* The causes of a verdict with all that is told of each: clocks and exemplars.
 * Pipeline: budget/cause.h + budget/off_cpu.h + budget/exemplars.h -> budget/causes.h -> budget/verdict.h */
#ifndef GATE_BUDGET_CAUSES_H
#define GATE_BUDGET_CAUSES_H

#include "gate/budget/cause.h"

/** gate_cause_find, then gate_off_cpu_find and gate_exemplars_find on what it found; errors and costs are theirs. */
GATE_MUST_CHECK
bool gate_causes_find(struct gate_cause_list *out, const struct gate_tree *const *trees,
                      const struct gate_budget_result *results, uint32_t result_count,
                      const struct gate_comparison *comparisons, uint32_t comparison_count, struct gate_arena *arena,
                      struct gate_error *err);

#endif
