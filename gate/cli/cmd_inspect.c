/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate inspect`: what each profile is, before anything is compared. */
#include "gate/base/escape.h"
#include "gate/cli/command.h"
#include "gate/cli/exit_code.h"
#include "gate/cli/load_sides.h"
#include "gate/cli/option_value.h"
#include "gate/cli/profile_options.h"
#include "gate/profile/inspection.h"
#include "gate/profile/names.h"
#include "gate/profile/unit.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

/* A command line of inspect, parsed. */
struct inspect {
    struct gate_profile_options profiles;
    bool json, name_rules;
};

#define AT(field) offsetof(struct inspect, field)

static const struct gate_option inspect_rows[] = {
    {"json", 0, NULL, "the same as JSON: an array with one object per profile", gate_option_value_flag, AT(json), NULL},
    {"name-rules", 0, NULL, "list the rules by which names of two builds become one frame", gate_option_value_flag,
     AT(name_rules), NULL},
    {0},
};
static const struct gate_option_group inspect_group = {.rows = inspect_rows};

static const struct gate_option_binding options[] = {
    {&inspect_group, 0},
    {&gate_profile_options_counts, AT(profiles)},
    {&gate_profile_options_limits, AT(profiles)},
    {NULL, 0},
};

static const char usage[] =
    "Usage: pprofgate inspect [options] PROFILE...\n"
    "\n"
    "Describes profiles: who wrote them, what they measure, how their events are\n"
    "counted, and what is odd about them.\n"
    "\n"
    "Options:\n";

/* ---- text -------------------------------------------------------------------------------------------------------- */

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

static void text_types(struct gate_buf *out, const struct gate_inspection *facts, uint32_t count) {
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
        gate_buf_printf(out, ", %.0f effective events (%s)\n", type->events, gate_counts_kind_name(type->counts.kind));
        gate_buf_wrap(out, line, 8);
        gate_buf_printf(out, "      %" PRIu64 " samples not zero, ", type->non_zero);
        gate_buf_fixed(out, 100 * type->symbolised, 1);
        gate_buf_text(out, " % of it has a function name at the leaf\n");
    }
    gate_buf_text(out, "    (* is compared unless --sample-type says otherwise)\n");
}

static void text_labels(struct gate_buf *out, const struct gate_inspection *facts) {
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
        gate_buf_wrap(out, line, 6);
    }
}

static void text_names(struct gate_buf *out, const struct gate_inspection *facts) {
    if (facts->renamed == 0)
        return;
    gate_buf_printf(out, "  stable names: %" PRIu32 " differ from the profile's (--names exact keeps those)\n", facts->renamed);
    for (uint32_t i = 0; i < facts->renamed && i < GATE_INSPECTION_EXAMPLES; i++) {
        gate_buf_text(out, "    ");
        gate_escape_terminal(out, facts->names[i].from);
        gate_buf_text(out, "\n      -> ");
        gate_escape_terminal(out, facts->names[i].to);
        gate_buf_char(out, '\n');
    }
}

static void text_profile(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts) {
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
    gate_buf_printf(out,
                    "  %-13s%" PRIu64 " records, %" PRIu32 " locations, %" PRIu32 " functions, deepest stack %" PRIu32 "\n",
                    "holds", profile->sample_count, profile->location_count, profile->function_count, profile->max_depth);
    gate_buf_wrap(out, line, 15);
    text_time(out, profile);
    text_period(out, profile);
    text_types(out, facts, profile->sample_type_count);
    text_labels(out, facts);
    text_names(out, facts);
    if (facts->oddity_count != 0)
        gate_buf_text(out, "  worth knowing\n");
    for (uint32_t i = 0; i < facts->oddity_count; i++) {
        line = out->len;
        gate_buf_printf(out, "    %s (%" PRIu64 "): %s\n", facts->oddities[i].code, facts->oddities[i].count,
                        facts->oddities[i].text);
        gate_buf_wrap(out, line, 6);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_key(struct gate_buf *out, const char *key, bool first) {
    gate_buf_printf(out, "%s\"%s\":", first ? "" : ",", key);
}

static void json_types(struct gate_buf *out, const struct gate_inspection *facts, uint32_t count) {
    json_key(out, "sample_types", false);
    gate_buf_char(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        const struct gate_inspected_type *type = &facts->types[i];
        gate_buf_text(out, i == 0 ? "{" : ",{");
        json_key(out, "type", true);
        gate_escape_json(out, type->type.type);
        json_key(out, "unit", false);
        gate_escape_json(out, type->type.unit);
        gate_buf_printf(out, ",\"default\":%s,\"total\":%" PRId64 ",\"effective_events\":",
                        i == facts->default_type ? "true" : "false", type->total);
        gate_buf_number(out, type->events);
        json_key(out, "counts_from", false);
        gate_escape_json(out, gate_str_from(gate_counts_kind_name(type->counts.kind)));
        gate_buf_printf(out, ",\"non_zero\":%" PRIu64 ",\"symbolised_share\":", type->non_zero);
        gate_buf_number(out, type->symbolised);
        gate_buf_char(out, '}');
    }
    gate_buf_char(out, ']');
}

static void json_labels(struct gate_buf *out, const struct gate_inspection *facts) {
    json_key(out, "labels", false);
    gate_buf_char(out, '[');
    for (uint32_t i = 0; i < facts->label_count; i++) {
        const struct gate_inspected_label *label = &facts->labels[i];
        gate_buf_text(out, i == 0 ? "{" : ",{");
        json_key(out, "key", true);
        gate_escape_json(out, label->key);
        gate_buf_printf(out, ",\"samples\":%" PRIu64 ",\"numeric\":%s,\"values\":[", label->sample_count,
                        label->is_number ? "true" : "false");
        for (uint32_t v = 0; v < label->values.count; v++) {
            gate_buf_text(out, v == 0 ? "" : ",");
            gate_escape_json(out, label->values.keys[v]);
        }
        gate_buf_printf(out, "],\"more_values\":%s}", label->has_more ? "true" : "false");
    }
    gate_buf_char(out, ']');
}

static void json_names(struct gate_buf *out, const struct gate_inspection *facts) {
    gate_buf_printf(out, ",\"stable_names\":{\"changed\":%" PRIu32 ",\"examples\":[", facts->renamed);
    for (uint32_t i = 0; i < facts->renamed && i < GATE_INSPECTION_EXAMPLES; i++) {
        gate_buf_text(out, i == 0 ? "{\"from\":" : ",{\"from\":");
        gate_escape_json(out, facts->names[i].from);
        gate_buf_text(out, ",\"to\":");
        gate_escape_json(out, facts->names[i].to);
        gate_buf_char(out, '}');
    }
    gate_buf_text(out, "]},\"oddities\":[");
    for (uint32_t i = 0; i < facts->oddity_count; i++) {
        gate_buf_printf(out, "%s{\"code\":\"%s\",\"count\":%" PRIu64 ",\"message\":", i == 0 ? "" : ",",
                        facts->oddities[i].code, facts->oddities[i].count);
        gate_escape_json(out, gate_str_from(facts->oddities[i].text));
        gate_buf_char(out, '}');
    }
    gate_buf_char(out, ']');
}

static void json_profile(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts) {
    const struct gate_profile *profile = run->profile;
    gate_buf_char(out, '{');
    json_key(out, "path", true);
    gate_escape_json(out, run->path);
    json_key(out, "format", false);
    gate_escape_json(out, gate_str_from(gate_format_name(profile->format)));
    json_key(out, "container", false);
    gate_escape_json(out, gate_str_from(gate_container_name(profile->container)));
    json_key(out, "producer", false);
    gate_escape_json(out, facts->producer);
    json_key(out, "language", false);
    gate_escape_json(out, facts->language);
    gate_buf_printf(out,
                    ",\"inflated_bytes\":%zu,\"samples\":%" PRIu64 ",\"locations\":%" PRIu32 ",\"functions\":%" PRIu32
                    ",\"max_depth\":%" PRIu32 ",\"time_ns\":%" PRId64 ",\"duration_ns\":%" PRId64 ",\"period\":%" PRId64,
                    profile->bytes.len, profile->sample_count, profile->location_count, profile->function_count,
                    profile->max_depth, profile->time_ns, profile->duration_ns, profile->period);
    json_key(out, "period_type", false);
    gate_buf_text(out, "{\"type\":");
    gate_escape_json(out, profile->period_type.type);
    gate_buf_text(out, ",\"unit\":");
    gate_escape_json(out, profile->period_type.unit);
    gate_buf_char(out, '}');
    json_types(out, facts, profile->sample_type_count);
    json_labels(out, facts);
    json_names(out, facts);
    gate_buf_char(out, '}');
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static void inspect_name_rules(struct gate_buf *out) {
    gate_buf_text(out, "Names that two builds spell differently become one frame by these rules, in this\n"
                       "order (--names exact turns them off):\n\n");
    for (const struct gate_name_rule *rule = gate_name_rules; rule->language != NULL; rule++)
        gate_buf_printf(out, "%s, %s\n    %s\n    -> %s\n", rule->language, rule->name, rule->from, rule->to);
}

/* One file. What is said of it stands behind what is in `out`, which stays as it is on an error. */
static bool inspect_one(struct gate_buf *out, const char *path, const struct inspect *inspect, struct gate_cli *cli,
                        struct gate_error *err) {
    const struct gate_paths one = {.items = &path, .count = 1};
    struct gate_side_runs runs;
    struct gate_inspection facts;
    if (!gate_load_sides_one(&runs, cli, &one, &inspect->profiles.limits, false, err) ||
        !gate_profile_inspect(&facts, runs.items[0].profile, &inspect->profiles.counts, cli->arena, err))
        return false;
    gate_buf_text(out, out->len == 0 ? (inspect->json ? "[" : "") : (inspect->json ? ",\n" : "\n"));
    if (inspect->json)
        json_profile(out, &runs.items[0], &facts);
    else
        text_profile(out, &runs.items[0], &facts);
    return gate_buf_check(out, err);
}

/* Every file, also those behind one that is not a profile: which of a folder's files is bad is what one wants to know. */
static bool inspect_all(struct gate_buf *out, const struct inspect *inspect, struct gate_cli *cli,
                        struct gate_error *err) {
    const struct gate_paths *arguments = &inspect->profiles.arguments;
    struct gate_file_roles roles = {0};
    struct gate_paths paths;
    if (arguments->count == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "expected a PROFILE to inspect");
    if (!gate_profile_options_note(&inspect->profiles, "a profile", &roles, cli->arena, err) ||
        !gate_file_roles_check(&roles, err) || !gate_paths_expand(&paths, arguments, cli->arena, err))
        return false;
    for (uint32_t i = 0; i < paths.count; i++) {
        struct gate_error why = {0};
        if (inspect_one(out, paths.items[i], inspect, cli, &why))
            continue;
        gate_cli_fail(cli, &why);
        cli->status = GATE_EXIT_ERROR;
    }
    gate_buf_text(out, inspect->json && out->len != 0 ? "]\n" : "");
    return true;
}

static void inspect_begin(void *wanted) {
    gate_profile_options_begin(&((struct inspect *)wanted)->profiles);
}

static bool inspect_run(void *wanted, struct gate_cli *cli, struct gate_error *err) {
    const struct inspect *inspect = wanted;
    struct gate_buf out = {0};
    bool ok = true;
    if (inspect->name_rules)
        inspect_name_rules(&out);
    else
        ok = inspect_all(&out, inspect, cli, err);
    ok = ok && gate_cli_print(cli, &out, err);
    gate_buf_free(&out);
    return ok;
}

const struct gate_command gate_command_inspect = {
    .name = "inspect",
    .summary = "describe profiles, and say what is odd about them",
    .usage = usage,
    .options = options,
    .size = sizeof(struct inspect),
    .arguments = AT(profiles.arguments),
    .begin = inspect_begin,
    .run = inspect_run,
};
