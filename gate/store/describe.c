/* SPDX-License-Identifier: Apache-2.0 */
/* What a record says of a profile (see describe.h). */
#include "gate/store/describe.h"

#include "gate/guards/build_facts.h"
#include "gate/profile/own_code.h"

static struct gate_str type_text(const struct gate_value_type *type, struct gate_arena *arena) {
    return gate_str_format(arena, "%.*s/%.*s", GATE_STR_ARG(type->type), GATE_STR_ARG(type->unit));
}

static struct gate_str types_text(const struct gate_profile *profile, struct gate_arena *arena) {
    struct gate_buf text = {0};
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        gate_buf_text(&text, i == 0 ? "" : " ");
        gate_buf_str(&text, profile->sample_types[i].type);
        gate_buf_char(&text, '/');
        gate_buf_str(&text, profile->sample_types[i].unit);
    }
    struct gate_str out = text.failed ? (struct gate_str){NULL, 0} : gate_str_copy(arena, gate_buf_view(&text));
    gate_buf_free(&text);
    return out;
}

bool gate_describe_run(struct gate_record_run *out, const struct gate_profile *profile, struct gate_arena *arena,
                       struct gate_error *err) {
    struct gate_build_facts facts;
    uint32_t column = 0;
    if (!gate_sample_type_find(&column, profile, GATE_STR(""), err))
        return false;
    gate_build_facts_read(&facts, profile);
    const enum gate_language language = gate_own_code_language(profile);
    const struct gate_value_type *period = &profile->period_type;
    *out = (struct gate_record_run){
        .kind = gate_str_copy(arena, profile->sample_types[column].type),
        .types = types_text(profile, arena),
        .language = gate_str_from(gate_own_code_language_name(language)),
        .build_id = gate_str_copy(arena, profile->mapping_count > 0 ? profile->mappings[0].build_id : GATE_STR("")),
        .version = gate_str_copy(arena, facts.version),
        .period_type = period->type.len > 0 ? type_text(period, arena) : GATE_STR(""),
        .period = profile->period > 0 ? profile->period : 0,
        .taken_ns = profile->time_ns > 0 ? profile->time_ns : 0,
        .duration_ns = profile->duration_ns > 0 ? profile->duration_ns : 0,
        .samples = profile->sample_count > INT64_MAX ? INT64_MAX : (int64_t)profile->sample_count};
    out->source = out->instance = out->name = out->object = GATE_STR("");
    if (out->kind.ptr == NULL || out->types.ptr == NULL || out->build_id.ptr == NULL || out->version.ptr == NULL ||
        out->period_type.ptr == NULL)
        return gate_arena_error(arena, err);
    return true;
}
