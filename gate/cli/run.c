/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and the program as a function. */
#include "gate/cli/run.h"

#include "gate/budget/outcome.h"
#include "gate/cli/command.h"

#include <stdio.h>
#include <unistd.h>

/* ---- the table of commands --------------------------------------------------------------------------------------- */

const struct gate_command *const gate_command_table[] = {
    &gate_command_check,
    &gate_command_gate,
    &gate_command_try,
    &gate_command_capture,
    &gate_command_merge,
    &gate_command_summarize,
    &gate_command_inspect,
    &gate_command_diff,
    &gate_command_baseline,
    &gate_command_trend,
    &gate_command_init,
    &gate_command_validate,
    &gate_command_explain,
    &gate_command_prove,
    &gate_command_calibrate,
    &gate_command_completion,
    &gate_command_manual,
    &gate_command_version,
    NULL,
};

/* What the help calls each group of commands, and its first command in the table. */
static const struct {
    const char *heading;
    const struct gate_command *first;
} headings[] = {{"Gate", &gate_command_check},
                {"Profiles", &gate_command_capture},
                {"Baselines", &gate_command_baseline},
                {"Rules", &gate_command_init},
                {"Program", &gate_command_completion}};

const struct gate_command *const *gate_command_table_of(const struct gate_command *group) {
    return group == NULL ? gate_command_table : group->commands;
}

const struct gate_command *gate_command_table_find(const struct gate_command *group, const char *name) {
    for (const struct gate_command *const *at = gate_command_table_of(group); *at != NULL; at++)
        if (strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}

static bool walk(const struct gate_command *group, gate_command_visit *visit, void *context, struct gate_error *err) {
    for (const struct gate_command *const *at = gate_command_table_of(group); *at != NULL; at++)
        if (!((*at)->commands != NULL ? walk(*at, visit, context, err) : visit(context, group, *at, err)))
            return false;
    return true;
}

bool gate_command_table_walk(gate_command_visit *visit, void *context, struct gate_error *err) {
    return walk(NULL, visit, context, err);
}

/* ---- select and run a command ------------------------------------------------------------------------------------ */

/* First block of the arena, enough for the options of a command: if memory runs out, old reports can still be
 * removed. */
enum { FIRST_BYTES = 32 * 1024 };

static const char help_head[] = "pprofgate compares a canary profile with a baseline and decides, by the budgets\n"
                                "of a rules file, whether the canary may go on.\n"
                                "\n"
                                "Usage: pprofgate COMMAND [options] ...\n"
                                "       pprofgate check baseline.pb.gz canary.pb.gz\n";

static const char help_tail[] = "\n"
                                "  pprofgate help COMMAND     examples and options; --all adds rare options\n"
                                "\n"
                                "Exit status: 0 pass, 1 fail: a budget is broken, 2 usage, configuration or\n"
                                "input error, 3 inconclusive, 70 a bug in pprofgate.\n";

static const char group_tail[] = "\n"
                                 "  pprofgate help %s COMMAND   examples and options\n";

/* Prints to standard output. Returns the exit status. */
static int run_print(struct gate_session *session, const struct gate_buf *text) {
    struct gate_error err = {0};
    if (gate_session_print(session, text, &err))
        return GATE_EXIT_PASS;
    gate_session_fail(session, &err);
    return GATE_EXIT_ERROR;
}

/* Prints the list of commands, of the program if `group` is NULL. If help was not requested, no command was given:
 * prints to standard error and fails. */
static int run_help(struct gate_session *session, const struct gate_command *group, bool is_asked) {
    struct gate_buf out = {0};
    gate_buf_text(&out, group == NULL ? help_head : group->usage);
    for (const struct gate_command *const *at = gate_command_table_of(group); *at != NULL; at++) {
        for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
            if (headings[i].first == *at)
                gate_buf_printf(&out, "\n%s:\n", headings[i].heading);
        gate_buf_printf(&out, "  %-10s %s\n", (*at)->name, (*at)->summary);
    }
    if (group == NULL)
        gate_buf_text(&out, help_tail);
    else
        gate_buf_printf(&out, group_tail, group->name);
    bool ok =
        is_asked ? run_print(session, &out) == GATE_EXIT_PASS : gate_session_write(session->err, gate_buf_view(&out));
    gate_buf_free(&out);
    return ok && is_asked ? GATE_EXIT_PASS : GATE_EXIT_ERROR;
}

static int run_version(struct gate_session *session) {
    struct gate_buf out = {0};
    gate_buf_text(&out, "pprofgate " GATE_VERSION "\n");
    int status = run_print(session, &out);
    gate_buf_free(&out);
    return status;
}

/* Words that other tools use for a command. */
static const struct {
    const char *word, *command;
} foreign[] = {{"compare", "check"},
               {"run", "gate"},
               {"canary", "gate"},
               {"bench", "try"},
               {"bisect", "try --bisect"},
               {"accept", "baseline accept"},
               {"save", "baseline accept"},
               {"list", "baseline list"},
               {"show", "inspect"},
               {"info", "inspect"},
               {"top", "inspect"},
               {"record", "capture"},
               {"fetch", "capture"},
               {"lint", "validate"},
               {"config", "validate"},
               {"flamegraph", "diff"},
               {"report", "check --report DIR"},
               {"history", "trend"}};

static const char *foreign_find(const char *name) {
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strcmp(foreign[i].word, name) == 0)
            return foreign[i].command;
    return NULL;
}

