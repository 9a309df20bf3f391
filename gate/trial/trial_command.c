/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/trial/trial_command.h"

#include "gate/base/file.h"
#include "gate/base/git.h"
#include "gate/base/system.h"
#include "gate/capture/http.h"
#include "gate/compare/pair.h"
#include "gate/rules/rules.h"

#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- the plan: the commands and numbers of the rules and the command line ---------------------------------------- */

/* Commands of a preset; NULL: none. "{}" is replaced by the package or the script without quotes, so the shell
 * interprets it. */
struct preset {
    const char *build, *run, *profile_url, *suffix;
    double seconds;
    const char *argument; /* replaces "{}" if the section names no package or script */
};

static const struct preset presets[] = {
    [GATE_TRY_COMMAND] = {.seconds = 10},
    /* A benchmark runs in its package's folder, as under `go test`. */
    [GATE_TRY_GO_BENCH] = {.build = "go test -c -o \"$PPROFGATE_BUILD/bench.test\" {} && "
                                    "go list -f '{{.Dir}}' {} >\"$PPROFGATE_BUILD/directory\"",
                           .suffix = ".pb.gz",
                           .seconds = 2,
                           .argument = "."},
    [GATE_TRY_GO_SERVER] = {.build = "go build -o \"$PPROFGATE_BUILD/server\" {}",
                            .run = "exec \"$PPROFGATE_BUILD/server\"",
                            .profile_url = "http://127.0.0.1:6060/debug/pprof/profile",
                            .suffix = ".pb.gz",
                            .seconds = 10,
                            .argument = "."},
    [GATE_TRY_NODE] = {.run = "exec node --cpu-prof --cpu-prof-dir=\"$PPROFGATE_OUT\" "
                              "--cpu-prof-name=\"${PPROFGATE_PROFILE##*/}\" {}",
                       .suffix = ".cpuprofile",
                       .seconds = 10},
    /* Test that the file exists, because py-spy hides Python's message for a missing script. `-m MODULE` is not a
     * file. */
    [GATE_TRY_PY_SPY] =
        {.run = "set -- {}; case \"$1\" in -*) ;; *) test -f \"$1\" || { echo \"try.script: there is no file $1\" >&2; "
                "exit 1; } ;; esac; exec py-spy record --format raw -o \"$PPROFGATE_PROFILE\" -- python3 \"$@\"",
         .suffix = ".collapsed",
         .seconds = 10},
};

/* Return a copy of `text` with a NUL at the end; NULL if `text` is empty. If the arena is full, return NULL and clear
 * `*ok`. */
static const char *plan_text(struct gate_str text, bool *ok, struct gate_arena *arena) {
    if (text.len == 0)
        return NULL;
    struct gate_str copy = gate_str_copy(arena, text);
    *ok = *ok && copy.ptr != NULL;
    return copy.ptr;
}

/* Return `given`; if it is empty, the preset's command with `argument` in place of "{}". */
static const char *plan_command(struct gate_str given, const char *preset, struct gate_str argument, bool *ok,
                                struct gate_arena *arena) {
    if (given.len != 0 || preset == NULL)
        return plan_text(given, ok, arena);
    struct gate_str text = gate_str_from(preset);
    for (size_t at = 0; (at = gate_str_find(text, GATE_STR("{}"), at)) != SIZE_MAX; at += argument.len) {
        const struct gate_str parts[] = {gate_str_slice(text, 0, at), argument, gate_str_slice(text, at + 2, text.len)};
        text = gate_str_concat(arena, parts, 3);
        if (text.ptr == NULL) {
            *ok = false;
            return NULL;
        }
    }
    return text.ptr;
}

