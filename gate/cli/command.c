/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command: parses its options, applies its sandbox, shows progress, prints its error. */
#include "gate/cli/command.h"

#include "gate/base/sandbox.h"
#include "gate/base/system.h"
#include "gate/budget/outcome.h"
#include "gate/cli/global_options.h"
#include "gate/cli/options.h"
#include "gate/cli/sandbox_files.h"
#include "gate/session/sandboxing.h"
#include "gate/session/session.h"

static void command_examples(struct gate_buf *out, const struct gate_command *command) {
    const struct gate_example *example = command->examples;
    if (example == NULL)
        return;
    gate_buf_text(out, "Examples:\n");
    for (; example->line != NULL; example++)
        gate_buf_printf(out, "  # %s\n  %s\n", example->what, example->line);
    gate_buf_char(out, '\n');
}

/* Append the usage lines, the examples, and what the command does. */
static void command_head(struct gate_buf *out, const struct gate_command *command) {
    const char *blank = strstr(command->usage, "\n\n");
    size_t lines = blank == NULL ? strlen(command->usage) : (size_t)(blank - command->usage) + 2;
    gate_buf_str(out, (struct gate_str){command->usage, lines});
    command_examples(out, command);
    gate_buf_text(out, command->usage + lines);
}

/* Return the command's words after "pprofgate", such as "baseline accept". They begin its usage. */
static struct gate_str command_words(const struct gate_command *command) {
    struct gate_str words = gate_str_from(command->usage + strlen("Usage: pprofgate "));
    return gate_str_slice(words, 0, gate_str_find(words, gate_str_from(command->name), 0) + strlen(command->name));
}

static bool command_help(const struct gate_command *command, const struct gate_options *options,
                         struct gate_session *session, struct gate_error *err) {
    struct gate_buf out = {0};
    command_head(&out, command);
    size_t left_out = gate_options_help(&out, options, session->is_help_whole);
    if (left_out > 0)
        gate_buf_printf(&out, "\n%zu more options: pprofgate help %.*s --all\n", left_out,
                        GATE_STR_ARG(command_words(command)));
    gate_buf_text(&out, command->tail == NULL ? "" : command->tail);
    bool ok = gate_session_print(session, &out, err);
    gate_buf_free(&out);
    return ok;
}

/* Runs the command with a progress display, which appears only if the command runs long. */
static bool command_work(const struct gate_command *command, const struct gate_options *options, void *wanted,
                         struct gate_session *session, struct gate_error *err) {
    static const char stage[] = "reading profiles";
    struct gate_progress progress;
    if (command->needs_processes && !gate_system_has_processes)
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "'%s' is not part of the WebAssembly build, which cannot start programs, open connections "
            "or lock files; use the program for Linux or macOS",
            command->name);
    const struct gate_sandbox_writes writes = {command->writes, command->stores, command->decides};
    if (!gate_sandbox_files_collect(&writes, options, session, err))
        return false;
    gate_sandboxing_narrow(session, command->needs == NULL ? 0 : command->needs(wanted));
    session->progress = &progress;
    if (session->is_verbose || session->is_timed)
        gate_progress_log(&progress, session->err, stage, session->is_timed);
    else
        gate_progress_begin(&progress, session->err, stage, GATE_PROGRESS_PATIENCE_MS);
    bool ok = command->run(wanted, session, err);
    gate_progress_stage(&progress, NULL);
    gate_progress_end(&progress);
    session->progress = NULL;
    return ok;
}

bool gate_command_options(struct gate_options *out, void **wanted, const struct gate_command *command,
                          struct gate_session *session, struct gate_error *err) {
    *wanted = gate_arena_calloc(session->arena, 1, command->size);
    if (*wanted == NULL)
        return gate_arena_error(session->arena, err);
    if (command->begin != NULL)
        command->begin(*wanted);
    return gate_options_bind(out, command->options, *wanted, session->arena, err) &&
           (!command->writes || gate_options_add(out, &gate_manner_outputs, session, session->arena, err)) &&
           gate_options_add(out, &gate_global_options, session, session->arena, err);
}

/* Print the error. If the command line is wrong and the message gives no next step, point to the command's help. */
static void command_fail(const struct gate_command *command, struct gate_session *session,
                         const struct gate_error *err) {
    bool has_step = strchr(err->message, '\n') != NULL || strstr(err->message, "pprofgate ") != NULL;
    bool is_usage = err->code == GATE_ERR_USAGE && session->blamed_path.len == 0 && !has_step;
    gate_session_fail(session, err);
    if (is_usage && session->errors == GATE_ERRORS_TEXT)
        gate_session_hint(session, "usage and examples: pprofgate help %.*s", GATE_STR_ARG(command_words(command)));
}

/* Writes the outputs of the verdict for later steps of a GitHub job, also after an error. Returns the exit status. */
static int command_publish(struct gate_session *session, int status) {
    struct gate_error err = {0};
    if (gate_github_output_append(&session->told, status, &err))
        return status;
    session->blamed_path = GATE_STR("");
    gate_session_fail(session, &err);
    return GATE_EXIT_ERROR;
}

int gate_command_run(const struct gate_command *command, struct gate_session *session) {
    struct gate_error err = {0};
    struct gate_options options;
    bool wants_help = false;
    void *wanted;
    bool ok = gate_command_options(&options, &wanted, command, session, &err) &&
              gate_options_read(&options, (struct gate_paths *)(void *)((char *)wanted + command->arguments),
                                &wants_help, session->argc, session->argv, session->arena, &err);
    if (ok)
        ok = wants_help ? command_help(command, &options, session, &err)
                        : command_work(command, &options, wanted, session, &err);
    if (!ok && err.code != GATE_OK)
        command_fail(command, session, &err);
    int status = ok ? session->status : GATE_EXIT_ERROR;
    gate_sandboxing_end(session);
    return command->decides && !wants_help ? command_publish(session, status) : status;
}
