/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate inspect`: what each profile is, before anything is compared. */
#include "gate/base/escape.h"
#include "gate/cli/cli.h"
#include "gate/cli/options.h"
#include "gate/cli/request.h"
#include "gate/cli/sides.h"
#include "gate/profile/container.h"
#include "gate/profile/format.h"
#include "gate/profile/inspection.h"
#include "gate/profile/name_stable.h"
#include "gate/profile/unit.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

enum inspect_option { INSPECT_JSON = GATE_REQUEST_OPTIONS_END, INSPECT_NAME_RULES };

static const struct gate_option options[] = {
    {INSPECT_JSON, "json", 0, NULL, "the same as JSON, an array with an object a profile"},
    {INSPECT_NAME_RULES, "name-rules", 0, NULL, "list the rules by which names of two builds become one frame"},
    {GATE_REQUEST_PERIOD, "period", 0, "N", "the sampling period, in the value's unit, where the profile is wrong"},
    {GATE_REQUEST_MUTEX_FRACTION, "mutex-fraction", 0, "N", "Go's mutex profile fraction, which the profile lacks"},
    GATE_REQUEST_LIMIT_OPTIONS,
    {0, NULL, 0, NULL, NULL},
};

static const char usage[] =
    "Usage: pprofgate inspect [options] PROFILE...\n"
    "\n"
    "Says what profiles are: who wrote them, what they measure, how their events are\n"
    "counted, and what about them is odd.\n"
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
    for (const struct gate_name_stable_rule *rule = gate_name_stable_rules; rule->language != NULL; rule++)
        gate_buf_printf(out, "%s, %s\n    %s\n    -> %s\n", rule->language, rule->name, rule->from, rule->to);
}

/* One file. What is said of it stands behind what is in `out`, which stays as it is on an error. */
static bool inspect_one(struct gate_buf *out, const char *path, const struct gate_request *request, bool json,
                        struct gate_cli *cli, struct gate_error *err) {
    const struct gate_paths one = {.items = &path, .count = 1};
    struct gate_run_input *run = NULL;
    struct gate_inspection facts;
    uint32_t count = 0;
    if (!gate_sides_load_one(&run, &count, cli, &one, &request->limits, false, err) ||
        !gate_profile_inspect(&facts, run->profile, &request->counts, cli->arena, err))
        return false;
    gate_buf_text(out, out->len == 0 ? (json ? "[" : "") : (json ? ",\n" : "\n"));
    if (json)
        json_profile(out, run, &facts);
    else
        text_profile(out, run, &facts);
    return gate_buf_check(out, err);
}

static int inspect_finish(struct gate_cli *cli, struct gate_buf *out, bool ok, struct gate_error *err) {
    if (ok && !gate_cli_write(cli->out, gate_buf_view(out)))
        ok = gate_error_set(err, GATE_ERR_IO, "cannot write to standard output");
    gate_buf_free(out);
    return ok ? GATE_EXIT_PASS : gate_cli_fail(cli, err);
}

/* Every file, also those behind one that is no profile: which of a folder's files is bad is what one wants to know. */
static int inspect_all(const struct gate_request *request, bool json, struct gate_cli *cli) {
    struct gate_buf out = {0};
    struct gate_error err = {0};
    struct gate_paths paths;
    int status = GATE_EXIT_PASS;
    uint32_t inputs = 0;
    for (uint32_t i = 0; i < request->arguments.count; i++)
        inputs += strcmp(request->arguments.items[i], "-") == 0;
    if (inputs > 1)
        (void)gate_error_set(&err, GATE_ERR_USAGE, "'-' stands for standard input and can be given once");
    if (inputs > 1 || !gate_paths_expand(&paths, &request->arguments, cli->arena, &err))
        return gate_cli_fail(cli, &err);
    for (uint32_t i = 0; i < paths.count; i++) {
        struct gate_error why = {0};
        if (!inspect_one(&out, paths.items[i], request, json, cli, &why))
            status = gate_cli_fail(cli, &why);
    }
    gate_buf_text(&out, json && out.len != 0 ? "]\n" : "");
    int written = inspect_finish(cli, &out, gate_buf_check(&out, &err), &err);
    return written == GATE_EXIT_PASS ? status : written;
}

/* A command line of inspect, parsed. */
struct inspect {
    struct gate_request request;
    bool json, name_rules;
};

static bool inspect_take(void *context, int id, const char *value, struct gate_cli *cli, struct gate_error *err) {
    struct inspect *inspect = context;
    if (id == INSPECT_JSON)
        inspect->json = true;
    else if (id == INSPECT_NAME_RULES)
        inspect->name_rules = true;
    else
        return gate_request_take(&inspect->request, id, value, cli->arena, err);
    return true;
}

static const struct gate_syntax syntax = {.usage = usage, .options = options, .take = inspect_take};

int gate_inspect_run(struct gate_cli *cli, int argc, const char *const *argv) {
    struct inspect inspect = {0};
    struct gate_error err = {0};
    struct gate_buf out = {0};
    int status = GATE_EXIT_PASS;
    gate_request_init(&inspect.request);
    if (!gate_cli_read(&status, cli, &syntax, &inspect, argc, argv))
        return status;
    if (inspect.name_rules) {
        inspect_name_rules(&out);
        return inspect_finish(cli, &out, true, &err);
    }
    if (inspect.request.arguments.count > 0)
        return inspect_all(&inspect.request, inspect.json, cli);
    (void)gate_error_set(&err, GATE_ERR_USAGE, "expected a PROFILE to inspect");
    return gate_cli_fail(cli, &err);
}
