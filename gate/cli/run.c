/* SPDX-License-Identifier: Apache-2.0 */
/* Which command a command line means, and what all commands share (see cli.h). */
#include "gate/cli/run.h"

#include "gate/base/escape.h"
#include "gate/cli/caret.h"
#include "gate/rules/rules.h"
#include "gate/cli/cli.h"

#include <stdlib.h>
#include <unistd.h>

struct command {
    const char *name;
    const char *summary;
    gate_command_run *run;
};

static const struct command commands[] = {
    {"calibrate", "learn from known-good runs how much runs differ", gate_calibrate_run},
    {"check", "compare canary and baseline and decide: pass, fail or inconclusive", gate_check_run},
    {"diff", "show what changed between two sides, without rules", gate_diff_run},
    {"explain", "show every number of the decision on a frame", gate_explain_run},
    {"init", "write a first rules file from a baseline", gate_init_run},
    {"inspect", "say what profiles are and what about them is odd", gate_inspect_run},
    {"merge", "add profiles up into one", gate_merge_run},
    {"validate", "check a rules file", gate_validate_run},
    {NULL, NULL, NULL}};

static const char help_head[] =
    "pprofgate compares a canary profile with a baseline and decides, by the budgets\n"
    "of a rules file, whether the canary may go on.\n"
    "\n"
    "Usage: pprofgate COMMAND [options] ...\n"
    "\n"
    "Commands:\n";

static const char help_tail[] =
    "\n"
    "  pprofgate COMMAND --help   what a command takes\n"
    "  pprofgate --version        the version\n"
    "\n"
    "Exit status: 0 pass, 1 a failing budget is broken, 2 usage, configuration or\n"
    "input error, 3 inconclusive, 70 a bug in pprofgate.\n";

int gate_cli_fail(struct gate_cli *cli, const struct gate_error *err) {
    return gate_cli_fail_at(cli, err, (struct gate_str){NULL, 0}, (struct gate_str){NULL, 0});
}

int gate_cli_fail_at(struct gate_cli *cli, const struct gate_error *err, struct gate_str path, struct gate_str text) {
    struct gate_buf out = {0};
    gate_buf_text(&out, "pprofgate: ");
    if (path.len != 0) {
        gate_escape_terminal(&out, path);
        if (err->line != 0)
            gate_buf_printf(&out, ":%u:%u", (unsigned)err->line, (unsigned)err->column);
        gate_buf_text(&out, ": ");
    }
    gate_escape_terminal(&out, gate_str_from(err->message));
    gate_buf_char(&out, '\n');
    if (text.ptr != NULL)
        gate_caret_print(&out, text, err->line, err->column);
    bool written = gate_cli_write(cli->err, gate_buf_view(&out));
    gate_buf_free(&out);
    (void)written; /* nowhere is left to say so */
    return GATE_EXIT_ERROR;
}

static int run_usage(struct gate_cli *cli, const struct gate_syntax *syntax) {
    struct gate_buf out = {0};
    gate_buf_text(&out, syntax->usage);
    gate_option_help(&out, syntax->options);
    gate_buf_text(&out, syntax->tail == NULL ? "" : syntax->tail);
    bool ok = gate_cli_write(cli->out, gate_buf_view(&out));
    gate_buf_free(&out);
    return ok ? GATE_EXIT_PASS : GATE_EXIT_ERROR;
}

bool gate_cli_read(int *status, struct gate_cli *cli, const struct gate_syntax *syntax, void *wanted, int argc,
                   const char *const *argv) {
    struct gate_error err = {0};
    struct gate_option_walk walk = {.options = syntax->options, .argv = argv, .argc = argc};
    for (int id; (id = gate_option_next(&walk, &err)) != GATE_OPTION_END;) {
        if (id != GATE_OPTION_HELP && id != GATE_OPTION_ERROR && syntax->take(wanted, id, walk.value, cli, &err))
            continue;
        *status = id == GATE_OPTION_HELP ? run_usage(cli, syntax) : gate_cli_fail(cli, &err);
        return false;
    }
    return true;
}

bool gate_cli_write(FILE *stream, struct gate_str text) {
    return fwrite(text.ptr, 1, text.len, stream) == text.len && fflush(stream) == 0;
}

bool gate_cli_wants_colour(FILE *stream) {
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    int descriptor = fileno(stream);
    return descriptor >= 0 && isatty(descriptor) && (no_colour == NULL || no_colour[0] == '\0') && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}

static int run_help(struct gate_cli *cli, FILE *stream, int status) {
    struct gate_buf out = {0};
    gate_buf_text(&out, help_head);
    for (const struct command *c = commands; c->name != NULL; c++)
        gate_buf_printf(&out, "  %-10s %s\n", c->name, c->summary);
    gate_buf_text(&out, help_tail);
    bool ok = gate_cli_write(stream, gate_buf_view(&out));
    gate_buf_free(&out);
    (void)cli;
    return ok ? status : GATE_EXIT_ERROR;
}

static int run_unknown(struct gate_cli *cli, const char *name) {
    const char *words[sizeof commands / sizeof commands[0]];
    size_t count = 0;
    for (const struct command *c = commands; c->name != NULL; c++)
        words[count++] = c->name;
    words[count] = NULL;
    struct gate_error err = {0};
    const char *nearest = gate_str_nearest(gate_str_from(name), words);
    if (nearest != NULL)
        (void)gate_error_set(&err, GATE_ERR_USAGE, "unknown command '%s' (did you mean '%s'?)", name, nearest);
    else
        (void)gate_error_set(&err, GATE_ERR_USAGE, "unknown command '%s'; pprofgate --help lists them", name);
    return gate_cli_fail(cli, &err);
}

static int run_command(struct gate_cli *cli, int argc, const char *const *argv) {
    if (argc < 2)
        return run_help(cli, cli->err, GATE_EXIT_ERROR);
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return run_help(cli, cli->out, GATE_EXIT_PASS);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return gate_cli_write(cli->out, GATE_STR("pprofgate " GATE_VERSION "\n")) ? GATE_EXIT_PASS : GATE_EXIT_ERROR;
    for (const struct command *c = commands; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0)
            return c->run(cli, argc - 2, argv + 2);
    return run_unknown(cli, name);
}

int gate_run(int argc, const char *const *argv, FILE *in, FILE *out, FILE *err) {
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    struct gate_cli cli = {.in = in, .out = out, .err = err, .arena = &arena};
    int status = run_command(&cli, argc, argv);
    gate_arena_free(&arena);
    return status;
}
