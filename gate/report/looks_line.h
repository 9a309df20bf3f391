/* SPDX-License-Identifier: Apache-2.0 */
/* What a report says of looking more than once, in one line.
 * Pipeline: budget/verdict_looks.h -> report/looks_line.h -> the reports */
#ifndef GATE_REPORT_LOOKS_LINE_H
#define GATE_REPORT_LOOKS_LINE_H

#include "gate/base/buf.h"
#include "gate/budget/verdict_looks.h"

/** "look 2 of at most 5, with 2 runs a side; …", no full stop; nothing where one look is all there is. ASCII. */
void gate_looks_line(struct gate_buf *out, const struct gate_verdict_looks *looks);

#endif
