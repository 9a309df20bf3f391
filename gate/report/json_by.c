/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a label in the JSON report (see json_by.h). */
#include "gate/report/json_by.h"

#include "gate/report/by_rows.h"
#include "gate/report/json_parts.h"

static void by_shares(struct gate_json *json, const char *key, const double share[GATE_SIDES]) {
    gate_json_key(json, key);
    gate_json_open_flat(json, '{');
    for (int side = 0; side < GATE_SIDES; side++) {
        gate_json_key(json, gate_side_word((enum gate_side_name)side));
        gate_json_number(json, share[side]);
    }
    gate_json_close(json, '}');
}

static void by_lacks(struct gate_json *json, const struct gate_by_value *value) {
    if (value->lack_count == 0)
        return;
    gate_json_key(json, "without");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < value->lack_count; i++) {
        const bool *is_without = value->lacks[i].is_without;
        gate_json_open_flat(json, '{');
        gate_json_key(json, "name");
        gate_json_string(json, value->lacks[i].name);
        gate_json_key(json, "side");
        gate_json_text(json, is_without[GATE_BASELINE] && is_without[GATE_CANARY]
                                 ? "both"
                                 : gate_side_word(is_without[GATE_CANARY] ? GATE_CANARY : GATE_BASELINE));
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void by_row(struct gate_json *json, const struct gate_by_row *row, const struct gate_verdict *verdict) {
    gate_json_open(json, '{');
    gate_json_key(json, "value");
    gate_json_string(json, row->value->of.match.value);
    gate_json_key(json, "state");
    gate_json_text(json, gate_by_state_name(row->value->state));
    by_shares(json, "share", row->value->of.share);
    if (row->comparison != GATE_NO_INDEX) {
        gate_json_key(json, "comparison");
        gate_json_string(json, verdict->comparisons[row->comparison].name);
        gate_json_key(json, "outcome");
        gate_json_text(json, gate_outcome_name(row->outcome));
    }
    if (row->worst != NULL) {
        gate_json_key(json, "function");
        gate_json_string(json, row->worst->function);
        gate_json_parts_points(json, "delta_pp", row->worst->evidence.delta);
    }
    by_lacks(json, row->value);
    gate_json_close(json, '}');
}

static bool by_one(struct gate_json *json, const struct gate_by *by, const struct gate_verdict *verdict,
                   struct gate_arena *arena, struct gate_error *err) {
    struct gate_by_row *rows = GATE_NEW_ARRAY(arena, struct gate_by_row, (size_t)by->count + 1);
    if (rows == NULL)
        return gate_arena_error(arena, err);
    gate_by_rows_make(rows, by, verdict);
    gate_json_open(json, '{');
    gate_json_key(json, "label");
    gate_json_string(json, by->key);
    gate_json_key(json, "pair");
    gate_json_string(json, by->pair);
    gate_json_key(json, "values");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < by->count; i++)
        by_row(json, &rows[i], verdict);
    gate_json_close(json, ']');
    gate_json_key(json, "left_out");
    gate_json_integer(json, by->left_out);
    by_shares(json, "left_out_share", by->left_out_cost);
    by_shares(json, "unlabelled_share", by->unlabelled);
    gate_json_close(json, '}');
    return true;
}

bool gate_json_by(struct gate_json *json, const struct gate_verdict *verdict, struct gate_arena *arena,
                  struct gate_error *err) {
    if (verdict->by.count == 0)
        return true;
    gate_json_key(json, "by");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < verdict->by.count; i++)
        if (!by_one(json, &verdict->by.items[i], verdict, arena, err))
            return false;
    gate_json_close(json, ']');
    return true;
}
