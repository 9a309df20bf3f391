/* SPDX-License-Identifier: Apache-2.0 */
/* The commands `baseline accept`, `baseline list`, `baseline show` and `baseline prune`. */
#include "gate/budget/outcome.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/session/accept_runs.h"
#include "gate/session/capture_options.h"
#include "gate/session/file_roles.h"
#include "gate/session/judge_options.h"
#include "gate/session/profile_options.h"
#include "gate/session/session.h"
#include "gate/session/store_options.h"
#include "gate/store/match.h"
#include "gate/store/store.h"

/* ---- `baseline accept`: store the profiles of a good build, with their origin ------------------------------------ */

/* Options of `baseline accept`. */
struct accept {
    struct gate_store_options where;
    struct gate_profile_options profiles;
    struct gate_capture_options asking;
    struct gate_work work;
    const char *work_file;
    const char *verdict;
    const char *reason;
    int side; /* enum gate_side_name, or -1: not given */
    uint32_t keep;
};

#define AT(field) .at = offsetof(struct accept, field)

static const char *const side_words[] = {"baseline", "canary", NULL};

static const struct gate_option accept_rows[] = {
    {"verdict", 0, "FILE",
     "the JSON report of the check of these profiles: those of a canary that failed are not accepted",
     gate_option_value_text, AT(verdict)},
    {"reason", 0, "TEXT", "why they are accepted all the same; it is kept and shown", gate_option_value_text,
     AT(reason)},
    {"work", 0, "N1,N2,...",
     "work done in each run, in the order of the runs, or in all together; endpoint=/search:N1,N2,... gives it for one "
     "value of a label of the samples",
     gate_work_option_runs, AT(work)},
    {"work-file", 0, "FILE", "the same as YAML or JSON: {runs: {endpoint: {/search: [N1, N2]}}}",
     gate_option_value_text, AT(work_file)},
    {"side", 0, "SIDE", "side of a folder with a manifest (default: the canary, if there is one)",
     gate_option_value_word, AT(side), side_words},
    {"keep", 0, "N", "number of records of each kind of profile to keep (default 20)", gate_option_value_count32,
     AT(keep)},
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
                            "baseline of a change. A PROFILE may be a directory; if it is the only\n"
                            "one, its manifest also contains the work and the source of each run. It may also be the\n"
                            "address of a store such as pyroscope+https://HOST?query={...}&from=-1h&runs=6.\n"
                            "Accepting is atomic, also when several jobs accept at the same time.\n"
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
    accept->asking.limits = &accept->profiles.limits;
    accept->side = -1;
    accept->keep = GATE_ACCEPT_RUNS_KEEP;
}

static bool accept_finish(struct accept *accept, struct gate_session *session, struct gate_error *err) {
    struct gate_file_roles roles = {0};
    if (!gate_store_options_check(&accept->where, true, err))
        return false;
    if (accept->profiles.arguments.count == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "expected PROFILE files to accept, or a directory of them");
    return (accept->verdict == NULL ||
            gate_file_roles_read(&roles, "the verdict", accept->verdict, session->arena, err)) &&
           (accept->work_file == NULL ||
            gate_file_roles_read(&roles, "the work", accept->work_file, session->arena, err)) &&
           gate_file_roles_check(&roles, err) &&
           (accept->work_file == NULL || gate_work_option_file(&accept->work, session, accept->work_file, err));
}

static bool accept_checked(struct gate_checked *checked, const struct accept *accept, struct gate_session *session,
                           struct gate_error *err) {
    struct gate_limits limits = gate_limits_default();
    struct gate_str text;
    return (gate_input_read(&text, session, accept->verdict, &limits, session->arena, err) &&
            gate_checked_read(checked, text, session->arena, err)) ||
           gate_error_prefix(err, "%s", gate_input_name(accept->verdict));
}

