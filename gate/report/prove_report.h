/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `prove` as text, Markdown and JSON. */
#ifndef GATE_REPORT_PROVE_REPORT_H
#define GATE_REPORT_PROVE_REPORT_H

#include "gate/base/buf.h"
#include "gate/budget/prove.h"

/* ---- text: which growth the rules detect, and which they do not -------------------------------------------------- */

/** Append a table for a terminal, at most `columns` wide, and its conclusions. Names are shortened in `arena`. */
void gate_prove_report_text(struct gate_buf *out, const struct gate_prove *proof, uint32_t columns,
                            struct gate_arena *arena);

/** Append the same as Markdown. */
void gate_prove_report_markdown(struct gate_buf *out, const struct gate_prove *proof);

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/** Append all numbers as one object, by docs/prove.schema.json. */
void gate_prove_report_json(struct gate_buf *out, const struct gate_prove *proof);

#endif
