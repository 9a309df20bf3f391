/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that occur all over the JSON report, each with its key.
 * Used by report/json.c and report/json_causes.c. */
#ifndef GATE_REPORT_JSON_PARTS_H
#define GATE_REPORT_JSON_PARTS_H

#include "gate/base/json_writer.h"

/** A fraction as points of the total. */
void gate_json_parts_points(struct gate_json *json, const char *key, double fraction);

/** "ci95_pp": low and high. */
void gate_json_parts_interval(struct gate_json *json, const double bounds[2]);

/** A probability and, since it can be smaller than a double holds, its decimal logarithm. `log_p` is a natural one. */
void gate_json_parts_probability(struct gate_json *json, const char *key, const char *log_key, double log_p);

#endif
