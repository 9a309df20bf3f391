/* SPDX-License-Identifier: Apache-2.0 */
/* Every number of a proof, for programs.
 * Pipeline: budget/prove.h -> report/proof_json.h -> cli/cmd_prove.c */
#ifndef GATE_REPORT_PROOF_JSON_H
#define GATE_REPORT_PROOF_JSON_H

#include "gate/base/buf.h"
#include "gate/budget/prove.h"

/** One object, by docs/prove.schema.json. */
void gate_proof_json(struct gate_buf *out, const struct gate_prove *proof);

#endif
