/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the JSON report (see json_parts.h). */
#include "gate/report/json_parts.h"

#include <math.h>

void gate_json_parts_points(struct gate_json *json, const char *key, double fraction) {
    gate_json_key(json, key);
    gate_json_number(json, fraction * 100);
}

void gate_json_parts_interval(struct gate_json *json, const double bounds[2]) {
    gate_json_key(json, "ci95_pp");
    gate_json_open_flat(json, '[');
    gate_json_number(json, bounds[0] * 100);
    gate_json_number(json, bounds[1] * 100);
    gate_json_close(json, ']');
}

void gate_json_parts_probability(struct gate_json *json, const char *key, const char *log_key, double log_p) {
    gate_json_key(json, key);
    gate_json_number(json, exp(log_p));
    gate_json_key(json, log_key);
    gate_json_number(json, log_p / log(10));
}
