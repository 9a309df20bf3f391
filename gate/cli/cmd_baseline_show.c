/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate baseline show`: all that is known of accepted profiles, and whether they are still what they were. */
#include "gate/cli/command.h"
#include "gate/cli/exit_code.h"
#include "gate/cli/option_value.h"
#include "gate/cli/store_options.h"
#include "gate/store/objects.h"
#include "gate/store/record_text.h"

/* A command line of baseline show, parsed. */
struct show {
    struct gate_store_options where;
    struct gate_paths arguments;
    bool as_json;
};

#define AT(field) offsetof(struct show, field)

static const struct gate_option show_rows[] = {
    {"json", 0, NULL, "as JSON, one record behind another", gate_option_value_flag, AT(as_json), NULL},
    {0},
};
static const struct gate_option_group show_group = {.rows = show_rows};

static const struct gate_option_binding options[] = {
    {&gate_store_options_place, AT(where)}, {&show_group, 0}, {NULL, 0}};

static const char usage[] = "Usage: pprofgate baseline show --store DIR [--service NAME] [REVISION]\n"
                            "\n"
                            "Shows all that is known of what was accepted: of a revision, or what begins with\n"
                            "REVISION (the id of a record, too); without one, of the newest record. Each\n"
                            "profile is read and compared with its digest.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {
    {"the newest", "pprofgate baseline show --store baselines --service shop"}, {NULL, NULL}};

static const char tail[] = "\nExit status: 0, or 2 when something shown is damaged.\n";

static bool show_record(struct gate_buf *out, const struct show *show, const struct gate_record *record,
                        const struct gate_store *store, struct gate_cli *cli, struct gate_error *err) {
    struct gate_str *damage = GATE_NEW_ARRAY(cli->arena, struct gate_str, (size_t)record->run_count + 1);
    if (damage == NULL)
        return gate_arena_error(cli->arena, err);
    for (uint32_t i = 0; i < record->run_count; i++) {
        struct gate_error why = {0};
        damage[i] = GATE_STR("");
        if (gate_objects_check(store, record->runs[i].object, cli->arena, &why))
            continue;
        damage[i] = gate_str_copy(cli->arena, gate_str_from(why.message));
        if (damage[i].ptr == NULL)
            return gate_arena_error(cli->arena, err);
        cli->status = GATE_EXIT_ERROR;
        if (show->as_json)
            gate_cli_fail(cli, &why);
    }
    if (show->as_json)
        return gate_record_write(out, record) || gate_buf_check(out, err);
    gate_record_text_show(out, record, damage);
    return true;
}

static bool show_all(struct gate_buf *out, const struct show *show, const struct gate_store *store,
                     struct gate_cli *cli, struct gate_error *err) {
    struct gate_records records = {0};
    uint32_t shown = 0;
    struct gate_str wanted = gate_str_from(show->arguments.count == 0 ? "" : show->arguments.items[0]);
    struct gate_str environment = gate_str_from(show->where.environment == NULL ? "" : show->where.environment);
    if (!gate_records_list(&records, store, gate_store_options_service_name(&show->where), environment, cli->arena,
                           err))
        return false;
    for (uint32_t i = 0; i < records.count && (shown == 0 || wanted.len > 0); i++) {
        const struct gate_record *record = &records.items[i];
        if (!gate_str_starts(record->revision, wanted) && !gate_str_starts(record->id, wanted))
            continue;
        shown++;
        if (!show_record(out, show, record, store, cli, err))
            return false;
    }
    if (shown > 0)
        return true;
    if (records.damaged_count > 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "%.*s", GATE_STR_ARG(records.damaged[0].message));
    return wanted.len == 0 ? gate_error_set(err, GATE_ERR_INPUT, "%s: nothing was accepted yet", store->path)
                           : gate_error_set(err, GATE_ERR_INPUT,
                                            "%s: nothing was accepted whose revision or id begins with '%.*s'; "
                                            "'pprofgate baseline list' shows what was",
                                            store->path, GATE_STR_ARG(wanted));
}

static bool show_run(void *wanted, struct gate_cli *cli, struct gate_error *err) {
    struct show *show = wanted;
    struct gate_store store;
    struct gate_buf text = {0};
    if (show->arguments.count > 1)
        return gate_error_set(err, GATE_ERR_USAGE, "unexpected '%s': expected one REVISION", show->arguments.items[1]);
    if (!gate_store_options_check(&show->where, false, err) ||
        !gate_store_open(&store, show->where.store, GATE_STORE_READ, cli->arena, err))
        return false;
    bool ok = show_all(&text, show, &store, cli, err) && gate_cli_print(cli, &text, err);
    gate_store_close(&store);
    gate_buf_free(&text);
    return ok;
}

const struct gate_command gate_command_baseline_show = {
    .name = "show",
    .summary = "all that is known of what was accepted",
    .usage = usage,
    .tail = tail,
    .examples = examples,
    .takes = GATE_TAKES_NOTHING,
    .options = options,
    .size = sizeof(struct show),
    .arguments = AT(arguments),
    .run = show_run,
};
