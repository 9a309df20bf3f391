/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate inspect`: what each profile is, before anything is compared. report/inspect.h says it. */
#include "gate/cli/command.h"
#include "gate/cli/exit_code.h"
#include "gate/cli/load_sides.h"
#include "gate/cli/option_value.h"
#include "gate/cli/profile_options.h"
#include "gate/profile/inspection.h"
#include "gate/report/inspect.h"

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
        gate_inspect_json(out, &runs.items[0], &facts);
    else
        gate_inspect_text(out, &runs.items[0], &facts);
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
        gate_inspect_name_rules(&out);
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
