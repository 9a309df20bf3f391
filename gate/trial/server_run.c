/* SPDX-License-Identifier: Apache-2.0 */
/* Run a server for a trial: start it, wait until it answers, run the load, fetch a profile, stop it. */
#include "gate/trial/server_run.h"

#include "gate/base/str.h"
#include "gate/base/system.h"
#include "gate/capture/http.h"
#include "gate/rules/rules.h"
#include "gate/trial/shell.h"
#include "gate/trial/try_plan.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- readiness --------------------------------------------------------------------------------------------------- */

enum { ANSWER_BYTES_MAX = 1024 * 1024, ANSWER_SECONDS = 5 };

static bool try_url(const char *place, struct gate_arena *arena, struct gate_error *err) {
    struct gate_fetch request = {.seconds = ANSWER_SECONDS, .max_bytes = ANSWER_BYTES_MAX};
    struct gate_fetch *const requests[] = {&request};
    const struct gate_fetch_options options = {.connect_seconds = 1};
    bool ok = gate_capture_url_read(&request.url, gate_str_from(place), err) &&
              gate_fetch_all(requests, 1, &options, arena, err);
    if (ok && !request.is_well)
        ok = gate_error_set(err, GATE_ERR_IO, "%s", request.err.message);
    gate_buf_free(&request.body);
    return ok;
}

/* Split "HOST:PORT". `*host` is in `arena`, `*port` points into `place`. */
static bool split(const char **host, const char **port, const char *place, struct gate_arena *arena,
                  struct gate_error *err) {
    const char *colon = strrchr(place, ':');
    struct gate_str name = {place, colon == NULL ? 0 : (size_t)(colon - place)};
    if (name.len > 2 && name.ptr[0] == '[' && name.ptr[name.len - 1] == ']')
        name = gate_str_slice(name, 1, name.len - 1);
    struct gate_str shown = gate_capture_url_show_text(gate_str_from(place), arena);
    if (name.len == 0 || colon[1] == '\0' || strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'try.ready' expects HOST:PORT, such as 127.0.0.1:8080, or a URL; found '%.*s'",
                              GATE_STR_ARG(shown));
    *host = gate_str_copy(arena, name).ptr;
    *port = colon + 1;
    return *host != NULL || gate_arena_error(arena, err);
}

