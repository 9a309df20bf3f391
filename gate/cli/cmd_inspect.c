/* SPDX-License-Identifier: Apache-2.0 */
/* The command `inspect`: describes profiles, and reports anomalies. */
#include "gate/base/buf.h"
#include "gate/budget/outcome.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/names/inspection.h"
#include "gate/names/stable_names.h"
#include "gate/report/inspect.h"
#include "gate/session/debuginfod.h"
#include "gate/session/load_sides.h"
#include "gate/session/profile_options.h"
#include "gate/session/rules_in_force.h"

/* Options of `inspect`. */
struct inspect {
    struct gate_profile_options profiles;
    const char *rules_path;
    struct gate_row_limit frames;
    struct gate_pair_options pairing; /* effective options, from rules and command line */
    bool json, name_rules;
};

#define AT(field) .at = offsetof(struct inspect, field)

static const struct gate_option inspect_rows[] = {
    {"rules", 'r', "FILE", "rules file whose 'own' classifies frames as own or foreign code (default: as for check)",
     gate_option_value_text, AT(rules_path)},
    {"frames", 0, "N|all", "rows of the lists of own and foreign code (default 5 as text, 20 as JSON; 0: none)",
     gate_reports_read_row_limit, AT(frames)},
    {"json", 0, NULL, "the same as JSON: an array with one object per profile", gate_option_value_flag, AT(json)},
    {"name-rules", 0, NULL, "list the rules by which names of two builds become one frame", gate_option_value_flag,
     AT(name_rules)},
    {0},
};

static const struct gate_option_group inspect_group = {.rows = inspect_rows};

static const struct gate_option_binding options[] = {
    {&inspect_group, 0},
    {&gate_profile_options_counts, AT(profiles)},
    {&gate_symbol_options_group, AT(profiles.symbols)},
    {&gate_profile_options_limits, AT(profiles)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate inspect [options] PROFILE...\n"
                            "\n"
                            "Describes profiles: the program that wrote them, what they measure, how their\n"
                            "events are counted, how much is your own code, and anything unusual.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {{"what a profile is", "pprofgate inspect baseline.pb.gz"},
                                               {"as JSON, for scripts", "pprofgate inspect --json baseline.pb.gz"},
                                               {NULL, NULL}};

/* Like inspect_one, in memory that the caller frees. */
static bool inspect_load(struct gate_buf *out, const char *path, const struct inspect *inspect,
                         struct gate_session *session, struct gate_error *err) {
    const struct gate_paths one = {.items = &path, .count = 1};
    struct gate_side_runs runs;
    struct gate_inspection facts;
    struct gate_inspect_own own;
    if (!gate_load_sides_one(&runs, session, &one, &inspect->profiles.limits, false, err) ||
        !gate_profile_inspect(&facts, runs.items[0].profile, &inspect->pairing.counts, session->arena, err) ||
        !gate_inspect_own_make(&own, &runs.items[0], &inspect->pairing, session->arena, err))
        return false;
    own.has_row_limit = inspect->frames.is_given;
    own.row_limit = inspect->frames.rows;
    if (!inspect->json)
        gate_buf_text(out, out->len == 0 ? "" : "\n");
    else
        gate_buf_text(out, out->len == 1 ? "" : ",\n"); /* after the bracket */
    own.columns = gate_session_columns(session->out, GATE_WRAP_COLUMNS);
    if (inspect->json)
        gate_inspect_json(out, &runs.items[0], &facts, &own);
    else
        gate_inspect_text(out, &runs.items[0], &facts, &own);
    return gate_buf_check(out, err);
}

/* Appends the description of one file to `out`, and frees its profile. On an error `out` stays as it is. */
static bool inspect_one(struct gate_buf *out, const char *path, const struct inspect *inspect,
                        struct gate_session *session, struct gate_error *err) {
    struct gate_arena arena;
    struct gate_session alone = *session;
    gate_arena_fork(&arena, session->arena);
    alone.arena = &arena;
    bool ok = inspect_load(out, path, inspect, &alone, err);
    session->steps = alone.steps;
    gate_arena_free(&arena);
    return ok;
}

static bool inspect_finish(const struct inspect *inspect, struct gate_arena *arena, struct gate_error *err) {
    struct gate_file_roles roles = {0};
    const char *rules = inspect->rules_path == NULL ? GATE_RULEFILE_DEFAULT : inspect->rules_path;
    if (inspect->profiles.arguments.count == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "expected a PROFILE to inspect");
    return gate_file_roles_read(&roles, "the rules", rules, arena, err) &&
           gate_profile_options_note(&inspect->profiles, "a profile", &roles, arena, err) &&
           gate_file_roles_check(&roles, err);
}

/* Describes every file, also after one that is not a profile, to show which files of a folder are bad. */
static bool inspect_all(struct gate_buf *out, const struct inspect *inspect, struct gate_session *session,
                        struct gate_error *err) {
    struct gate_paths paths;
    if (!gate_input_expand(&paths, &inspect->profiles.arguments, session, &inspect->profiles.limits, err))
        return false;
    gate_buf_text(out, inspect->json ? "[" : "");
    for (uint32_t i = 0; i < paths.count; i++) {
        struct gate_error why = {0};
        if (inspect_one(out, paths.items[i], inspect, session, &why))
            continue;
        gate_session_fail(session, &why);
        session->status = GATE_EXIT_ERROR;
    }
    gate_buf_text(out, inspect->json ? "]\n" : "");
    return true;
}

static bool inspect_profiles(struct gate_buf *out, struct inspect *inspect, struct gate_session *session,
                             struct gate_error *err) {
    struct gate_rules rules = {0};
    bool ok =
        inspect_finish(inspect, session->arena, err) && gate_rulefile_load(&rules, session, inspect->rules_path, err);
    if (ok)
        inspect->pairing = gate_profile_options_pairing(&inspect->profiles, rules.frames, rules.counts);
    ok =
        ok && gate_debuginfod_open(&inspect->profiles.symbols, session, err) && inspect_all(out, inspect, session, err);
    gate_rules_free(&rules);
    return ok;
}

/* Append the rules that turn names of two builds into one frame, in the order in which they apply. */
static void put_name_rules(struct gate_buf *out) {
    gate_buf_text(out, "Names that two builds spell differently become one frame by these rules, in this\n"
                       "order (--names exact turns them off):\n\n");
    for (const struct gate_name_stable_rule *rule = gate_name_stable_rules; rule->language != NULL; rule++)
        gate_buf_printf(out, "%s, %s\n    %s\n    -> %s\n", rule->language, rule->name, rule->from, rule->to);
}

static bool inspect_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct inspect *inspect = wanted;
    struct gate_buf out = {0};
    bool ok = true;
    if (inspect->name_rules)
        put_name_rules(&out);
    else
        ok = inspect_profiles(&out, inspect, session, err);
    ok = ok && gate_session_print(session, &out, err);
    gate_buf_free(&out);
    return ok;
}

const struct gate_command gate_command_inspect = {
    .name = "inspect",
    .summary = "describe profiles and report anything unusual in them",
    .usage = usage,
    .examples = examples,
    .options = options,
    .size = sizeof(struct inspect),
    .arguments = offsetof(struct inspect, profiles.arguments),
    .run = inspect_run,
};