/* Fails with what the word may have meant: two files are compared by `check`. */
static int run_unknown(struct gate_session *session, const struct gate_command *group, int argc,
                       const char *const *argv) {
    const char *words[GATE_COMMAND_TABLE_MAX + 1] = {NULL}, *name = argv[0];
    struct gate_error err = {0};
    const struct gate_command *const *table = gate_command_table_of(group);
    for (size_t i = 0; i < GATE_COMMAND_TABLE_MAX && table[i] != NULL; i++)
        words[i] = table[i]->name;
    const char *nearest = group == NULL ? foreign_find(name) : NULL;
    if (nearest == NULL)
        nearest = gate_str_nearest(gate_str_from(name), words);
    const char *of = group == NULL ? "" : group->name, *blank = group == NULL ? "" : " ";
    if (group == NULL && argc >= 2 && access(argv[0], F_OK) == 0 && access(argv[1], F_OK) == 0)
        (void)gate_error_set(&err, GATE_ERR_USAGE,
                             "expected a command, found the file '%s'; to compare both: pprofgate check %s %s", name,
                             argv[0], argv[1]);
    else if (nearest != NULL)
        (void)gate_error_set(&err, GATE_ERR_USAGE, "unknown command '%s%s%s' (did you mean '%s'?)", of, blank, name,
                             nearest);
    else
        (void)gate_error_set(&err, GATE_ERR_USAGE, "unknown command '%s%s%s'; pprofgate help%s%s lists the commands",
                             of, blank, name, blank, of);
    gate_session_fail(session, &err);
    return GATE_EXIT_ERROR;
}

static bool is_help(const char *word) {
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

/* Handles "help", "help check" and "help baseline accept". */
static int run_help_of(struct gate_session *session, const struct gate_command *group, int argc,
                       const char *const *argv) {
    static const char *const wants_help[] = {"--help"};
    if (argc == 0 || strcmp(argv[0], "--all") == 0)
        return run_help(session, group, true);
    const struct gate_command *command = gate_command_table_find(group, argv[0]);
    if (command == NULL)
        return is_help(argv[0]) ? run_help(session, group, true) : run_unknown(session, group, argc, argv);
    if (command->commands != NULL)
        return run_help_of(session, command, argc - 1, argv + 1);
    session->argc = 1;
    session->argv = wants_help;
    session->is_help_whole = argc > 1 && strcmp(argv[1], "--all") == 0;
    return gate_command_run(command, session);
}

/* Runs the command that the first word names, of the program or of a group. */
static int run_command(struct gate_session *session, const struct gate_command *group, int argc,
                       const char *const *argv) {
    if (argc < 1)
        return run_help(session, group, false);
    if (is_help(argv[0]))
        return run_help_of(session, group, argv[0][0] == '-' ? 0 : argc - 1, argv + 1);
    if (group == NULL && (strcmp(argv[0], "--version") == 0 || strcmp(argv[0], "-V") == 0))
        return run_version(session);
    const struct gate_command *command = gate_command_table_find(group, argv[0]);
    if (command == NULL)
        return run_unknown(session, group, argc, argv);
    if (command->commands != NULL)
        return run_command(session, command, argc - 1, argv + 1);
    session->argc = argc - 1;
    session->argv = argv + 1;
    return gate_command_run(command, session);
}

static int run_with(struct gate_session session, int argc, const char *const *argv) {
    struct gate_arena_pool pool = {0};
    struct gate_arena arena;
    _Alignas(max_align_t) char room[FIRST_BYTES];
    gate_arena_init(&arena, 0);
    gate_arena_lend(&arena, room, sizeof room);
    arena.pool = &pool;
    session.arena = &arena;
    int status = run_command(&session, NULL, argc - 1, argv + 1);
    gate_arena_free(&arena);
    return status;
}

int gate_run(int argc, const char *const *argv, FILE *in, FILE *out, FILE *err) {
    struct gate_session session = {.in = in, .out = out, .err = err, .status = GATE_EXIT_PASS};
    return run_with(session, argc, argv);
}

int gate_run_alone(int argc, const char *const *argv, FILE *in, FILE *out, FILE *err) {
    struct gate_session session = {
        .in = in, .out = out, .err = err, .status = GATE_EXIT_PASS, .sandbox.is_wanted = true};
    return run_with(session, argc, argv);
}
