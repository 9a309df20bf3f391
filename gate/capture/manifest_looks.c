/* SPDX-License-Identifier: Apache-2.0 */
/* The looks of a manifest (see manifest_looks.h). */
#include "gate/capture/manifest_looks.h"

#include "gate/compare/spending.h"

void gate_manifest_looks_write(struct gate_json *json, const struct gate_manifest_looks *looks) {
    if (looks->planned == 0)
        return;
    gate_json_key(json, "looks");
    gate_json_open_flat(json, '{');
    gate_json_key(json, "rules");
    gate_json_string(json, looks->rules);
    gate_json_key(json, "planned");
    gate_json_integer(json, looks->planned);
    gate_json_key(json, "round");
    gate_json_integer(json, looks->round);
    gate_json_key(json, "fractions");
    gate_json_open_flat(json, '[');
    for (uint32_t i = 0; i < looks->count; i++)
        gate_json_number(json, looks->fractions[i]);
    gate_json_close(json, ']');
    gate_json_close(json, '}');
}

static bool looks_refuse(struct gate_error *err) {
    return gate_error_set(
        err, GATE_ERR_CONFIG,
        "expected 'looks' to be 'rules', 'planned', from 1 to %u, the last 'round', and no more 'fractions' "
        "than planned, growing, above 0 and at most 1",
        GATE_SPENDING_LOOKS_MAX);
}

bool gate_manifest_looks_read(struct gate_manifest_looks *out, const json_t *value, struct gate_arena *arena,
                              struct gate_error *err) {
    const json_t *planned = json_object_get(value, "planned"), *fractions = json_object_get(value, "fractions");
    const json_t *round = json_object_get(value, "round"), *rules = json_object_get(value, "rules");
    size_t count = json_array_size(fractions);
    json_int_t most = json_integer_value(planned), last_round = json_integer_value(round);
    *out = (struct gate_manifest_looks){0};
    if (value == NULL)
        return true;
    if (json_object_size(value) != 4 || !json_is_string(rules) || !json_is_integer(planned) || most < 1 ||
        most > GATE_SPENDING_LOOKS_MAX || !json_is_integer(round) || last_round < (count > 0) ||
        last_round > UINT32_MAX || !json_is_array(fractions) || count > (size_t)most)
        return looks_refuse(err);
    out->planned = (uint32_t)most;
    out->round = (uint32_t)last_round;
    out->rules = gate_str_copy(arena, (struct gate_str){json_string_value(rules), json_string_length(rules)});
    out->fractions = GATE_NEW_ARRAY(arena, double, out->planned);
    if (out->fractions == NULL || out->rules.ptr == NULL)
        return gate_arena_error(arena, err);
    for (double last = 0; out->count < count; last = out->fractions[out->count++]) {
        double next = json_number_value(json_array_get(fractions, out->count));
        if (!(next > last && next <= 1))
            return looks_refuse(err);
        out->fractions[out->count] = next;
    }
    return true;
}
