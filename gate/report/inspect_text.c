/* SPDX-License-Identifier: Apache-2.0 */
/* One profile's facts for a terminal (see inspect.h). */
#include "gate/profile/container.h"
#include "gate/profile/format.h"
#include "gate/report/inspect.h"

#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/base/wrap.h"
#include "gate/profile/name_stable.h"
#include "gate/profile/unit.h"

#include <inttypes.h>
#include <time.h>

enum { MAPPING_ROWS = 10 };

static void text_field(struct gate_buf *out, const char *name, struct gate_str value) {
    gate_buf_printf(out, "  %-13s", name);
    gate_escape_terminal(out, value);
    gate_buf_char(out, '\n');
}

static void text_period(struct gate_buf *out, const struct gate_profile *profile) {
    if (profile->period == 0)
        return;
    gate_buf_printf(out, "  %-13s", "period");
    gate_buf_printf(out, "%" PRId64 " ", profile->period);
    gate_escape_terminal(out, profile->period_type.type);
    gate_buf_char(out, '/');
    gate_escape_terminal(out, profile->period_type.unit);
    if (gate_str_equal(profile->period_type.unit, GATE_STR("nanoseconds")) && profile->period > 0)
        gate_buf_printf(out, " (%.4g samples a second)", 1e9 / (double)profile->period);
    gate_buf_char(out, '\n');
}

static void text_time(struct gate_buf *out, const struct gate_profile *profile) {
    char day[32] = "";
    time_t seconds = (time_t)(profile->time_ns / 1000000000);
    struct tm parts;
    if (profile->time_ns > 0 && gmtime_r(&seconds, &parts) != NULL &&
        strftime(day, sizeof day, "%Y-%m-%d %H:%M:%S UTC", &parts) != 0)
        text_field(out, "taken", gate_str_from(day));
    if (profile->duration_ns != 0) {
        gate_buf_printf(out, "  %-13s", "duration");
        gate_unit_print(out, profile->duration_ns, GATE_STR("nanoseconds"));
        gate_buf_char(out, '\n');
    }
}

static void text_types(struct gate_buf *out, const struct gate_inspection *facts, uint32_t count, uint32_t columns) {
    gate_buf_text(out, "  sample types\n");
    for (uint32_t i = 0; i < count; i++) {
        const struct gate_inspected_type *type = &facts->types[i];
        size_t line = out->len;
        gate_buf_printf(out, "    %c ", i == facts->default_type ? '*' : ' ');
        gate_escape_terminal(out, type->type.type);
        gate_buf_char(out, '/');
        gate_escape_terminal(out, type->type.unit);
        gate_buf_text(out, "  total ");
        gate_unit_print(out, type->total, type->type.unit);
        gate_buf_text(out, ", ");
        gate_figures_count(out, type->events);
        gate_buf_printf(out, " effective events (%s)\n", gate_counts_kind_name(type->counts.kind));
        gate_wrap_since(out, line, 8, columns);
        gate_buf_text(out, "      ");
        gate_figures_whole(out, type->non_zero);
        gate_buf_text(out, " non-zero samples, ");
        gate_figures_share(out, type->symbolised);
        gate_buf_text(out, " of the value with a function name at the leaf\n");
    }
    gate_buf_text(out, "    (* is compared unless --sample-type says otherwise)\n");
}

static void text_labels(struct gate_buf *out, const struct gate_inspection *facts, uint32_t columns) {
    if (facts->label_count == 0)
        return;
    gate_buf_text(out, "  labels\n");
    for (uint32_t i = 0; i < facts->label_count; i++) {
        const struct gate_inspected_label *label = &facts->labels[i];
        size_t line = out->len;
        gate_buf_text(out, "    ");
        gate_escape_terminal(out, label->key);
        gate_buf_printf(out, "  %" PRIu64 " samples: ", label->sample_count);
        for (uint32_t v = 0; v < label->values.count; v++) {
            gate_buf_text(out, v == 0 ? "" : ", ");
            gate_escape_terminal(out, label->values.keys[v]);
        }
        gate_buf_text(out, label->has_more ? ", ...\n" : "\n");
        gate_wrap_since(out, line, 6, columns);
    }
}

