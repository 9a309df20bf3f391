/* SPDX-License-Identifier: Apache-2.0 */
/* Run the shell commands of a trial. */
#include "gate/trial/shell.h"

#include "gate/base/file.h"
#include "gate/base/git.h"
#include "gate/base/process.h"
#include "gate/compare/pair.h"
#include "gate/compare/pair_types.h"
#include "gate/trial/folder.h"

enum { CHANGES_MAX = 32, TAIL_BYTES = 700 };

static const double GRACE_SECONDS = 3;

/** Return the folder for what a side builds, PPROFGATE_BUILD; NULL if the arena is full. */
static const char *gate_shell_build_folder(const struct gate_shell *shell, enum gate_side_name side) {
    return gate_str_format(shell->arena, "%s/build/%s", shell->cache, gate_side_word(side)).ptr;
}

const char *gate_shell_out_folder(const struct gate_shell *shell) {
    return gate_str_format(shell->arena, "%s/out", shell->cache).ptr;
}

/* Set the environment of a command (see try_plan.h). Git's own variables are removed: with them, `git describe` in a
 * build would read the user's repository. */
static bool shell_environment(char *const **out, const struct gate_shell *shell,
                              const struct gate_shell_command *command, struct gate_error *err) {
    struct gate_arena *arena = shell->arena;
    const char *build = gate_shell_build_folder(shell, command->side), *folder = gate_shell_out_folder(shell);
    size_t count = 0, own = 0, git = 0;
    while (shell->env[own] != NULL)
        own++;
    const char **changes = GATE_NEW_ARRAY(arena, const char *, own + CHANGES_MAX);
    if (changes == NULL || build == NULL || folder == NULL)
        return gate_arena_error(arena, err);
    for (; gate_git_variables[git] != NULL; git++)
        changes[count++] = gate_git_variables[git];
    for (size_t i = 0; i < own; i++)
        changes[count++] = shell->env[i];
    const char *profile = command->profile == NULL ? "" : command->profile;
    changes[count++] = gate_str_format(arena, "PPROFGATE_SIDE=%s", gate_side_word(command->side)).ptr;
    changes[count++] = gate_str_format(arena, "PPROFGATE_ROUND=%u", (unsigned)command->round).ptr;
    changes[count++] = gate_str_format(arena, "PPROFGATE_SECONDS=%g", shell->seconds).ptr;
    changes[count++] = gate_str_format(arena, "PPROFGATE_BUILD=%s", build).ptr;
    changes[count++] = gate_str_format(arena, "PPROFGATE_OUT=%s", folder).ptr;
    changes[count++] = gate_str_format(arena, "PPROFGATE_PROFILE=%s", profile).ptr;
    for (size_t i = git + own; i < count; i++)
        if (changes[i] == NULL)
            return gate_arena_error(arena, err);
    return gate_folders_make(build, err) && gate_child_environment(out, changes, arena, err);
}

/* Open the log files of a command: standard output and standard error go to two files. */
static bool shell_logs(struct gate_shell_run *run, const struct gate_shell *shell, struct gate_error *err) {
    const struct gate_shell_command *command = run->command;
    const char *name = command->name, *side = gate_side_word(command->side);
    const char *folder = gate_str_format(shell->arena, "%s/logs", shell->cache).ptr;
    const char *out = gate_str_format(shell->arena, "%s/logs/%s-%s.out", shell->cache, name, side).ptr;
    const char *log = gate_str_format(shell->arena, "%s/logs/%s-%s.log", shell->cache, name, side).ptr;
    if (folder == NULL || out == NULL || log == NULL)
        return gate_arena_error(shell->arena, err);
    return gate_folders_make(folder, err) && gate_child_output_open(&run->out, out, shell->arena, err) &&
           gate_child_output_open(&run->log, log, shell->arena, err);
}

bool gate_shell_start(struct gate_shell_run *out, const struct gate_shell *shell,
                      const struct gate_shell_command *command, struct gate_error *err) {
    const char *const words[] = {"sh", "-c", command->text, NULL};
    struct gate_child_options options = {.argv = words, .directory = command->directory};
    *out = (struct gate_shell_run){
        .command = command, .out = {.descriptor = -1}, .log = {.descriptor = -1}, .began = gate_interrupt_clock()};
    if (!shell_environment(&options.environment, shell, command, err) || !shell_logs(out, shell, err))
        return false;
    options.out = out->out.descriptor;
    options.log = out->log.descriptor;
    return gate_child_start(&out->child, &options, shell->interrupt, err);
}

bool gate_shell_error(const struct gate_shell_run *run, const struct gate_shell *shell, struct gate_str why,
                      struct gate_error *err) {
    const struct gate_child_output *told = &run->log;
    struct gate_str tail = gate_child_output_tail(told, TAIL_BYTES, shell->arena);
    if (tail.len == 0) {
        told = &run->out;
        tail = gate_child_output_tail(told, TAIL_BYTES, shell->arena);
    }
    if (tail.len == 0)
        return gate_error_set(err, GATE_ERR_INPUT, "%s: '%s' %.*s, without output", gate_side_word(run->command->side),
                              run->command->name, GATE_STR_ARG(why));
    return gate_error_set(err, GATE_ERR_INPUT,
                          "%s: '%s' %.*s; its output is in %s, which ends with:\n"
                          "%.*s",
                          gate_side_word(run->command->side), run->command->name, GATE_STR_ARG(why), told->path,
                          GATE_STR_ARG(tail));
}

bool gate_shell_finish(struct gate_shell_run *run, const struct gate_shell *shell, struct gate_error *err) {
    double left = shell->timeout - (gate_interrupt_clock() - run->began);
    enum gate_child_wait end = gate_child_wait(&run->child, left < 0 ? 0 : left, shell->interrupt);
    if (end == GATE_CHILD_INTERRUPTED)
        return gate_interrupt_error(shell->interrupt, err);
    if (end == GATE_CHILD_LATE) {
        gate_child_stop(&run->child, GRACE_SECONDS);
        struct gate_str why =
            gate_str_format(shell->arena, "took longer than %g seconds (try.timeout)", shell->timeout);
        return gate_shell_error(run, shell, why, err);
    }
    return gate_child_is_well(&run->child) ||
           gate_shell_error(run, shell, gate_child_end(&run->child, shell->arena), err);
}

void gate_shell_close(struct gate_shell_run *run) {
    gate_child_stop(&run->child, GRACE_SECONDS);
    gate_child_output_close(&run->out);
    gate_child_output_close(&run->log);
}

bool gate_shell_do(const struct gate_shell *shell, const struct gate_shell_command *command, struct gate_str *printed,
                   struct gate_error *err) {
    struct gate_shell_run run;
    bool ok = gate_shell_start(&run, shell, command, err) && gate_shell_finish(&run, shell, err) &&
              (printed == NULL || gate_child_output_read(&run.out, printed, shell->arena, err));
    gate_shell_close(&run);
    return ok;
}
