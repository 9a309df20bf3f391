/* SPDX-License-Identifier: Apache-2.0 */
/* Effective counts of one side (see effective.h). Formulas: docs/statistics.md, "Effective counts". */
#include "gate/compare/effective.h"

static double effective_n(const struct gate_effective *sums) {
    double p = sums->share, q = 1.0 - p;
    double whole = sums->total * sums->total / sums->total_sq;
    double outside_sq = sums->total_sq - sums->item_sq;
    outside_sq = outside_sq > 0.0 ? outside_sq : 0.0;
    double variance = (sums->item_sq * q * q + outside_sq * p * p) / (sums->total * sums->total);
    if (!(p > 0.0) || !(q > 0.0) || !(sums->item_sq > 0.0) || !(variance > 0.0))
        return whole;
    return p * q / variance;
}

bool gate_effective_of(struct gate_effective *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                       uint32_t item, enum gate_measure measure, enum gate_side_name side) {
    const struct gate_side *from = &pair->sides[side];
    int64_t value = deltas->items[item].value[measure][side];
    *out = (struct gate_effective){
        .value = (double)value, .total = (double)from->total, .share = gate_share(value, from->total)};
    bool counted = from->total > 0;
    for (uint32_t r = 0; r < from->run_count; r++) {
        const struct gate_run *run = &from->runs[r];
        out->item_sq += gate_tally_at(deltas, measure, gate_first_run(pair, side) + r, item)->weight_sq;
        out->total_sq += gate_run_weight_sq(run);
        counted = counted && run->counts.kind != GATE_COUNTS_UNKNOWN;
    }
    counted = counted && out->total_sq > 0.0;
    out->n = counted ? effective_n(out) : 0.0;
    return counted;
}