bool gate_reachable_try(const char *place, struct gate_arena *arena, struct gate_error *err) {
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const char *host = NULL, *port = NULL;
    if (gate_try_rules_is_url(gate_str_from(place)))
        return try_url(place, arena, err);
    if (!split(&host, &port, place, arena, err))
        return false;
    int reason = getaddrinfo(host, port, &hints, &found);
    if (reason != 0)
        return gate_error_set(err, GATE_ERR_IO, "%s", gai_strerror(reason));
    bool is_there = false;
    for (const struct addrinfo *at = found; at != NULL && !is_there; at = at->ai_next) {
        int descriptor = gate_system_socket(at->ai_family, at->ai_socktype, at->ai_protocol);
        is_there = descriptor >= 0 && connect(descriptor, at->ai_addr, at->ai_addrlen) == 0;
        if (descriptor >= 0)
            (void)close(descriptor);
    }
    freeaddrinfo(found);
    return is_there || gate_error_set(err, GATE_ERR_IO, "nobody listens");
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

static const double LOOK_SECONDS = 0.1, READY_PAUSE_SECONDS = 0.05, CONNECT_SECONDS = 5, SLACK_SECONDS = 20;

enum { PROFILE_BYTES_MAX = 256 * 1024 * 1024 };

/* State of one run. */
struct server_run {
    const struct gate_shell *shell;
    const struct gate_try_plan *plan;
    struct gate_shell_run server, load;
    struct gate_shell_command load_command;
};

/* A fetch in its own thread, so that the main thread can react to an interrupt. */
struct fetching {
    struct gate_fetch request;
    struct gate_arena arena;
    struct gate_error err;
    atomic_bool is_over;
    bool is_well;
};

static void *fetching_run(void *context) {
    struct fetching *fetching = context;
    struct gate_fetch *const requests[] = {&fetching->request};
    const struct gate_fetch_options options = {.connect_seconds = CONNECT_SECONDS, .slack_seconds = SLACK_SECONDS};
    fetching->is_well = gate_fetch_all(requests, 1, &options, &fetching->arena, &fetching->err);
    atomic_store(&fetching->is_over, true);
    return NULL;
}

/* Prepare the request. If the URL has no `seconds=`, append one with the profile's duration. */
static bool fetching_begin(struct fetching *out, const struct server_run *run, struct gate_error *err) {
    struct gate_arena *arena = run->shell->arena;
    const char *url = run->plan->profile_url;
    bool is_told = strstr(url, "seconds=") != NULL;
    double whole = run->plan->seconds < 1 ? 1 : run->plan->seconds;
    struct gate_str text =
        is_told ? gate_str_from(url)
                : gate_str_format(arena, "%s%sseconds=%.0f", url, strchr(url, '?') == NULL ? "?" : "&", whole);
    *out = (struct fetching){.request = {.max_bytes = PROFILE_BYTES_MAX}};
    if (text.ptr == NULL)
        return gate_arena_error(arena, err);
    if (!gate_capture_url_read(&out->request.url, text, err))
        return false;
    out->request.seconds = gate_capture_url_seconds(&out->request.url, whole);
    gate_arena_fork(&out->arena, arena);
    return true;
}

/* Check that a command that should still run has not ended; else set `err` to "SIDE: 'run' ended with status 1 …". */
static bool check_goes(struct gate_shell_run *run, const struct gate_shell *shell, const char *when,
                       struct gate_error *err) {
    enum gate_child_wait end = gate_child_wait(&run->child, LOOK_SECONDS, shell->interrupt);
    if (end == GATE_CHILD_LATE)
        return true;
    if (end == GATE_CHILD_INTERRUPTED)
        return gate_interrupt_error(shell->interrupt, err);
    struct gate_str how = gate_child_end(&run->child, shell->arena);
    struct gate_str why = gate_str_format(shell->arena, "%.*s %s", GATE_STR_ARG(how), when);
    return why.ptr == NULL ? gate_arena_error(shell->arena, err) : gate_shell_error(run, shell, why, err);
}

/* Return the address without its user, password and query, which may be secret. */
static struct gate_str shown(const char *address, const struct server_run *run) {
    struct gate_str text = gate_capture_url_show_text(gate_str_from(address), run->shell->arena);
    return text.ptr == NULL ? GATE_STR("its address") : text;
}

static bool server_wait_ready(struct server_run *run, struct gate_error *err) {
    const struct gate_shell *shell = run->shell;
    struct gate_error why = {0};
    double until = gate_interrupt_clock() + shell->timeout;
    for (;;) {
        if (!check_goes(&run->server, shell, "before it was ready", err))
            return false;
        if (gate_reachable_try(run->plan->ready, shell->arena, &why))
            return true;
        if (why.code == GATE_ERR_USAGE)
            return gate_error_set(err, why.code, "%s", why.message);
        if (gate_interrupt_clock() >= until)
            break;
        gate_interrupt_wait(shell->interrupt, READY_PAUSE_SECONDS);
    }
    struct gate_str ready = shown(run->plan->ready, run);
    struct gate_str text = gate_str_format(shell->arena, "did not answer at %.*s within %g seconds (%s)",
                                           GATE_STR_ARG(ready), shell->timeout, why.message);
    return text.ptr == NULL ? gate_arena_error(shell->arena, err) : gate_shell_error(&run->server, shell, text, err);
}

/* Refuse an address that already answers. Both sides would measure that other server, so neither side is at fault. */
static bool server_check_free(const struct server_run *run, struct gate_error *err) {
    struct gate_error ignored = {0};
    struct gate_str ready = shown(run->plan->ready, run);
    return !gate_reachable_try(run->plan->ready, run->shell->arena, &ignored) ||
           gate_error_set(err, GATE_ERR_IO,
                          "something answers at %.*s before the server is started: it would be measured in its place; "
                          "stop it, or have the server listen elsewhere",
                          GATE_STR_ARG(ready));
}

/* Fetch the profile while the server runs. If the server ends early, stop waiting: its end breaks the connection. */
static bool server_fetch(struct gate_str *bytes, struct server_run *run, struct fetching *fetching,
                         struct gate_error *err) {
    pthread_t thread;
    bool ok = true;
    if (pthread_create(&thread, NULL, fetching_run, fetching) != 0)
        return gate_error_set(err, GATE_ERR_MEMORY, "cannot start a thread");
    while (ok && !atomic_load(&fetching->is_over))
        ok = check_goes(&run->server, run->shell, "while its profile was taken", err);
    if (!ok)
        gate_shell_close(&run->server);
    (void)pthread_join(thread, NULL);
    if (ok && !fetching->is_well)
        ok = gate_error_set(err, fetching->err.code, "%s", fetching->err.message);
    struct gate_str from = shown(run->plan->profile_url, run);
    if (ok && !fetching->request.is_well)
        ok = gate_error_set(err, GATE_ERR_INPUT, "no profile came from %.*s: %s", GATE_STR_ARG(from),
                            fetching->request.err.message);
    if (ok) {
        *bytes = gate_str_copy(run->shell->arena, gate_buf_view(&fetching->request.body));
        ok = bytes->ptr != NULL || gate_arena_error(run->shell->arena, err);
    }
    gate_buf_free(&fetching->request.body);
    return ok;
}

/* Wait for the load to end and read its output. Without a pattern for the work the output is not needed. */
static bool server_printed(struct gate_str *printed, struct server_run *run, struct gate_error *err) {
    if (run->load.command == NULL)
        return gate_child_output_read(&run->server.out, printed, run->shell->arena, err);
    *printed = GATE_STR("");
    if (run->plan->work_regex == NULL)
        return true;
    return gate_shell_finish(&run->load, run->shell, err) &&
           gate_child_output_read(&run->load.out, printed, run->shell->arena, err);
}

bool gate_server_run_take(struct gate_str *bytes, struct gate_str *printed, const struct gate_shell *shell,
                          const struct gate_try_plan *plan, const struct gate_shell_command *command,
                          struct gate_error *err) {
    struct fetching fetching;
    struct server_run run = {.shell = shell, .plan = plan, .load_command = *command};
    run.server.out.descriptor = run.server.log.descriptor = -1;
    run.load = run.server;
    run.load_command.name = "load";
    run.load_command.text = plan->load;
    if (!fetching_begin(&fetching, &run, err))
        return false;
    bool ok = server_check_free(&run, err) && gate_shell_start(&run.server, shell, command, err) &&
              server_wait_ready(&run, err) &&
              (plan->load == NULL || gate_shell_start(&run.load, shell, &run.load_command, err)) &&
              server_fetch(bytes, &run, &fetching, err) && server_printed(printed, &run, err);
    /* If the load failed, report that: it explains why the profile is that of an idle server. */
    if (ok && run.load.command != NULL && gate_child_wait(&run.load.child, 0, shell->interrupt) == GATE_CHILD_ENDED &&
        !gate_child_is_well(&run.load.child))
        ok = gate_shell_error(&run.load, shell, gate_child_end(&run.load.child, shell->arena), err);
    gate_shell_close(&run.load);
    gate_shell_close(&run.server);
    gate_arena_free(&fetching.arena);
    return ok;
}
