/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate baseline list`: what a store holds, one record a line. */
#include "gate/cli/cli.h"
#include "gate/cli/command.h"
#include "gate/cli/exit_code.h"
#include "gate/cli/store_options.h"
#include "gate/store/record_text.h"

/* A command line of baseline list, parsed. */
struct list {
    struct gate_store_options where;
    struct gate_paths arguments;
};

#define AT(field) offsetof(struct list, field)

static const struct gate_option_binding options[] = {{&gate_store_options_place, AT(where)}, {NULL, 0}};

static const char usage[] = "Usage: pprofgate baseline list --store DIR [--service NAME] [--environment NAME]\n"
                            "\n"
                            "Lists what was accepted, the newest first.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {
    {"everything", "pprofgate baseline list --store baselines"},
    {"one service", "pprofgate baseline list --store baselines --service shop"},
    {NULL, NULL}};

static const char tail[] = "\nExit status: 0, or 2 when a record is damaged: the others are listed all the same.\n";

static bool list_run(void *wanted, struct gate_cli *cli, struct gate_error *err) {
    struct list *list = wanted;
    struct gate_store store;
    struct gate_records records = {0};
    struct gate_buf text = {0};
    if (list->arguments.count > 0)
        return gate_error_set(err, GATE_ERR_USAGE, "unexpected '%s': this command takes options alone",
                              list->arguments.items[0]);
    struct gate_str environment = gate_str_from(list->where.environment == NULL ? "" : list->where.environment);
    if (!gate_store_options_check(&list->where, false, err) ||
        !gate_store_open(&store, list->where.store, GATE_STORE_READ, cli->arena, err))
        return false;
    bool ok = gate_records_list(&records, &store, gate_store_options_service_name(&list->where), environment,
                                cli->arena, err);
    gate_store_close(&store);
    if (!ok)
        return false;
    if (records.count == 0)
        gate_buf_text(&text, "nothing was accepted yet\n");
    else
        gate_record_text_list(&text, &records);
    ok = gate_cli_print(cli, &text, err);
    gate_buf_free(&text);
    for (uint32_t i = 0; ok && i < records.damaged_count; i++) {
        struct gate_error damage = {0};
        (void)gate_error_set(&damage, GATE_ERR_FORMAT, "%.*s", GATE_STR_ARG(records.damaged[i].message));
        gate_cli_fail(cli, &damage);
        cli->status = GATE_EXIT_ERROR;
    }
    return ok;
}

const struct gate_command gate_command_baseline_list = {
    .name = "list",
    .summary = "what a store holds, the newest first",
    .usage = usage,
    .tail = tail,
    .examples = examples,
    .takes = GATE_TAKES_NOTHING,
    .options = options,
    .size = sizeof(struct list),
    .arguments = AT(arguments),
    .run = list_run,
};