/* Prints what was accepted, and which records were removed. */
static bool print_accepted(const struct gate_record *record, const struct gate_keep_counts *removed,
                           struct gate_session *session, struct gate_error *err) {
    struct gate_buf text = {0};
    gate_buf_text(&text, "accepted ");
    gate_accept_runs_print(&text, record);
    gate_buf_char(&text, '\n');
    if (removed->records > 0)
        gate_buf_printf(&text, "removed %u older record%s\n", (unsigned)removed->records,
                        removed->records == 1 ? "" : "s");
    bool ok = gate_session_print(session, &text, err);
    gate_buf_free(&text);
    return ok;
}

static bool accept_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct accept *accept = wanted;
    struct gate_run_files files;
    struct gate_checked checked;
    struct gate_record record;
    struct gate_keep_counts removed;
    if (!accept_finish(accept, session, err) ||
        !gate_backend_inputs_take(&accept->profiles.arguments, 1, &accept->asking, session, err) ||
        !gate_run_files_find(&files, &accept->profiles.arguments, accept->side, session, err) ||
        (accept->verdict != NULL && !accept_checked(&checked, accept, session, err)))
        return false;
    if (files.is_chosen)
        gate_session_note(
            session, GATE_STR("the folder has runs of both sides: those of the canary are accepted; --side baseline "
                              "takes the others"));
    const struct gate_accept_request request = {.where = &accept->where,
                                                .files = &files,
                                                .work = &accept->work,
                                                .checked = accept->verdict == NULL ? NULL : &checked,
                                                .verdict = GATE_STR(""),
                                                .reason = gate_str_from(accept->reason == NULL ? "" : accept->reason),
                                                .keep = accept->keep,
                                                .limits = &accept->profiles.limits};
    return gate_accept_runs(&record, &removed, &request, session, err) &&
           print_accepted(&record, &removed, session, err);
}

/* Returns the need for programs: git gives the revision. */
static unsigned accept_needs(const void *wanted) {
    (void)wanted;
    return GATE_NEEDS_PROGRAMS;
}

const struct gate_command gate_command_baseline_accept = {
    .name = "accept",
    .stores = true,
    .needs_processes = true,
    .summary = "take profiles of a good build into a store",
    .usage = usage,
    .examples = examples,
    .options = options,
    .size = sizeof(struct accept),
    .arguments = offsetof(struct accept, profiles.arguments),
    .begin = accept_begin,
    .needs = accept_needs,
    .run = accept_run,
};

/* ---- `baseline list`: print what a store contains, one record per line ------------------------------------------- */

/* Options of `baseline list`. */
struct list {
    struct gate_store_options where;
    struct gate_paths arguments;
};

#define LIST_AT(field) .at = offsetof(struct list, field)

static const struct gate_option_binding cmd_baseline_list_options[] = {{&gate_store_options_place, LIST_AT(where)},
                                                                       {NULL, 0}};

static const char cmd_baseline_list_usage[] =
    "Usage: pprofgate baseline list --store DIR [--service NAME] [--environment NAME]\n"
    "\n"
    "Lists what was accepted, the newest first.\n"
    "\n"
    "Options:\n";

static const struct gate_example cmd_baseline_list_examples[] = {
    {"everything", "pprofgate baseline list --store baselines"},
    {"one service", "pprofgate baseline list --store baselines --service shop"},
    {NULL, NULL}};

static const char tail[] = "\nExit status: 0, or 2 when a record is damaged: the others are listed all the same.\n";

static bool list_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct list *list = wanted;
    struct gate_store store;
    struct gate_records records = {0};
    struct gate_buf text = {0};
    if (list->arguments.count > 0)
        return gate_error_set(err, GATE_ERR_USAGE, "unexpected '%s': this command takes options alone",
                              list->arguments.items[0]);
    struct gate_str environment = gate_str_from(list->where.environment == NULL ? "" : list->where.environment);
    if (!gate_store_options_check(&list->where, false, err) ||
        !gate_store_open(&store, list->where.store, GATE_STORE_READ, session->arena, err))
        return false;
    bool ok = gate_records_list(&records, &store, gate_store_options_service_name(&list->where), environment,
                                session->arena, err);
    gate_store_close(&store);
    if (!ok)
        return false;
    if (records.count == 0) {
        gate_buf_text(&text, "nothing was accepted yet");
        if (!store.is_there) {
            gate_buf_text(&text, ": there is no store in ");
            gate_escape_terminal(&text, gate_str_from(list->where.store));
        }
        gate_buf_text(&text, "\n");
    } else {
        gate_record_text_list(&text, &records);
    }
    ok = gate_session_print(session, &text, err);
    gate_buf_free(&text);
    for (uint32_t i = 0; ok && i < records.damaged_count; i++) {
        struct gate_error damage = {0};
        (void)gate_error_set(&damage, GATE_ERR_FORMAT, "%.*s", GATE_STR_ARG(records.damaged[i]));
        gate_session_fail(session, &damage);
        session->status = GATE_EXIT_ERROR;
    }
    return ok;
}

