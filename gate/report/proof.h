/* SPDX-License-Identifier: Apache-2.0 */
/* What `pprofgate prove` says: which growth the rules find, and which they do not.
 * Pipeline: budget/prove.h -> report/proof.h -> cli/cmd_prove.c */
#ifndef GATE_REPORT_PROOF_H
#define GATE_REPORT_PROOF_H

#include "gate/base/buf.h"
#include "gate/budget/prove.h"

/** A table for a terminal, at most `columns` wide, and what follows from it. Names are shortened in `arena`. */
void gate_proof_text(struct gate_buf *out, const struct gate_prove *proof, uint32_t columns, struct gate_arena *arena);

/** The same as a table of Markdown. */
void gate_proof_markdown(struct gate_buf *out, const struct gate_prove *proof);

#endif
