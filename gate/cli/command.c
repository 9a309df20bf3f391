/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing the run of a command (see command.h). */
#include "gate/cli/command.h"

#include "gate/cli/exit_code.h"
#include "gate/cli/manner.h"
#include "gate/cli/progress.h"
#include "gate/cli/sealing.h"

static void command_examples(struct gate_buf *out, const struct gate_command *command) {
    const struct gate_example *example = command->examples;
    if (example == NULL)
        return;
    gate_buf_text(out, "\nExamples:\n");
    for (; example->line != NULL; example++)
        gate_buf_printf(out, "  # %s\n  %s\n", example->what, example->line);
}

static bool command_help(const struct gate_command *command, const struct gate_options *options, struct gate_cli *cli,
                         struct gate_error *err) {
    struct gate_buf out = {0};
    gate_buf_text(&out, command->usage);
    gate_options_help(&out, options);
    gate_buf_text(&out, command->tail == NULL ? "" : command->tail);
    command_examples(&out, command);
    bool ok = gate_cli_print(cli, &out, err);
    gate_buf_free(&out);
    return ok;
}

/* Whoever waits is told, whatever the command is: small inputs are done before anybody gets impatient. */
static bool command_work(const struct gate_command *command, void *wanted, struct gate_cli *cli,
                         struct gate_error *err) {
    static const char stage[] = "reading profiles";
    struct gate_progress progress;
    gate_sealing_narrow(cli, command->needs == NULL ? 0 : command->needs(wanted));
    cli->progress = &progress;
    if (cli->is_verbose || cli->is_timed)
        gate_progress_log(&progress, cli->err, stage, cli->is_timed);
    else
        gate_progress_begin(&progress, cli->err, stage, GATE_PROGRESS_PATIENCE_MS);
    bool ok = command->run(wanted, cli, err);
    gate_progress_stage(&progress, NULL);
    gate_progress_end(&progress);
    cli->progress = NULL;
    return ok;
}

bool gate_command_options(struct gate_options *out, void **wanted, const struct gate_command *command,
                          struct gate_cli *cli, struct gate_error *err) {
    *wanted = gate_arena_calloc(cli->arena, 1, command->size);
    if (*wanted == NULL)
        return gate_arena_error(cli->arena, err);
    if (command->begin != NULL)
        command->begin(*wanted);
    return gate_options_bind(out, command->options, *wanted, cli->arena, err) &&
           gate_options_add(out, &gate_manner_options, cli, cli->arena, err);
}

/* What a verdict leaves for the steps behind this one, and an error as well. Returns the exit status. */
static int command_publish(struct gate_cli *cli, int status) {
    struct gate_error err = {0};
    if (gate_github_output_append(&cli->told, status, &err))
        return status;
    cli->blamed_path = GATE_STR("");
    gate_cli_fail(cli, &err);
    return GATE_EXIT_ERROR;
}

int gate_command_run(const struct gate_command *command, struct gate_cli *cli) {
    struct gate_error err = {0};
    struct gate_options options;
    bool wants_help = false;
    void *wanted;
    bool ok = gate_command_options(&options, &wanted, command, cli, &err) &&
              gate_options_read(&options, (struct gate_paths *)(void *)((char *)wanted + command->arguments),
                                &wants_help, cli->argc, cli->argv, cli->arena, &err);
    if (ok)
        ok = wants_help ? command_help(command, &options, cli, &err) : command_work(command, wanted, cli, &err);
    if (!ok && err.code != GATE_OK)
        gate_cli_fail(cli, &err);
    int status = ok ? cli->status : GATE_EXIT_ERROR;
    return command->decides && !wants_help ? command_publish(cli, status) : status;
}
