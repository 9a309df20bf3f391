/* SPDX-License-Identifier: Apache-2.0 */
/* What --by found, for programs.
 * Pipeline: report/by_rows.h -> report/json_by.h -> report/json.c */
#ifndef GATE_REPORT_JSON_BY_H
#define GATE_REPORT_JSON_BY_H

#include "gate/base/json_writer.h"
#include "gate/budget/verdict.h"

/** The key "by" and its array; nothing where nothing was compared by a label. */
GATE_MUST_CHECK
bool gate_json_by(struct gate_json *json, const struct gate_verdict *verdict, struct gate_arena *arena,
                  struct gate_error *err);

#endif
