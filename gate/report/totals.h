/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a comparison's total: shares alone do not say it.
 * Pipeline: compare/comparison.h -> report/totals.h -> the reports with a picture */
#ifndef GATE_REPORT_TOTALS_H
#define GATE_REPORT_TOTALS_H

#include "gate/base/buf.h"
#include "gate/compare/comparison.h"

/** "total 75s → 84.4s, 1.13 times; 1.03 times per unit of work (estimated)", the latter as far as it is known. Where
 * the sides have different numbers of runs the totals are those of a run. */
void gate_totals_print(struct gate_buf *out, const struct gate_comparison *comparison);

/**
 * Standard error of canary / baseline of the totals, relative to it: of sampling and from run to run (compare/cost.h),
 * on the scale of a normal distribution. NAN: not known.
 */
double gate_totals_error(const struct gate_comparison *comparison);

/** Whether work was told, or could be estimated: else the cost per unit of work says no more than the share. */
bool gate_totals_has_work(const struct gate_comparison *comparison);

#endif
