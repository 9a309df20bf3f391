/* SPDX-License-Identifier: Apache-2.0 */
/* What the reports say of looking at a change more than once.
 * Pipeline: compare/looks.h + rules/rules.h -> budget/verdict_looks.h -> budget/verdict.h */
#ifndef GATE_BUDGET_VERDICT_LOOKS_H
#define GATE_BUDGET_VERDICT_LOOKS_H

#include "gate/compare/comparison.h"
#include "gate/compare/looks.h"
#include "gate/rules/rules.h"

/** Of several looks at the same change (compare/looks.h): what the reports say of them. Zeroed: one look. */
struct gate_verdict_looks {
    uint32_t count;                /* so far, this one with them; 0: one look is all there is, and the rest is 0 */
    uint32_t planned;              /* at most; 0: not known */
    double fraction;               /* of the information that there can be */
    double fail_total, fail_spent; /* levels: of "fail" over the whole family, of "held" */
    double held_total, held_spent;
    double margin, proof;   /* nominal levels of this look: "more than the limit", "no more than" */
    uint32_t runs;          /* a side, so far; the side with more of them */
    uint32_t one_look_runs; /* that deciding in one look would have taken */
    struct gate_str stands; /* what an earlier look decided, where that is the verdict; else empty */
};

/** Fill `out` from what this look may do; runs are those of the comparison that has most. */
void gate_verdict_looks_fill(struct gate_verdict_looks *out, const struct gate_looks *looks,
                             const struct gate_looks_now *now, const struct gate_rules *rules,
                             const struct gate_comparison *comparisons, uint32_t comparison_count);

#endif
