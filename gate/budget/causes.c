/* SPDX-License-Identifier: Apache-2.0 */
/* Causes and what is told of them (see causes.h). */
#include "gate/budget/causes.h"

#include "gate/budget/exemplars.h"
#include "gate/budget/off_cpu.h"

bool gate_causes_find(struct gate_cause_list *out, const struct gate_tree *const *trees,
                      const struct gate_budget_result *results, uint32_t result_count,
                      const struct gate_comparison *comparisons, uint32_t comparison_count, struct gate_arena *arena,
                      struct gate_error *err) {
    if (!gate_cause_find(out, trees, results, result_count, comparisons, comparison_count, arena, err))
        return false;
    gate_off_cpu_find(out, comparisons, comparison_count);
    return gate_exemplars_find(out, comparisons, comparison_count, arena, err);
}
