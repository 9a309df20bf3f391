/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison's totals in words (see totals.h). */
#include "gate/report/totals.h"

#include "gate/base/figures.h"
#include "gate/compare/cost.h"
#include "gate/profile/unit.h"

#include <math.h>

bool gate_totals_has_work(const struct gate_comparison *comparison) {
    return comparison->work_ratio > 0 && (comparison->work_is_known || comparison->work_is_estimated);
}

double gate_totals_error(const struct gate_comparison *comparison) {
    const struct gate_exposure as_it_is = {.ratio = 1};
    struct gate_evidence total = gate_cost_evidence_of(&comparison->pair, NULL, 0, GATE_SELF, &as_it_is);
    if (!total.is_tested || !(total.counts.k1 > 0) || !(total.counts.k2 > 0))
        return NAN;
    return sqrt(total.phi * (1 / total.counts.k1 + 1 / total.counts.k2)) * gate_student_t(0.025, total.df) /
           gate_student_t(0.025, INFINITY);
}

void gate_totals_print(struct gate_buf *out, const struct gate_comparison *comparison) {
    const struct gate_pair *pair = &comparison->pair;
    int64_t base = pair->sides[GATE_BASELINE].total, canary = pair->sides[GATE_CANARY].total;
    bool is_mean = pair->sides[GATE_BASELINE].run_count != pair->sides[GATE_CANARY].run_count;
    if (is_mean) {
        base /= pair->sides[GATE_BASELINE].run_count;
        canary /= pair->sides[GATE_CANARY].run_count;
    }
    gate_buf_text(out, is_mean ? "total of a run " : "total ");
    gate_unit_print(out, base, pair->type.unit);
    gate_buf_text(out, " \xE2\x86\x92 ");
    gate_unit_print(out, canary, pair->type.unit);
    if (base <= 0)
        return;
    double ratio = (double)canary / (double)base;
    gate_buf_text(out, ", ");
    gate_figures_times(out, ratio);
    if (!gate_totals_has_work(comparison))
        return;
    double whole = (double)pair->sides[GATE_CANARY].total / (double)pair->sides[GATE_BASELINE].total;
    gate_buf_text(out, "; ");
    gate_figures_times(out, whole / comparison->work_ratio);
    gate_buf_printf(out, " per unit of work%s", comparison->work_is_known ? "" : " (estimated)");
}
