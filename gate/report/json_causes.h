/* SPDX-License-Identifier: Apache-2.0 */
/* What the findings of a verdict come down to, for programs.
 * Pipeline: budget/cause.h + budget/cause_sentence.h -> report/json_causes.h -> report/json.c */
#ifndef GATE_REPORT_JSON_CAUSES_H
#define GATE_REPORT_JSON_CAUSES_H

#include "gate/base/json_writer.h"
#include "gate/budget/verdict.h"

/** The key "causes" and its array, in the order of verdict->causes; empty where nothing is over a limit. */
void gate_json_causes(struct gate_json *json, const struct gate_verdict *verdict);

#endif
