/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate baseline accept`: profiles of a good build into a store, with where they come from. */
#include "gate/cli/accepting.h"
#include "gate/cli/backend_inputs.h"
#include "gate/cli/command.h"
#include "gate/cli/file_roles.h"
#include "gate/cli/option_value.h"
#include "gate/cli/profile_options.h"
#include "gate/cli/work_option.h"

/* A command line of baseline accept, parsed. */
struct accept {
    struct gate_store_options where;
    struct gate_profile_options profiles;
    struct gate_capture_options asking;
    struct gate_work work;
    const char *work_file;
    const char *verdict;
    const char *reason;
    int side; /* enum gate_side_name, or -1 */
    uint32_t keep;
};

#define AT(field) offsetof(struct accept, field)

static const char *const side_words[] = {"baseline", "canary", NULL};

static const struct gate_option accept_rows[] = {
    {"verdict", 0, "FILE",
     "the JSON report of the check of these profiles: those of a canary that failed are not accepted",
     gate_option_value_text, AT(verdict), NULL},
    {"reason", 0, "TEXT", "why they are accepted all the same; it is kept and shown", gate_option_value_text,
     AT(reason), NULL},
    {"work", 0, "N1,N2,...",
     "work done in each run, in the order of the runs; endpoint=/search:N1,N2,... tells it of what a label of the "
     "samples stands for",
     gate_work_option_runs, AT(work), NULL},
    {"work-file", 0, "FILE", "the same as YAML or JSON: {runs: {endpoint: {/search: [N1, N2]}}}",
     gate_option_value_text, AT(work_file), NULL},
    {"side", 0, "SIDE", "of a folder with a manifest: which side of it (default: the canary, where there is one)",
     gate_option_value_word, AT(side), side_words},
    {"keep", 0, "N", "how many records of each kind of profile stay (default 20)", gate_option_value_count32, AT(keep),
     NULL},
    {0},
};
static const struct gate_option_group accept_group = {.rows = accept_rows};

static const struct gate_option_binding options[] = {
    {&gate_store_options_place, AT(where)},       {&gate_store_options_change, AT(where)},    {&accept_group, 0},
    {&gate_profile_options_limits, AT(profiles)}, {&gate_capture_options_stores, AT(asking)}, {NULL, 0},
};

static const char usage[] = "Usage: pprofgate baseline accept --store DIR --service NAME PROFILE...\n"
                            "\n"
                            "Takes profiles of a good build into a store, from which `check --store` takes the\n"
                            "baseline of a change. A PROFILE may be a directory; a sole directory with a\n"
                            "manifest tells the work and the source of each run too. It may also be the\n"
                            "address of a store such as pyroscope+https://HOST?query={...}&from=-1h&runs=6.\n"
                            "What is accepted is there whole or not at all, also when several jobs accept at a\n"
                            "time.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {
    {"the runs of a good build", "pprofgate baseline accept --store baselines --service shop good-runs/"},
    {"a canary that check failed, because it was meant",
     "pprofgate baseline accept --store baselines --service shop --verdict out/report.json --reason 'new pricing' "
     "canary.pb.gz"},
    {NULL, NULL}};

static void accept_begin(void *wanted) {
    struct accept *accept = wanted;
    gate_profile_options_begin(&accept->profiles);
    gate_capture_options_begin(&accept->asking);
    accept->side = -1;
    accept->keep = GATE_ACCEPTING_KEEP;
}

static bool accept_finish(struct accept *accept, struct gate_cli *cli, struct gate_error *err) {
    struct gate_file_roles roles = {0};
    if (!gate_store_options_check(&accept->where, true, err))
        return false;
    if (accept->profiles.arguments.count == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "expected PROFILE files to accept, or a directory of them");
    return (accept->verdict == NULL || gate_file_roles_read(&roles, "the verdict", accept->verdict, cli->arena, err)) &&
           (accept->work_file == NULL ||
            gate_file_roles_read(&roles, "the work", accept->work_file, cli->arena, err)) &&
           gate_file_roles_check(&roles, err) &&
           (accept->work_file == NULL || gate_work_option_file(&accept->work, cli, accept->work_file, err));
}

static bool accept_checked(struct gate_checked *checked, const struct accept *accept, struct gate_cli *cli,
                           struct gate_error *err) {
    struct gate_limits limits = gate_limits_default();
    struct gate_error why = {0};
    struct gate_str text;
    return (gate_input_read(&text, cli, accept->verdict, &limits, cli->arena, &why) &&
            gate_checked_read(checked, text, cli->arena, &why)) ||
           gate_error_set(err, why.code, "%s: %s", gate_input_name(accept->verdict), why.message);
}

/* What was done, and what went for it. */
static bool accept_tell(const struct gate_record *record, const struct gate_keep_counts *removed, struct gate_cli *cli,
                        struct gate_error *err) {
    struct gate_buf text = {0};
    gate_buf_text(&text, "accepted ");
    gate_accepting_print(&text, record);
    gate_buf_char(&text, '\n');
    if (removed->records > 0)
        gate_buf_printf(&text, "removed %u older record%s\n", (unsigned)removed->records,
                        removed->records == 1 ? "" : "s");
    bool ok = gate_cli_print(cli, &text, err);
    gate_buf_free(&text);
    return ok;
}

static bool accept_run(void *wanted, struct gate_cli *cli, struct gate_error *err) {
    struct accept *accept = wanted;
    struct gate_run_files files;
    struct gate_checked checked;
    struct gate_record record;
    struct gate_keep_counts removed;
    if (!accept_finish(accept, cli, err) ||
        !gate_backend_inputs_take(&accept->profiles.arguments, 1, &accept->asking, cli, err) ||
        !gate_run_files_find(&files, &accept->profiles.arguments, accept->side, cli, err) ||
        (accept->verdict != NULL && !accept_checked(&checked, accept, cli, err)))
        return false;
    if (files.is_chosen)
        gate_cli_note(cli,
                      GATE_STR("the folder has runs of both sides: those of the canary are accepted; --side baseline "
                               "takes the others"));
    const struct gate_accepting accepting = {.where = &accept->where,
                                             .files = &files,
                                             .work = &accept->work,
                                             .checked = accept->verdict == NULL ? NULL : &checked,
                                             .verdict = GATE_STR(""),
                                             .reason = gate_str_from(accept->reason == NULL ? "" : accept->reason),
                                             .keep = accept->keep,
                                             .limits = &accept->profiles.limits};
    return gate_accepting_do(&record, &removed, &accepting, cli, err) && accept_tell(&record, &removed, cli, err);
}

/* Git tells the revision. */
static unsigned accept_needs(const void *wanted) {
    (void)wanted;
    return GATE_NEEDS_PROGRAMS;
}

const struct gate_command gate_command_baseline_accept = {
    .name = "accept",
    .summary = "take profiles of a good build into a store",
    .usage = usage,
    .examples = examples,
    .options = options,
    .size = sizeof(struct accept),
    .arguments = AT(profiles.arguments),
    .begin = accept_begin,
    .needs = accept_needs,
    .run = accept_run,
};
