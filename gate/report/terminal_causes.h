/* SPDX-License-Identifier: Apache-2.0 */
/* What is broken, open or worth a warning, for a person at a terminal: causes first, then findings without one.
 * Pipeline: budget/cause_sentence.h + report/listing.h -> report/terminal_causes.h -> report/terminal.c */
#ifndef GATE_REPORT_TERMINAL_CAUSES_H
#define GATE_REPORT_TERMINAL_CAUSES_H

#include "gate/report/terminal_lines.h"

/** Append them, the worst first; with options->quiet what fails alone. */
void gate_terminal_causes(const struct gate_terminal *t);

#endif
