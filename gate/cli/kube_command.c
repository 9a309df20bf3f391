/* SPDX-License-Identifier: Apache-2.0 */
/* A command for who we are (see kube_command.h). */
#include "gate/cli/kube_command.h"

#include "gate/trial/child.h"
#include "gate/trial/output_file.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double COMMAND_SECONDS = 60;
static const double GRACE_SECONDS = 2;

enum { NOT_FOUND = 127 };

/* PPROFGATE_EXEC_SECONDS: for tests, which do not wait for a minute. */
static double seconds_of(void) {
    const char *told = getenv("PPROFGATE_EXEC_SECONDS");
    double seconds = told == NULL ? 0 : strtod(told, NULL);
    return seconds > 0 && seconds < COMMAND_SECONDS ? seconds : COMMAND_SECONDS;
}

static bool end_check(const struct gate_child *child, enum gate_child_wait end, const struct gate_kube_exec *exec,
                      struct gate_arena *arena, struct gate_error *err) {
    if (end == GATE_CHILD_LATE)
        return gate_error_set(err, GATE_ERR_CONFIG, "it did not end within %.0f s; does it wait for somebody?",
                              seconds_of());
    if (WIFEXITED(child->status) && WEXITSTATUS(child->status) == NOT_FOUND)
        return gate_error_set(err, GATE_ERR_CONFIG, "it is not there%s%.*s", exec->install_hint.len > 0 ? ": " : "",
                              GATE_STR_ARG(gate_str_slice(exec->install_hint, 0, 200)));
    return gate_child_is_well(child) || gate_error_set(err, GATE_ERR_CONFIG, "it %.*s; log in again, as for kubectl",
                                                       GATE_STR_ARG(gate_child_end(child, arena)));
}

static bool run(struct gate_str *out, const struct gate_kube_exec *exec, char *const *environment,
                const struct gate_output_file *file, struct gate_arena *arena, struct gate_error *err) {
    struct gate_child child = {0};
    struct gate_interrupt interrupt;
    const struct gate_child_options options = {
        .argv = exec->argv, .environment = environment, .out = file->descriptor, .log = STDERR_FILENO};
    gate_interrupt_hold(&interrupt);
    bool ok = gate_child_start(&child, &options, &interrupt, err);
    if (ok) {
        enum gate_child_wait end = gate_child_wait(&child, seconds_of(), &interrupt);
        gate_child_stop(&child, GRACE_SECONDS);
        ok = end == GATE_CHILD_INTERRUPTED ? gate_interrupt_error(&interrupt, err)
                                           : end_check(&child, end, exec, arena, err);
    }
    gate_interrupt_release(&interrupt);
    return ok && gate_output_file_read(file, out, arena, err);
}

static int64_t now_ms(void) {
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool gate_kube_command_ask(struct gate_kube_exec_answer *out, const struct gate_kube_exec *exec,
                           const struct gate_kube_exec_cluster *cluster, struct gate_arena *arena,
                           struct gate_error *err) {
    struct gate_output_file file = {.descriptor = -1};
    struct gate_str text;
    struct gate_error why = {0};
    char *const *environment;
    if (!gate_kube_exec_check(exec, err))
        return false;
    exec->environment[exec->environment_count] = gate_kube_exec_info(exec, cluster, arena).ptr;
    if (exec->environment[exec->environment_count] == NULL)
        return gate_arena_error(arena, err);
    bool ok = gate_child_environment(&environment, exec->environment, arena, &why) &&
              gate_output_file_open(&file, NULL, arena, &why) && run(&text, exec, environment, &file, arena, &why) &&
              gate_kube_exec_answer(out, exec, text, now_ms(), arena, &why);
    gate_output_file_close(&file);
    return ok || gate_error_set(err, why.code, "the command '%s' of the cluster's configuration: %s", exec->argv[0],
                                why.message);
}
