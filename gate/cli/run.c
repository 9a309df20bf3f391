/* SPDX-License-Identifier: Apache-2.0 */
/* Which command a command line means (see run.h). */
#include "gate/cli/run.h"

#include "gate/cli/command.h"

static const struct gate_command *const commands[] = {
    &gate_command_calibrate, &gate_command_check,   &gate_command_diff,  &gate_command_explain,
    &gate_command_init,      &gate_command_inspect, &gate_command_merge, &gate_command_validate,
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char help_head[] = "pprofgate compares a canary profile with a baseline and decides, by the budgets\n"
                                "of a rules file, whether the canary may go on.\n"
                                "\n"
                                "Usage: pprofgate COMMAND [options] ...\n"
                                "\n"
                                "Commands:\n";

static const char help_tail[] = "\n"
                                "  pprofgate COMMAND --help   what a command takes\n"
                                "  pprofgate --version        the version\n"
                                "\n"
                                "Exit status: 0 pass, 1 a failing budget is broken, 2 usage, configuration or\n"
                                "input error, 3 inconclusive, 70 a bug in pprofgate.\n";

static int run_help(FILE *stream, int status) {
    struct gate_buf out = {0};
    gate_buf_text(&out, help_head);
    for (size_t i = 0; i < COMMANDS; i++)
        gate_buf_printf(&out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    gate_buf_text(&out, help_tail);
    bool ok = gate_cli_write(stream, gate_buf_view(&out));
    gate_buf_free(&out);
    return ok ? status : GATE_EXIT_ERROR;
}

static int run_unknown(struct gate_cli *cli, const char *name) {
    const char *words[COMMANDS + 1] = {NULL};
    struct gate_error err = {0};
    for (size_t i = 0; i < COMMANDS; i++)
        words[i] = commands[i]->name;
    const char *nearest = gate_str_nearest(gate_str_from(name), words);
    if (nearest != NULL)
        (void)gate_error_set(&err, GATE_ERR_USAGE, "unknown command '%s' (did you mean '%s'?)", name, nearest);
    else
        (void)gate_error_set(&err, GATE_ERR_USAGE, "unknown command '%s'; pprofgate --help lists them", name);
    gate_cli_fail(cli, &err);
    return GATE_EXIT_ERROR;
}

static int run_command(struct gate_cli *cli, int argc, const char *const *argv) {
    if (argc < 2)
        return run_help(cli->err, GATE_EXIT_ERROR);
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return run_help(cli->out, GATE_EXIT_PASS);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return gate_cli_write(cli->out, GATE_STR("pprofgate " GATE_VERSION "\n")) ? GATE_EXIT_PASS : GATE_EXIT_ERROR;
    cli->argc = argc - 2;
    cli->argv = argv + 2;
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return gate_command_run(commands[i], cli);
    return run_unknown(cli, name);
}

int gate_run(int argc, const char *const *argv, FILE *in, FILE *out, FILE *err) {
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    struct gate_cli cli = {.in = in, .out = out, .err = err, .arena = &arena, .status = GATE_EXIT_PASS};
    int status = run_command(&cli, argc, argv);
    gate_arena_free(&arena);
    return status;
}
