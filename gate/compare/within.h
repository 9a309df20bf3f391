/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a change is shown to be within a limit: what an upper bound of compare/evidence.h says, by one test in place
 * of about ten, and by none where the limit is far.
 * Pipeline: compare/evidence.h -> compare/within.h -> budget/decide.h */
#ifndef GATE_COMPARE_WITHIN_H
#define GATE_COMPARE_WITHIN_H

#include "gate/compare/evidence.h"

/** Whether gate_evidence_upper at `level` is at most `limit`. */
bool gate_within_growth(const struct gate_evidence *evidence, double limit, double level);

/** The same of gate_evidence_ratio_upper. */
bool gate_within_ratio(const struct gate_evidence *evidence, double limit, double level);

/** The same of gate_evidence_share_upper. */
bool gate_within_share(const struct gate_evidence *evidence, double limit, double level);

#endif