/* Which binaries lack names; nothing where none does. */
static void text_mappings(struct gate_buf *out, const struct gate_mapping_names *names, uint32_t columns) {
    if (!names->has_unnamed)
        return;
    gate_buf_text(out, "  names by mapping (--symbols FILE gives those that are missing)\n");
    for (uint32_t i = 0; i < names->count && i < MAPPING_ROWS; i++) {
        const struct gate_mapping_named *mapping = &names->items[i];
        size_t line = out->len;
        gate_buf_text(out, "    ");
        gate_escape_terminal(out, mapping->file.len == 0 ? GATE_STR("in no file") : mapping->file);
        gate_buf_text(out, ": ");
        gate_figures_share(out, mapping->share);
        gate_buf_text(out, " of the value, ");
        gate_figures_share(out, mapping->named);
        gate_buf_printf(out, " of that named; %" PRIu32 " of %" PRIu32 " addresses have no name", mapping->unnamed,
                        mapping->locations);
        gate_buf_text(out, mapping->file.len == 0 ? "" : mapping->build_id.len == 0 ? "; no build id" : "; build id ");
        gate_escape_terminal(out, mapping->build_id);
        gate_buf_char(out, '\n');
        gate_wrap_since(out, line, 6, columns);
    }
    if (names->count > MAPPING_ROWS)
        gate_buf_printf(out, "    ... %" PRIu32 " more\n", names->count - MAPPING_ROWS);
}

/* Which scripts and packages have names that a build took away; nothing where none has. */
static void text_shorts(struct gate_buf *out, const struct gate_short_names *names, uint32_t columns) {
    if (names->count != 0)
        gate_buf_text(out, "  names of one or two letters (--symbols PATH has the source maps, or mapping.txt)\n");
    for (uint32_t i = 0; i < names->count && i < MAPPING_ROWS; i++) {
        const struct gate_short_named *place = &names->items[i];
        size_t line = out->len;
        gate_buf_text(out, "    ");
        gate_escape_terminal(out, place->place.len == 0 ? GATE_STR("no package") : place->place);
        gate_buf_text(out, ": ");
        gate_figures_share(out, place->share);
        gate_buf_printf(out, " of the value, %" PRIu32 " of %" PRIu32 " functions\n", place->short_count,
                        place->functions);
        gate_wrap_since(out, line, 6, columns);
    }
    if (names->count > MAPPING_ROWS)
        gate_buf_printf(out, "    ... %" PRIu32 " more\n", names->count - MAPPING_ROWS);
}

static void text_names(struct gate_buf *out, const struct gate_inspection *facts) {
    if (facts->renamed == 0)
        return;
    gate_buf_printf(out, "  stable names: %" PRIu32 " differ from the profile's (--names exact keeps those)\n",
                    facts->renamed);
    for (uint32_t i = 0; i < facts->renamed && i < GATE_INSPECTION_EXAMPLES; i++) {
        gate_buf_text(out, "    ");
        gate_escape_terminal(out, facts->names[i].from);
        gate_buf_text(out, "\n      -> ");
        gate_escape_terminal(out, facts->names[i].to);
        gate_buf_char(out, '\n');
    }
}

void gate_inspect_text(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts,
                       const struct gate_inspect_own *own) {
    const struct gate_profile *profile = run->profile;
    gate_escape_terminal(out, run->path);
    gate_buf_char(out, '\n');
    gate_buf_printf(out, "  %-13s%s, %s, %zu bytes inflated\n", "format", gate_format_name(profile->format),
                    gate_container_name(profile->container), profile->bytes.len);
    if (facts->producer.len != 0)
        text_field(out, "producer", facts->producer);
    if (facts->language.len != 0)
        text_field(out, "language", facts->language);
    size_t line = out->len;
    gate_buf_printf(
        out, "  %-13s%" PRIu64 " records, %" PRIu32 " locations, %" PRIu32 " functions, deepest stack %" PRIu32 "\n",
        "holds", profile->sample_count, profile->location_count, profile->function_count, profile->max_depth);
    gate_wrap_since(out, line, 15, own->columns);
    text_time(out, profile);
    text_period(out, profile);
    text_types(out, facts, profile->sample_type_count, own->columns);
    gate_inspect_own_text(out, own);
    text_labels(out, facts, own->columns);
    text_mappings(out, &facts->mappings, own->columns);
    text_shorts(out, &facts->shorts, own->columns);
    text_names(out, facts);
    if (facts->oddity_count != 0)
        gate_buf_text(out, "  worth knowing\n");
    for (uint32_t i = 0; i < facts->oddity_count; i++) {
        line = out->len;
        gate_buf_printf(out, "    %s (%" PRIu64 "): %s\n", facts->oddities[i].code, facts->oddities[i].count,
                        facts->oddities[i].text);
        gate_wrap_since(out, line, 6, own->columns);
    }
}

void gate_inspect_name_rules(struct gate_buf *out) {
    gate_buf_text(out, "Names that two builds spell differently become one frame by these rules, in this\n"
                       "order (--names exact turns them off):\n\n");
    for (const struct gate_name_stable_rule *rule = gate_name_stable_rules; rule->language != NULL; rule++)
        gate_buf_printf(out, "%s, %s\n    %s\n    -> %s\n", rule->language, rule->name, rule->from, rule->to);
}
