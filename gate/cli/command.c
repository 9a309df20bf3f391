/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing the run of a command (see command.h). */
#include "gate/cli/command.h"

#include "gate/cli/exit_code.h"

static bool command_help(const struct gate_command *command, const struct gate_options *options, struct gate_cli *cli,
                         struct gate_error *err) {
    struct gate_buf out = {0};
    gate_buf_text(&out, command->usage);
    gate_options_help(&out, options);
    gate_buf_text(&out, command->tail == NULL ? "" : command->tail);
    bool ok = gate_cli_print(cli, &out, err);
    gate_buf_free(&out);
    return ok;
}

int gate_command_run(const struct gate_command *command, struct gate_cli *cli) {
    struct gate_error err = {0};
    struct gate_options options;
    bool wants_help = false;
    char *wanted = gate_arena_calloc(cli->arena, 1, command->size);
    bool ok = wanted != NULL || gate_arena_error(cli->arena, &err);
    if (ok && command->begin != NULL)
        command->begin(wanted);
    ok = ok && gate_options_bind(&options, command->options, wanted, cli->arena, &err) &&
         gate_options_read(&options, (struct gate_paths *)(void *)(wanted + command->arguments), &wants_help, cli->argc,
                           cli->argv, cli->arena, &err);
    if (ok)
        ok = wants_help ? command_help(command, &options, cli, &err) : command->run(wanted, cli, &err);
    if (!ok && err.code != GATE_OK)
        gate_cli_fail(cli, &err);
    return ok ? cli->status : GATE_EXIT_ERROR;
}
