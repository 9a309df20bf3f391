/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate manual`: a manual page, or all of them into a folder, as packages install them. */
#include "gate/cli/manual.h"
#include "gate/cli/manual_rules.h"
#include "gate/cli/option_value.h"
#include "gate/cli/output.h"

/* A command line of manual, parsed. */
struct manual {
    struct gate_paths words;
    const char *folder;
};

#define AT(field) offsetof(struct manual, field)

static const struct gate_option rows[] = {
    {"output", 'o', "DIR", "write every page into this folder, pprofgate.1, one a command, and pprofgate-rules.5",
     gate_option_value_text, AT(folder), NULL},
    {0},
};
static const struct gate_option_group group = {.rows = rows};
static const struct gate_option_binding options[] = {{&group, 0}, {NULL, 0}};

static const char usage[] = "Usage: pprofgate manual [COMMAND...]\n"
                            "       pprofgate manual rules\n"
                            "       pprofgate manual -o DIR\n"
                            "\n"
                            "Writes a manual page for man, from the same tables that --help is made of; rules\n"
                            "is the page of rules files, every key of them. Where the program was installed by\n"
                            "a package, the pages are there already.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {{"read a page", "pprofgate manual check | man -l -"},
                                               {"what rules files may say", "pprofgate manual rules | man -l -"},
                                               {"install all", "pprofgate manual -o share/man/man1"},
                                               {NULL, NULL}};

struct manual_walk {
    struct gate_cli *cli;
    const char *folder;
};

static bool manual_write(struct gate_buf *page, const char *name, int section, const struct manual_walk *walk,
                         struct gate_error *err) {
    struct gate_str path = gate_str_format(walk->cli->arena, "%s/%s.%d", walk->folder, name, section);
    return path.ptr == NULL ? gate_arena_error(walk->cli->arena, err)
                            : gate_output_write(walk->cli, path.ptr, gate_buf_view(page), err);
}

static bool manual_write_command(void *context, const struct gate_command *parent, const struct gate_command *command,
                                 struct gate_error *err) {
    const struct manual_walk *walk = context;
    struct gate_buf page = {0};
    const char *name = gate_manual_name(parent, command, walk->cli->arena);
    bool ok = (name != NULL || gate_arena_error(walk->cli->arena, err)) &&
              gate_manual_command(&page, parent, command, walk->cli, err) && manual_write(&page, name, 1, walk, err);
    gate_buf_free(&page);
    return ok;
}

static bool manual_write_all(const char *folder, struct gate_cli *cli, struct gate_error *err) {
    struct manual_walk walk = {cli, folder};
    struct gate_buf page = {0};
    bool ok = gate_manual_program(&page, cli, err) && manual_write(&page, "pprofgate", 1, &walk, err) &&
              gate_command_table_walk(manual_write_command, &walk, err);
    page.len = 0;
    ok = ok && gate_manual_rules(&page, err) && manual_write(&page, "pprofgate-rules", 5, &walk, err);
    gate_buf_free(&page);
    return ok;
}

/* The command that the words name: "check", "baseline accept". */
static bool manual_find(const struct gate_command **parent, const struct gate_command **command,
                        const struct gate_paths *words, struct gate_error *err) {
    *parent = *command = NULL;
    for (uint32_t i = 0; i < words->count; i++) {
        bool is_leaf = *command != NULL && (*command)->commands == NULL;
        *parent = *command;
        *command = is_leaf ? NULL : gate_command_table_find(*parent, words->items[i]);
        if (*command == NULL)
            return gate_error_set(err, GATE_ERR_USAGE, "unknown command '%s'; pprofgate help lists them",
                                  words->items[i]);
    }
    if (*command != NULL && (*command)->commands != NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "'%s' has commands of its own, which have pages; name one of them",
                              (*command)->name);
    return true;
}

static bool manual_run(void *wanted, struct gate_cli *cli, struct gate_error *err) {
    const struct manual *manual = wanted;
    const struct gate_command *parent = NULL, *command = NULL;
    struct gate_buf page = {0};
    bool is_rules = manual->folder == NULL && manual->words.count == 1 && strcmp(manual->words.items[0], "rules") == 0;
    if (!is_rules && !manual_find(&parent, &command, &manual->words, err))
        return false;
    if (manual->folder != NULL)
        return manual->words.count == 0 ? manual_write_all(manual->folder, cli, err)
                                        : gate_error_set(err, GATE_ERR_USAGE, "'--output' takes every page; name none");
    bool ok = is_rules          ? gate_manual_rules(&page, err)
              : command == NULL ? gate_manual_program(&page, cli, err)
                                : gate_manual_command(&page, parent, command, cli, err);
    ok = ok && gate_cli_print(cli, &page, err);
    gate_buf_free(&page);
    return ok;
}

const struct gate_command gate_command_manual = {
    .name = "manual",
    .summary = "manual pages for man",
    .usage = usage,
    .examples = examples,
    .takes = GATE_TAKES_COMMANDS,
    .options = options,
    .size = sizeof(struct manual),
    .arguments = AT(words),
    .run = manual_run,
};