const struct gate_command gate_command_baseline_list = {
    .name = "list",
    .needs_processes = true,
    .summary = "what a store holds, the newest first",
    .usage = cmd_baseline_list_usage,
    .tail = tail,
    .examples = cmd_baseline_list_examples,
    .takes = GATE_TAKES_NOTHING,
    .options = cmd_baseline_list_options,
    .size = sizeof(struct list),
    .arguments = offsetof(struct list, arguments),
    .run = list_run,
};

/* ---- `baseline prune`: delete old records, and profiles that no record refers to --------------------------------- */

/* Options of `baseline prune`. */
struct prune {
    struct gate_store_options where;
    struct gate_paths arguments;
    uint32_t keep; /* 0: keep all */
};

#define PRUNE_AT(field) .at = offsetof(struct prune, field)

static const struct gate_option prune_rows[] = {
    {"keep", 0, "N", "number of records to keep for each service, environment and kind of profile (default: all)",
     gate_option_value_count32, PRUNE_AT(keep)},
    {0},
};

static const struct gate_option_group prune_group = {.rows = prune_rows};

static const struct gate_option_binding cmd_baseline_prune_options[] = {
    {&gate_store_options_folder, PRUNE_AT(where)}, {&prune_group, 0}, {NULL, 0}};

static const char cmd_baseline_prune_usage[] =
    "Usage: pprofgate baseline prune --store DIR [--keep N]\n"
    "\n"
    "Removes old records, profiles that no record names, and what jobs that were\n"
    "killed left unfinished. While a record is damaged, no profile is removed, since\n"
    "it may be one of its own.\n"
    "\n"
    "Options:\n";

static const struct gate_example cmd_baseline_prune_examples[] = {
    {"keep the last five", "pprofgate baseline prune --store baselines --keep 5"},
    {"only what no record names", "pprofgate baseline prune --store baselines"},
    {NULL, NULL}};

static bool print_pruned(const struct gate_keep_counts *counts, struct gate_session *session, struct gate_error *err) {
    struct gate_buf text = {0};
    gate_buf_printf(&text, "removed %u record%s, %u profile%s, %u unfinished file%s\n", (unsigned)counts->records,
                    counts->records == 1 ? "" : "s", (unsigned)counts->objects, counts->objects == 1 ? "" : "s",
                    (unsigned)counts->leftovers, counts->leftovers == 1 ? "" : "s");
    if (counts->is_spared)
        gate_buf_text(&text, "kept all profiles: a record is damaged, and what it names is not known\n");
    bool ok = gate_session_print(session, &text, err);
    gate_buf_free(&text);
    return ok;
}

static bool prune_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct prune *prune = wanted;
    struct gate_store store;
    struct gate_records records = {0};
    struct gate_keep_counts counts = {0};
    if (prune->arguments.count > 0)
        return gate_error_set(err, GATE_ERR_USAGE, "unexpected '%s': this command takes options alone",
                              prune->arguments.items[0]);
    if (!gate_store_options_check(&prune->where, false, err))
        return false;
    /* Opened for reading first, so that a misspelt path does not create a store. */
    if (!gate_store_open(&store, prune->where.store, GATE_STORE_READ, session->arena, err))
        return false;
    gate_store_close(&store);
    if (!store.is_there)
        return gate_error_set(err, GATE_ERR_INPUT, "%s: there is no store", prune->where.store);
    if (!gate_store_open(&store, prune->where.store, GATE_STORE_WRITE, session->arena, err))
        return false;
    bool ok = gate_records_list(&records, &store, GATE_STR(""), GATE_STR(""), session->arena, err) &&
              (prune->keep == 0 || gate_keep_last(&counts, &records, &store, prune->keep, session->arena, err)) &&
              gate_keep_collect(&counts, &records, &store, session->arena, err);
    gate_store_close(&store);
    return ok && print_pruned(&counts, session, err);
}

