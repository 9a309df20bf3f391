/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of looks (see verdict_looks.h). */
#include "gate/budget/verdict_looks.h"

#include <math.h>

void gate_verdict_looks_fill(struct gate_verdict_looks *out, const struct gate_looks *looks,
                             const struct gate_looks_now *now, const struct gate_rules *rules,
                             const struct gate_comparison *comparisons, uint32_t comparison_count) {
    *out = (struct gate_verdict_looks){0};
    if (!gate_looks_are_several(looks))
        return;
    out->count = looks->count;
    out->planned = looks->planned > looks->count ? looks->planned : looks->planned > 0 ? looks->count : 0;
    out->fraction = looks->fractions[looks->count - 1];
    out->fail_total = rules->alpha;
    out->fail_spent = gate_looks_spent(now, rules->alpha);
    out->held_total = GATE_LOOKS_PROOF;
    out->held_spent = gate_looks_spent(now, GATE_LOOKS_PROOF);
    out->margin = now->margin;
    out->proof = now->proof;
    for (uint32_t i = 0; i < comparison_count; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            if (comparisons[i].pair.sides[side].run_count > out->runs)
                out->runs = comparisons[i].pair.sides[side].run_count;
    out->one_look_runs =
        looks->planned_runs > 0 ? looks->planned_runs : (uint32_t)ceil(out->runs / out->fraction - 1e-9);
    out->one_look_runs = out->one_look_runs > out->runs ? out->one_look_runs : out->runs;
}
