/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate baseline prune`: old records go, and whatever no record names. */
#include "gate/cli/cli.h"
#include "gate/cli/command.h"
#include "gate/cli/option_value.h"
#include "gate/cli/store_options.h"
#include "gate/store/keep.h"

/* A command line of baseline prune, parsed. */
struct prune {
    struct gate_store_options where;
    struct gate_paths arguments;
    uint32_t keep; /* 0: all */
};

#define AT(field) offsetof(struct prune, field)

static const struct gate_option prune_rows[] = {
    {"keep", 0, "N", "how many records of each service, environment and kind of profile stay (default: all of them)",
     gate_option_value_count32, AT(keep), NULL},
    {0},
};
static const struct gate_option_group prune_group = {.rows = prune_rows};

static const struct gate_option_binding options[] = {
    {&gate_store_options_folder, AT(where)}, {&prune_group, 0}, {NULL, 0}};

static const char usage[] = "Usage: pprofgate baseline prune --store DIR [--keep N]\n"
                            "\n"
                            "Removes old records, profiles that no record names, and what jobs that were\n"
                            "killed left unfinished. While a record is damaged, no profile is removed, since\n"
                            "it may be one of its own.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {
    {"keep the last five", "pprofgate baseline prune --store baselines --keep 5"}, {NULL, NULL}};

static bool prune_tell(const struct gate_keep_counts *counts, struct gate_cli *cli, struct gate_error *err) {
    struct gate_buf text = {0};
    gate_buf_printf(&text, "removed %u record%s, %u profile%s, %u unfinished file%s\n", (unsigned)counts->records,
                    counts->records == 1 ? "" : "s", (unsigned)counts->objects, counts->objects == 1 ? "" : "s",
                    (unsigned)counts->leftovers, counts->leftovers == 1 ? "" : "s");
    if (counts->is_spared)
        gate_buf_text(&text, "kept all profiles: a record is damaged, and what it names is not known\n");
    bool ok = gate_cli_print(cli, &text, err);
    gate_buf_free(&text);
    return ok;
}

static bool prune_run(void *wanted, struct gate_cli *cli, struct gate_error *err) {
    struct prune *prune = wanted;
    struct gate_store store;
    struct gate_records records = {0};
    struct gate_keep_counts counts = {0};
    if (prune->arguments.count > 0)
        return gate_error_set(err, GATE_ERR_USAGE, "unexpected '%s': this command takes options alone",
                              prune->arguments.items[0]);
    if (!gate_store_options_check(&prune->where, false, err))
        return false;
    /* A typo must not make a new store. */
    if (!gate_store_open(&store, prune->where.store, GATE_STORE_READ, cli->arena, err))
        return false;
    gate_store_close(&store);
    if (!store.is_there)
        return gate_error_set(err, GATE_ERR_INPUT, "%s: there is no store", prune->where.store);
    if (!gate_store_open(&store, prune->where.store, GATE_STORE_WRITE, cli->arena, err))
        return false;
    bool ok = gate_records_list(&records, &store, GATE_STR(""), GATE_STR(""), cli->arena, err) &&
              (prune->keep == 0 || gate_keep_last(&counts, &records, &store, prune->keep, cli->arena, err)) &&
              gate_keep_collect(&counts, &records, &store, cli->arena, err);
    gate_store_close(&store);
    return ok && prune_tell(&counts, cli, err);
}

const struct gate_command gate_command_baseline_prune = {
    .name = "prune",
    .summary = "remove old records, and profiles that none names",
    .usage = usage,
    .examples = examples,
    .takes = GATE_TAKES_NOTHING,
    .options = options,
    .size = sizeof(struct prune),
    .arguments = AT(arguments),
    .run = prune_run,
};
