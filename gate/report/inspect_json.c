/* SPDX-License-Identifier: Apache-2.0 */
/* One profile's facts for programs (see inspect.h). */
#include "gate/profile/container.h"
#include "gate/profile/format.h"
#include "gate/report/inspect.h"

#include "gate/base/json_writer.h"

/* Of each list, where --frames does not tell. */
enum { OWN_ROWS = 20, MAPPING_ROWS = 100 };

static void inspect_type(struct gate_json *json, const struct gate_value_type *type) {
    gate_json_key(json, "type");
    gate_json_string(json, type->type);
    gate_json_key(json, "unit");
    gate_json_string(json, type->unit);
}

static void inspect_types(struct gate_json *json, const struct gate_inspection *facts, uint32_t count) {
    gate_json_key(json, "sample_types");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        const struct gate_inspected_type *type = &facts->types[i];
        gate_json_open(json, '{');
        inspect_type(json, &type->type);
        gate_json_key(json, "default");
        gate_json_bool(json, i == facts->default_type);
        gate_json_key(json, "total");
        gate_json_integer(json, type->total);
        gate_json_key(json, "effective_events");
        gate_json_number(json, type->events);
        gate_json_key(json, "counts_from");
        gate_json_text(json, gate_counts_kind_name(type->counts.kind));
        gate_json_key(json, "non_zero");
        gate_json_integer(json, (int64_t)type->non_zero);
        gate_json_key(json, "symbolised_share");
        gate_json_number(json, type->symbolised);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void inspect_labels(struct gate_json *json, const struct gate_inspection *facts) {
    gate_json_key(json, "labels");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < facts->label_count; i++) {
        const struct gate_inspected_label *label = &facts->labels[i];
        gate_json_open(json, '{');
        gate_json_key(json, "key");
        gate_json_string(json, label->key);
        gate_json_key(json, "samples");
        gate_json_integer(json, (int64_t)label->sample_count);
        gate_json_key(json, "numeric");
        gate_json_bool(json, label->is_number);
        gate_json_key(json, "values");
        gate_json_open(json, '[');
        for (uint32_t v = 0; v < label->values.count; v++)
            gate_json_string(json, label->values.keys[v]);
        gate_json_close(json, ']');
        gate_json_key(json, "more_values");
        gate_json_bool(json, label->has_more);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void inspect_names(struct gate_json *json, const struct gate_inspection *facts) {
    gate_json_key(json, "stable_names");
    gate_json_open(json, '{');
    gate_json_key(json, "changed");
    gate_json_integer(json, facts->renamed);
    gate_json_key(json, "examples");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < facts->renamed && i < GATE_INSPECTION_EXAMPLES; i++) {
        gate_json_open(json, '{');
        gate_json_key(json, "from");
        gate_json_string(json, facts->names[i].from);
        gate_json_key(json, "to");
        gate_json_string(json, facts->names[i].to);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
    gate_json_close(json, '}');
}

static void inspect_mappings(struct gate_json *json, const struct gate_mapping_names *names) {
    gate_json_key(json, "mappings_total");
    gate_json_integer(json, names->count);
    gate_json_key(json, "mappings");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < names->count && i < MAPPING_ROWS; i++) {
        const struct gate_mapping_named *mapping = &names->items[i];
        gate_json_open(json, '{');
        gate_json_key(json, "file");
        gate_json_string(json, mapping->file);
        gate_json_key(json, "build_id");
        gate_json_string(json, mapping->build_id);
        gate_json_key(json, "share");
        gate_json_number(json, mapping->share);
        gate_json_key(json, "named_share");
        gate_json_number(json, mapping->named);
        gate_json_key(json, "locations");
        gate_json_integer(json, mapping->locations);
        gate_json_key(json, "unnamed");
        gate_json_integer(json, mapping->unnamed);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void inspect_shorts(struct gate_json *json, const struct gate_short_names *names) {
    gate_json_key(json, "short_names_total");
    gate_json_integer(json, names->count);
    gate_json_key(json, "short_names");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < names->count && i < MAPPING_ROWS; i++) {
        const struct gate_short_named *place = &names->items[i];
        gate_json_open(json, '{');
        gate_json_key(json, "place");
        gate_json_string(json, place->place);
        gate_json_key(json, "share");
        gate_json_number(json, place->share);
        gate_json_key(json, "functions");
        gate_json_integer(json, place->functions);
        gate_json_key(json, "short");
        gate_json_integer(json, place->short_count);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void inspect_oddities(struct gate_json *json, const struct gate_inspection *facts) {
    gate_json_key(json, "oddities");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < facts->oddity_count; i++) {
        gate_json_open(json, '{');
        gate_json_key(json, "code");
        gate_json_text(json, facts->oddities[i].code);
        gate_json_key(json, "count");
        gate_json_integer(json, (int64_t)facts->oddities[i].count);
        gate_json_key(json, "message");
        gate_json_text(json, facts->oddities[i].text);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void inspect_header(struct gate_json *json, const struct gate_run_input *run,
                           const struct gate_inspection *facts) {
    const struct gate_profile *profile = run->profile;
    const struct {
        const char *key;
        struct gate_str text;
    } texts[] = {{"path", run->path},
                 {"format", gate_str_from(gate_format_name(profile->format))},
                 {"container", gate_str_from(gate_container_name(profile->container))},
                 {"producer", facts->producer},
                 {"language", facts->language}};
    const struct {
        const char *key;
        int64_t number;
    } numbers[] = {{"inflated_bytes", (int64_t)profile->bytes.len},
                   {"samples", (int64_t)profile->sample_count},
                   {"locations", profile->location_count},
                   {"functions", profile->function_count},
                   {"max_depth", profile->max_depth},
                   {"time_ns", profile->time_ns},
                   {"duration_ns", profile->duration_ns},
                   {"period", profile->period}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gate_json_key(json, texts[i].key);
        gate_json_string(json, texts[i].text);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        gate_json_key(json, numbers[i].key);
        gate_json_integer(json, numbers[i].number);
    }
}

static void inspect_own_part(struct gate_json *json, const struct gate_inspect_own *own, enum gate_split_part part) {
    const struct gate_split_list *list = &own->split.parts[part];
    int64_t total = own->pair->sides[GATE_BASELINE].total;
    uint32_t rows = gate_inspect_own_rows(own, list, OWN_ROWS);
    gate_json_key(json, gate_split_name(part));
    gate_json_open(json, '{');
    gate_json_key(json, "share");
    gate_json_number(json, gate_share(list->total, total));
    gate_json_key(json, "frames_total");
    gate_json_integer(json, list->count);
    gate_json_key(json, "frames");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < rows; i++) {
        const struct gate_frame *frame = &own->pair->frames[list->rows[i].frame];
        gate_json_open(json, '{');
        gate_json_key(json, "function");
        gate_json_string(json, frame->name);
        gate_json_key(json, "kind");
        gate_json_text(json, gate_own_code_name(frame->code));
        gate_json_key(json, "share");
        gate_json_number(json, gate_share(list->rows[i].value, total));
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
    gate_json_close(json, '}');
}

static void inspect_own(struct gate_json *json, const struct gate_inspect_own *own) {
    gate_json_key(json, "own_code");
    gate_json_open(json, '{');
    if (own->pair == NULL) {
        gate_json_key(json, "error");
        gate_json_string(json, own->why);
        gate_json_close(json, '}');
        return;
    }
    gate_json_key(json, "language");
    gate_json_text(json, gate_own_code_language_name(own->pair->language));
    gate_json_key(json, "nothing_is_own");
    gate_json_bool(json, own->pair->has_no_own);
    gate_json_key(json, "everything_is_own");
    gate_json_bool(json, own->split.is_all_own);
    gate_json_key(json, "unsymbolised_share");
    gate_json_number(json, gate_share(own->split.unsymbolised, own->pair->sides[GATE_BASELINE].total));
    for (int part = 0; part < GATE_SPLIT_PARTS; part++)
        inspect_own_part(json, own, (enum gate_split_part)part);
    gate_json_close(json, '}');
}

void gate_inspect_json(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts,
                       const struct gate_inspect_own *own) {
    struct gate_json json = {.out = out};
    gate_json_open(&json, '{');
    inspect_header(&json, run, facts);
    gate_json_key(&json, "period_type");
    gate_json_open(&json, '{');
    inspect_type(&json, &run->profile->period_type);
    gate_json_close(&json, '}');
    inspect_types(&json, facts, run->profile->sample_type_count);
    inspect_own(&json, own);
    inspect_labels(&json, facts);
    inspect_mappings(&json, &facts->mappings);
    inspect_shorts(&json, &facts->shorts);
    inspect_names(&json, facts);
    inspect_oddities(&json, facts);
    gate_json_close(&json, '}');
}