/* Return HOST:PORT of a URL. */
static const char *plan_host(const char *url, bool *ok, struct gate_arena *arena) {
    struct gate_str text = gate_str_from(url);
    bool is_secure = gate_str_starts(text, GATE_STR("https:"));
    struct gate_str rest = gate_str_slice(text, gate_str_find(text, GATE_STR("://"), 0) + 3, text.len);
    size_t end = 0, at = SIZE_MAX;
    while (end < rest.len && strchr("/?#", rest.ptr[end]) == NULL)
        end++;
    for (size_t i = 0; i < end; i++)
        at = rest.ptr[i] == '@' ? i : at;
    struct gate_str host = gate_str_slice(rest, at == SIZE_MAX ? 0 : at + 1, end);
    bool has_port = false;
    for (size_t i = host.len; i > 0 && host.ptr[i - 1] != ']' && !has_port; i--)
        has_port = host.ptr[i - 1] == ':';
    struct gate_str whole = gate_str_format(arena, "%.*s%s", GATE_STR_ARG(host),
                                            has_port    ? ""
                                            : is_secure ? ":443"
                                                        : ":80");
    *ok = *ok && whole.ptr != NULL;
    return whole.ptr;
}

static bool plan_env(struct gate_try_plan *out, const struct gate_try_rules *section, struct gate_arena *arena) {
    const char **env = GATE_NEW_ARRAY(arena, const char *, (size_t)section->env_count + 1);
    for (uint32_t i = 0; env != NULL && i < section->env_count; i++) {
        const struct gate_try_variable *variable = &section->env[i];
        const struct gate_str parts[] = {variable->name, GATE_STR("="), variable->value};
        env[i] = gate_str_concat(arena, parts, 3).ptr;
        if (env[i] == NULL)
            return false;
    }
    out->env = env;
    return env != NULL;
}

/* Set the source of the profile: a URL, a glob for a file, or PPROFGATE_PROFILE. */
static void plan_profile(struct gate_try_plan *out, const struct gate_try_rules *section, const struct preset *preset,
                         bool *ok, struct gate_arena *arena) {
    const char *profile = plan_text(section->profile, ok, arena);
    bool is_url = gate_try_rules_is_url(section->profile);
    out->profile_url = is_url ? profile : profile == NULL ? preset->profile_url : NULL;
    out->profile_glob = is_url ? NULL : profile;
    if (out->profile_url == NULL)
        return;
    out->ready = plan_text(section->ready, ok, arena);
    if (out->ready == NULL)
        out->ready = plan_host(out->profile_url, ok, arena);
}

bool gate_try_plan_make(struct gate_try_plan *out, const struct gate_try_rules *section,
                        const struct gate_try_plan_options *options, struct gate_arena *arena, struct gate_error *err) {
    const struct preset *preset = &presets[section->preset];
    bool ok = true;
    *out = (struct gate_try_plan){.preset = (enum gate_try_preset)section->preset, .suffix = preset->suffix};
    if (out->suffix == NULL)
        out->suffix = "";
    if (!section->is_given)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "%.*s has no section 'try' with the build and run commands; it is 'try: {preset: "
                              "go-bench}' for a Go package with benchmarks, 'try: {preset: py-spy, script: FILE}' for "
                              "Python, or 'try: {preset: node, script: FILE}'",
                              GATE_STR_ARG(options->rules_name));
    if (options->bench != NULL && section->preset != GATE_TRY_GO_BENCH)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--bench' is for the preset 'go-bench', and this one is '%s'",
                              gate_try_preset_words[section->preset]);
    if (options->rounds > GATE_TRY_ROUNDS_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--rounds': expected at most %d, found %u",
                              (int)GATE_TRY_ROUNDS_MAX, (unsigned)options->rounds);
    struct gate_str argument = section->package.len != 0 ? section->package : section->script;
    if (argument.len == 0 && preset->argument != NULL)
        argument = gate_str_from(preset->argument);
    out->build = plan_command(section->build, preset->build, argument, &ok, arena);
    out->run = plan_command(section->run, preset->run, argument, &ok, arena);
    out->load = plan_text(section->load, &ok, arena);
    out->bench = options->bench != NULL ? options->bench : plan_text(section->bench, &ok, arena);
    if (out->bench == NULL)
        out->bench = ".";
    plan_profile(out, section, preset, &ok, arena);
    out->work = section->work;
    out->work_regex = section->work_regex;
    out->seconds = options->seconds > 0 ? options->seconds : section->seconds > 0 ? section->seconds : preset->seconds;
    out->timeout_seconds = section->timeout > 0 ? section->timeout : GATE_TRY_TIMEOUT_SECONDS;
    out->rounds = options->rounds > 0 ? options->rounds : section->rounds > 0 ? (uint32_t)section->rounds : 0;
    if (out->rounds == 0)
        out->rounds = GATE_TRY_ROUNDS;
    return (ok && plan_env(out, section, arena)) || gate_arena_error(arena, err);
}

