/* SPDX-License-Identifier: Apache-2.0 */
/* A sample type that can be compared (see other_type.h). */
#include "gate/compare/other_type.h"

#include "gate/profile/unit.h"

/* Candidates are the columns of the baseline's first run. */
struct candidates {
    const struct gate_profile *first;
    bool is_out[GATE_VALUES_MAX];
    bool has_values[GATE_VALUES_MAX][GATE_SIDES];
};

static void run_look(struct candidates *all, const struct gate_profile *profile, int side,
                     const struct gate_label_filter *where) {
    uint32_t columns[GATE_VALUES_MAX] = {0};
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error ignored = {0};
    for (uint32_t i = 0; i < all->first->sample_type_count; i++) {
        struct gate_error missing = {0};
        all->is_out[i] =
            all->is_out[i] || !gate_sample_type_find(&columns[i], profile, all->first->sample_types[i].type, &missing);
    }
    gate_sample_begin(&cursor, profile);
    while (gate_sample_next(&cursor, &sample, &ignored)) {
        if (!gate_where_passes(where, &cursor, &sample))
            continue;
        for (uint32_t i = 0; i < all->first->sample_type_count; i++) {
            int64_t value = sample.values[columns[i]];
            all->is_out[i] = all->is_out[i] || value < 0;
            all->has_values[i][side] = all->has_values[i][side] || value > 0;
        }
    }
    gate_sample_end(&cursor);
}

struct gate_str gate_other_type_find(const struct gate_pair *pair, const struct gate_label_filter *where) {
    struct candidates all = {.first = pair->sides[GATE_BASELINE].runs[0].input.profile};
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++)
            run_look(&all, pair->sides[side].runs[i].input.profile, side, where);
    struct gate_str found = GATE_STR("");
    for (uint32_t i = 0; i < all.first->sample_type_count; i++) {
        struct gate_value_type type = all.first->sample_types[i];
        bool is_alike = gate_unit_ratio(type.unit, pair->type.unit) != 0 || gate_unit_ratio(pair->type.unit, type.unit);
        if (all.is_out[i] || !all.has_values[i][GATE_BASELINE] || !all.has_values[i][GATE_CANARY] ||
            (found.len != 0 && !is_alike))
            continue;
        found = type.type;
        if (is_alike)
            break;
    }
    return found;
}