const struct gate_command gate_command_baseline_prune = {
    .name = "prune",
    .stores = true,
    .needs_processes = true,
    .summary = "remove old records, and profiles that none names",
    .usage = cmd_baseline_prune_usage,
    .examples = cmd_baseline_prune_examples,
    .takes = GATE_TAKES_NOTHING,
    .options = cmd_baseline_prune_options,
    .size = sizeof(struct prune),
    .arguments = offsetof(struct prune, arguments),
    .run = prune_run,
};

/* ---- `baseline show`: print all fields of accepted runs, and check their profiles -------------------------------- */

/* Options of `baseline show`. */
struct show {
    struct gate_store_options where;
    struct gate_paths arguments;
    bool as_json;
};

#define SHOW_AT(field) .at = offsetof(struct show, field)

static const struct gate_option show_rows[] = {
    {"json", 0, NULL, "as JSON, one record behind another", gate_option_value_flag, SHOW_AT(as_json)},
    {0},
};

static const struct gate_option_group show_group = {.rows = show_rows};

static const struct gate_option_binding cmd_baseline_show_options[] = {
    {&gate_store_options_place, SHOW_AT(where)}, {&show_group, 0}, {NULL, 0}};

static const char cmd_baseline_show_usage[] =
    "Usage: pprofgate baseline show --store DIR [--service NAME] [REVISION]\n"
    "\n"
    "Shows all that is known of what was accepted. REVISION is the beginning of a\n"
    "revision or of a record's id, or what git names so in this checkout: a tag, a\n"
    "branch, HEAD. All its records are shown, and without REVISION only the newest\n"
    "record: of all services and environments, unless --service and --environment\n"
    "select one. Each profile is read and compared with its digest.\n"
    "\n"
    "Options:\n";

static const struct gate_example cmd_baseline_show_examples[] = {
    {"the newest", "pprofgate baseline show --store baselines --service shop"},
    {"the newest, as JSON", "pprofgate baseline show --store baselines --service shop --json"},
    {"what was accepted of a tag", "pprofgate baseline show --store baselines --service shop v1.4.0"},
    {NULL, NULL}};

static const char cmd_baseline_show_tail[] = "\nExit status: 0, or 2 when something shown is damaged.\n";

static bool show_record(struct gate_buf *out, const struct show *show, const struct gate_record *record,
                        const struct gate_store *store, struct gate_session *session, struct gate_error *err) {
    struct gate_str *damage = GATE_NEW_ARRAY(session->arena, struct gate_str, record->run_count);
    if (damage == NULL)
        return gate_arena_error(session->arena, err);
    for (uint32_t i = 0; i < record->run_count; i++) {
        struct gate_error why = {0};
        damage[i] = GATE_STR("");
        if (gate_objects_check(store, record->runs[i].object, session->arena, &why))
            continue;
        damage[i] = gate_str_copy(session->arena, gate_str_from(why.message));
        if (damage[i].ptr == NULL)
            return gate_arena_error(session->arena, err);
        session->status = GATE_EXIT_ERROR;
        if (show->as_json)
            gate_session_fail(session, &why);
    }
    if (show->as_json)
        return gate_record_write(out, record) || gate_buf_check(out, err);
    gate_record_text_show(out, record, damage);
    return true;
}

/* Return whether a record is selected by the REVISION of the command line. `commit` is what git finds for it, or empty.
 * The record may have a shortened revision. */
static bool is_wanted(const struct gate_record *record, struct gate_str wanted, struct gate_str commit) {
    enum { SHORT_REVISION = 7 };
    return gate_str_starts(record->revision, wanted) || gate_str_starts(record->id, wanted) ||
           (record->revision.len >= SHORT_REVISION && gate_str_starts(commit, record->revision));
}

