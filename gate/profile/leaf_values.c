/* SPDX-License-Identifier: Apache-2.0 */
/* Values of leaves (see leaf_values.h). */
#include "gate/profile/leaf_values.h"

#include "gate/profile/location.h"
#include "gate/profile/sample.h"

bool gate_leaf_values(double *total, const struct gate_profile *profile, uint32_t column, gate_leaf_visit *visit,
                      void *context, struct gate_error *err) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error why = {0};
    *total = 0;
    gate_sample_begin(&cursor, profile);
    while (gate_sample_next(&cursor, &sample, &why)) {
        uint64_t id = 0;
        uint32_t at = 0;
        double value = column < sample.value_count ? (double)sample.values[column] : 0;
        value = value < 0 ? -value : value;
        *total += value;
        if (!gate_stack_next(sample.stack, &at, &id))
            continue;
        struct gate_location leaf = gate_location_at(profile, gate_location_find(profile, id));
        visit(context, &leaf, value);
    }
    gate_sample_end(&cursor);
    if (why.code != GATE_OK)
        *err = why;
    return why.code == GATE_OK;
}
