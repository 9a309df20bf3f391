/* SPDX-License-Identifier: Apache-2.0 */
/* Which program wrote a JSON report. Used by json.c, trend_json.c, proof_json.c and nothing_compared.c. */
#ifndef GATE_REPORT_GENERATOR_H
#define GATE_REPORT_GENERATOR_H

#include "gate/base/json_writer.h"

/** The keys "generator", name and version, and, where the program has a build id, "generator_build". */
void gate_generator_json(struct gate_json *json);

#endif