/* ---- commands of a trial, with their environment, logs and timeout ----------------------------------------------- */

/* A running command. End it with shell_close. */
struct gate_shell_run {
    const struct gate_shell_command *command;
    struct gate_child child;
    struct gate_child_output out, log; /* standard output; standard error */
    double began;                      /* start, on CLOCK_MONOTONIC */
};

enum { CHANGES_MAX = 32, TAIL_BYTES = 700 };

static const double GRACE_SECONDS = 3;

/** Return the folder for what a side builds, PPROFGATE_BUILD; NULL if the arena is full. */
static const char *shell_build_folder(const struct gate_shell *shell, enum gate_side_name side) {
    return gate_str_format(shell->arena, "%s/build/%s", shell->cache, gate_side_word(side)).ptr;
}

const char *gate_shell_out_folder(const struct gate_shell *shell) {
    return gate_str_format(shell->arena, "%s/out", shell->cache).ptr;
}

/* Set the environment of a command (see trial_command.h). Git's own variables are removed: with them, `git describe` in
 * a build would read the user's repository. */
static bool shell_environment(char *const **out, const struct gate_shell *shell,
                              const struct gate_shell_command *command, struct gate_error *err) {
    struct gate_arena *arena = shell->arena;
    const char *build = shell_build_folder(shell, command->side), *folder = gate_shell_out_folder(shell);
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

/* Start `command`. err: GATE_ERR_IO. */
static bool shell_start(struct gate_shell_run *out, const struct gate_shell *shell,
                        const struct gate_shell_command *command, struct gate_error *err) {
    const char *const words[] = {"sh", "-c", command->text, NULL};
    struct gate_child_options options = {.argv = words, .directory = command->directory};
    *out = (struct gate_shell_run){.command = command,
                                   .out = {.descriptor = -1},
                                   .log = {.descriptor = -1},
                                   .began = gate_clock_s(CLOCK_MONOTONIC)};
    if (!shell_environment(&options.environment, shell, command, err) || !shell_logs(out, shell, err))
        return false;
    options.out = out->out.descriptor;
    options.log = out->log.descriptor;
    return gate_child_start(&out->child, &options, shell->interrupt, err);
}

/*
 * Set `err` to GATE_ERR_INPUT "SIDE: 'NAME' WHY", with the command's last output and the path of its log. Returns
 * false.
 */
static bool shell_error(const struct gate_shell_run *run, const struct gate_shell *shell, struct gate_str why,
                        struct gate_error *err) {
    const struct gate_child_output *shown = &run->log;
    struct gate_str tail = gate_child_output_tail(shown, TAIL_BYTES, shell->arena);
    if (tail.len == 0) {
        shown = &run->out;
        tail = gate_child_output_tail(shown, TAIL_BYTES, shell->arena);
    }
    if (tail.len == 0)
        return gate_error_set(err, GATE_ERR_INPUT, "%s: '%s' %.*s, without output", gate_side_word(run->command->side),
                              run->command->name, GATE_STR_ARG(why));
    return gate_error_set(err, GATE_ERR_INPUT,
                          "%s: '%s' %.*s; its output is in %s, which ends with:\n"
                          "%.*s",
                          gate_side_word(run->command->side), run->command->name, GATE_STR_ARG(why), shown->path,
                          GATE_STR_ARG(tail));
}

/*
 * Wait until the command ends with success.
 *
 * err   GATE_ERR_INPUT it failed or exceeded the timeout, with its last output; GATE_ERR_IO an interrupt
 */
static bool shell_finish(struct gate_shell_run *run, const struct gate_shell *shell, struct gate_error *err) {
    double left = shell->timeout - (gate_clock_s(CLOCK_MONOTONIC) - run->began);
    enum gate_child_wait end = gate_child_wait(&run->child, left < 0 ? 0 : left, shell->interrupt);
    if (end == GATE_CHILD_INTERRUPTED)
        return gate_interrupt_error(shell->interrupt, err);
    if (end == GATE_CHILD_LATE) {
        gate_child_stop(&run->child, GRACE_SECONDS);
        struct gate_str why =
            gate_str_format(shell->arena, "took longer than %g seconds (try.timeout)", shell->timeout);
        return shell_error(run, shell, why, err);
    }
    return gate_child_is_well(&run->child) || shell_error(run, shell, gate_child_end(&run->child, shell->arena), err);
}

/* Stop the command, if shell_start was called for it, and all processes that it started. */
static void shell_close(struct gate_shell_run *run) {
    if (run->command == NULL)
        return;
    gate_child_stop(&run->child, GRACE_SECONDS);
    gate_child_output_close(&run->out);
    gate_child_output_close(&run->log);
}

bool gate_shell_do(const struct gate_shell *shell, const struct gate_shell_command *command, struct gate_str *printed,
                   struct gate_error *err) {
    struct gate_shell_run run;
    bool ok = shell_start(&run, shell, command, err) && shell_finish(&run, shell, err) &&
              (printed == NULL || gate_child_output_read(&run.out, printed, shell->arena, err));
    shell_close(&run);
    return ok;
}

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
    bool has_seconds = strstr(url, "seconds=") != NULL;
    double whole = run->plan->seconds < 1 ? 1 : run->plan->seconds;
    struct gate_str text =
        has_seconds ? gate_str_from(url)
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

/* Check that a command which must not end is still running. If it ended, set `err` to "SIDE: 'run' ended with status 1
 * …". */
static bool check_is_running(struct gate_shell_run *run, const struct gate_shell *shell, const char *when,
                             struct gate_error *err) {
    enum gate_child_wait end = gate_child_wait(&run->child, LOOK_SECONDS, shell->interrupt);
    if (end == GATE_CHILD_LATE)
        return true;
    if (end == GATE_CHILD_INTERRUPTED)
        return gate_interrupt_error(shell->interrupt, err);
    struct gate_str how = gate_child_end(&run->child, shell->arena);
    struct gate_str why = gate_str_format(shell->arena, "%.*s %s", GATE_STR_ARG(how), when);
    return why.ptr == NULL ? gate_arena_error(shell->arena, err) : shell_error(run, shell, why, err);
}

/* Return the address without user, password and query, which may be secret. */
static struct gate_str shown(const char *address, const struct server_run *run) {
    struct gate_str text = gate_capture_url_show_text(gate_str_from(address), run->shell->arena);
    return text.ptr == NULL ? GATE_STR("its address") : text;
}

static bool server_wait_ready(struct server_run *run, struct gate_error *err) {
    const struct gate_shell *shell = run->shell;
    struct gate_error why = {0};
    double until = gate_clock_s(CLOCK_MONOTONIC) + shell->timeout;
    for (;;) {
        if (!check_is_running(&run->server, shell, "before it was ready", err))
            return false;
        if (gate_reachable_try(run->plan->ready, shell->arena, &why))
            return true;
        if (why.code == GATE_ERR_USAGE)
            return gate_error_set(err, why.code, "%s", why.message);
        if (gate_clock_s(CLOCK_MONOTONIC) >= until)
            break;
        gate_interrupt_wait(shell->interrupt, READY_PAUSE_SECONDS);
    }
    struct gate_str ready = shown(run->plan->ready, run);
    struct gate_str text = gate_str_format(shell->arena, "did not answer at %.*s within %g seconds (%s)",
                                           GATE_STR_ARG(ready), shell->timeout, why.message);
    return text.ptr == NULL ? gate_arena_error(shell->arena, err) : shell_error(&run->server, shell, text, err);
}

/* Refuse an address that answers before the server starts: both sides would measure that other server. The error names
 * no side. */
static bool server_check_free(const struct server_run *run, struct gate_error *err) {
    struct gate_error ignored = {0};
    struct gate_str ready = shown(run->plan->ready, run);
    return !gate_reachable_try(run->plan->ready, run->shell->arena, &ignored) ||
           gate_error_set(err, GATE_ERR_IO,
                          "something answers at %.*s before the server is started: it would be measured in its place; "
                          "stop it, or have the server listen elsewhere",
                          GATE_STR_ARG(ready));
}

/* Fetch the profile while the server runs. If the server ends early, stop waiting, because the connection breaks. */
static bool server_fetch(struct gate_str *bytes, struct server_run *run, struct fetching *fetching,
                         struct gate_error *err) {
    pthread_t thread;
    bool ok = true;
    if (pthread_create(&thread, NULL, fetching_run, fetching) != 0)
        return gate_error_set(err, GATE_ERR_MEMORY, "cannot start a thread");
    while (ok && !atomic_load(&fetching->is_over))
        ok = check_is_running(&run->server, run->shell, "while its profile was taken", err);
    if (!ok)
        shell_close(&run->server);
    (void)pthread_join(thread, NULL);
    if (ok && !fetching->is_well)
        ok = gate_error_set(err, fetching->err.code, "%s", fetching->err.message);
    struct gate_str from = shown(run->plan->profile_url, run);
    if (ok && !fetching->request.is_well)
        ok = gate_error_set(err, GATE_ERR_INPUT, "no profile came from %.*s: %s", GATE_STR_ARG(from),
                            fetching->request.err.message);
    ok = ok && gate_buf_keep_into(bytes, &fetching->request.body, run->shell->arena, err);
    gate_buf_free(&fetching->request.body);
    return ok;
}

/* Wait for the load to end and read its output. The output is only needed if the plan has a pattern for the work. */
static bool server_printed(struct gate_str *printed, struct server_run *run, struct gate_error *err) {
    if (run->load.command == NULL)
        return gate_child_output_read(&run->server.out, printed, run->shell->arena, err);
    *printed = GATE_STR("");
    if (run->plan->work_regex == NULL)
        return true;
    return shell_finish(&run->load, run->shell, err) &&
           gate_child_output_read(&run->load.out, printed, run->shell->arena, err);
}

bool gate_server_run_take(struct gate_str *bytes, struct gate_str *printed, const struct gate_shell *shell,
                          const struct gate_try_plan *plan, const struct gate_shell_command *command,
                          struct gate_error *err) {
    struct fetching fetching;
    struct server_run run = {.shell = shell, .plan = plan, .load_command = *command};
    run.load_command.name = "load";
    run.load_command.text = plan->load;
    if (!fetching_begin(&fetching, &run, err))
        return false;
    bool ok = server_check_free(&run, err) && shell_start(&run.server, shell, command, err) &&
              server_wait_ready(&run, err) &&
              (plan->load == NULL || shell_start(&run.load, shell, &run.load_command, err)) &&
              server_fetch(bytes, &run, &fetching, err) && server_printed(printed, &run, err);
    /* If the load failed, report that, because the profile is then that of an idle server. */
    if (ok && run.load.command != NULL && gate_child_wait(&run.load.child, 0, shell->interrupt) == GATE_CHILD_ENDED &&
        !gate_child_is_well(&run.load.child))
        ok = shell_error(&run.load, shell, gate_child_end(&run.load.child, shell->arena), err);
    shell_close(&run.load);
    shell_close(&run.server);
    gate_arena_free(&fetching.arena);
    return ok;
}