static bool show_all(struct gate_buf *out, const struct show *show, struct gate_str commit,
                     const struct gate_store *store, struct gate_session *session, struct gate_error *err) {
    struct gate_records records = {0};
    uint32_t shown = 0;
    struct gate_str wanted = gate_str_from(show->arguments.count == 0 ? "" : show->arguments.items[0]);
    struct gate_str environment = gate_str_from(show->where.environment == NULL ? "" : show->where.environment);
    if (!gate_records_list(&records, store, gate_store_options_service_name(&show->where), environment, session->arena,
                           err))
        return false;
    for (uint32_t i = 0; i < records.count && (shown == 0 || wanted.len > 0); i++) {
        if (!is_wanted(&records.items[i], wanted, commit))
            continue;
        shown++;
        if (!show_record(out, show, &records.items[i], store, session, err))
            return false;
    }
    if (shown > 0)
        return true;
    if (records.damaged_count > 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "%.*s", GATE_STR_ARG(records.damaged[0]));
    return wanted.len == 0 ? gate_error_set(err, GATE_ERR_INPUT, "%s: nothing was accepted yet", store->path)
                           : gate_error_set(err, GATE_ERR_INPUT,
                                            "%s: no accepted baseline has a revision or id that begins with '%.*s'; "
                                            "'pprofgate baseline list' lists them",
                                            store->path, GATE_STR_ARG(wanted));
}

static unsigned show_needs(const void *wanted) {
    const struct show *show = wanted;
    return show->arguments.count > 0 ? GATE_NEEDS_PROGRAMS : 0; /* git */
}

static bool show_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct show *show = wanted;
    struct gate_store store;
    struct gate_buf text = {0};
    struct gate_str commit = GATE_STR("");
    struct gate_error unknown = {0};
    if (show->arguments.count > 1)
        return gate_error_set(err, GATE_ERR_USAGE, "unexpected '%s': expected one REVISION", show->arguments.items[1]);
    if (!gate_store_options_check(&show->where, false, err))
        return false;
    if (show->arguments.count == 1 &&
        !gate_ancestry_commit(&commit, gate_str_from(show->arguments.items[0]), session->arena, &unknown) &&
        unknown.code != GATE_ERR_INPUT) {
        *err = unknown;
        return false;
    }
    gate_sandboxing_narrow(session, 0);
    if (!gate_store_open(&store, show->where.store, GATE_STORE_READ, session->arena, err))
        return false;
    bool ok = show_all(&text, show, commit, &store, session, err) && gate_session_print(session, &text, err);
    gate_store_close(&store);
    gate_buf_free(&text);
    return ok;
}

const struct gate_command gate_command_baseline_show = {
    .name = "show",
    .needs_processes = true,
    .summary = "all that is known of what was accepted",
    .usage = cmd_baseline_show_usage,
    .tail = cmd_baseline_show_tail,
    .examples = cmd_baseline_show_examples,
    .takes = GATE_TAKES_NOTHING,
    .options = cmd_baseline_show_options,
    .needs = show_needs,
    .size = sizeof(struct show),
    .arguments = offsetof(struct show, arguments),
    .run = show_run,
};

/* ---- `baseline`: the group of these commands --------------------------------------------------------------------- */

static const struct gate_command *const commands[] = {&gate_command_baseline_accept, &gate_command_baseline_list,
                                                      &gate_command_baseline_show, &gate_command_baseline_prune, NULL};

static const char cmd_baseline_usage[] = "Usage: pprofgate baseline COMMAND [options] ...\n"
                                         "\n"
                                         "Keeps profiles of good builds in a store, a plain folder, from which\n"
                                         "`check --store` takes the baseline of a change.\n"
                                         "\n"
                                         "Commands:\n";

const struct gate_command gate_command_baseline = {
    .name = "baseline",
    .summary = "keep accepted baselines: accept, list, show, prune",
    .usage = cmd_baseline_usage,
    .commands = commands,
};
