/* SPDX-License-Identifier: Apache-2.0 */
/* Commands: their table, how one is run, and which files its sandbox allows. */
#include "gate/cli/command.h"

#include "gate/base/file.h"
#include "gate/base/sandbox.h"
#include "gate/base/system.h"
#include "gate/capture/paths.h"
#include "gate/cli/options.h"
#include "gate/session/debuginfod.h"
#include "gate/session/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files that stay allowed ------------------------------------------------------------------------------------- */

static bool sandboxing_allow(struct gate_session *session, const char *path, unsigned access, struct gate_error *err) {
    struct gate_session_sandbox *sandbox = &session->sandbox;
    if (path == NULL || !GATE_GROW(session->arena, sandbox->paths, sandbox->path_count, sandbox->path_capacity))
        return gate_arena_error(session->arena, err);
    sandbox->paths[sandbox->path_count++] = (struct gate_sandbox_path){path, access};
    return true;
}

/* Return the folder of the file `path`. `.ptr` is NULL if the arena is full. */
static struct gate_str folder_of(const char *path, struct gate_arena *arena) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return GATE_STR(".");
    return slash == path ? GATE_STR("/") : gate_str_format(arena, "%.*s", (int)(slash - path), path);
}

/* Create one missing folder ahead, and allow its removal. */
static bool make_one(struct gate_session *session, const char *path, struct gate_error *err) {
    struct gate_session_sandbox *sandbox = &session->sandbox;
    const struct gate_str above = folder_of(path, session->arena);
    if (!GATE_GROW(session->arena, sandbox->made, sandbox->made_count, sandbox->made_capacity))
        return gate_arena_error(session->arena, err);
    if (!sandboxing_allow(session, above.ptr, GATE_LANDLOCK_DROP_FOLDERS, err))
        return false;
    if (mkdir(path, 0777) == 0)
        sandbox->made[sandbox->made_count++] = path;
    return true;
}

/* Create the missing part of the folder `path` ahead. */
static bool make_folders(struct gate_session *session, const char *path, struct gate_error *err) {
    struct stat status;
    for (size_t i = 1; path[0] != '\0' && path[i - 1] != '\0'; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        const struct gate_str part = gate_str_format(session->arena, "%.*s", (int)i, path);
        if (part.ptr == NULL)
            return gate_arena_error(session->arena, err);
        if (stat(part.ptr, &status) == 0)
            continue;
        if (errno != ENOENT)
            return true;
        if (!make_one(session, part.ptr, err))
            return false;
    }
    return true;
}

/* Allow writing the output `path`: reading, creating and replacing files in its folder and below. A device or a pipe is
 * allowed alone. Missing folders are created now, so that the sandbox can name them; sandboxing_end removes the
 * empty ones.
 *
 * err   GATE_ERR_LIMIT, GATE_ERR_MEMORY. What cannot be created is no error here: writing reports it. */
static bool sandboxing_allow_output(struct gate_session *session, const char *path, struct gate_error *err) {
    char target[GATE_OUTFILE_PATH_BYTES];
    bool is_special = false;
    struct stat status;
    if (path[0] == '\0' || gate_paths_is_stream(path) || !gate_outfile_target(target, &is_special, path))
        return true;
    const struct gate_str kept = gate_str_format(session->arena, "%s", target);
    if (kept.ptr == NULL)
        return gate_arena_error(session->arena, err);
    if (is_special || (stat(kept.ptr, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)))
        return sandboxing_allow(session, path, GATE_LANDLOCK_READ | GATE_LANDLOCK_WRITE, err);
    const struct gate_str folder = folder_of(kept.ptr, session->arena);
    if (folder.ptr == NULL)
        return gate_arena_error(session->arena, err);
    return make_folders(session, folder.ptr, err) && /* mkstemp opens for reading, too */
           sandboxing_allow(session, folder.ptr, GATE_LANDLOCK_READ | GATE_LANDLOCK_WRITE | GATE_LANDLOCK_MAKE, err);
}

/* Like sandboxing_allow_output, for a folder of outputs, which may contain folders. */
static bool sandboxing_allow_folder(struct gate_session *session, const char *path, struct gate_error *err) {
    if (path[0] == '\0' || gate_paths_is_stream(path))
        return true;
    return make_folders(session, path, err) &&
           sandboxing_allow(session, path,
                            GATE_LANDLOCK_READ | GATE_LANDLOCK_WRITE | GATE_LANDLOCK_MAKE | GATE_LANDLOCK_MAKE_FOLDERS |
                                GATE_LANDLOCK_DROP_FOLDERS,
                            err);
}

/* Remove the folders that sandboxing_allow_output created, if they are empty. */
static void sandboxing_end(struct gate_session *session) {
    struct gate_session_sandbox *sandbox = &session->sandbox;
    while (sandbox->made_count > 0)
        (void)rmdir(sandbox->made[--sandbox->made_count]);
}

/* ---- the files of a command line, for the sandbox ------------------------------------------------------------------
 *
 * Every word that names an existing file may be read, whichever option it belongs to, because the user named it. */

/* The outputs of a command. */
struct gate_sandbox_writes {
    bool has_outputs;   /* reports and other outputs, and the summary of a GitHub job */
    bool changes_store; /* the store of --store */
    bool has_verdict;   /* $GITHUB_OUTPUT */
};

enum { LINKS_MAX = 4096 }; /* symbolic links of a folder that are followed */

/* System files that the C library, libcurl, libdw and this program read: libraries, name resolution, certificates,
 * limits of the container. Home folders and other processes are not included. */
static const char *const system_paths[] = {"/usr",
                                           "/lib",
                                           "/lib32",
                                           "/lib64",
                                           "/opt",
                                           "/nix/store",
                                           "/gnu/store",
                                           "/home/linuxbrew/.linuxbrew",
                                           "/etc",
                                           "/etc/resolv.conf",
                                           "/run/systemd/resolve",
                                           "/run/resolvconf",
                                           "/run/NetworkManager",
                                           "/var/lib/ca-certificates",
                                           "/dev/null",
                                           "/dev/random",
                                           "/dev/urandom",
                                           "/proc/self",
                                           "/proc/cpuinfo",
                                           "/proc/loadavg",
                                           "/proc/meminfo",
                                           "/proc/stat",
                                           "/proc/sys",
                                           "/sys/fs/cgroup",
                                           "/sys/devices/system"};

/* Variables that name a file or folder to read, or several with colons. */
static const char *const variables[] = {"GITHUB_WORKSPACE", "CI_PROJECT_DIR", "SSL_CERT_FILE",
                                        "SSL_CERT_DIR",     "CURL_CA_BUNDLE", "LD_LIBRARY_PATH"};

/* ---- what is read ------------------------------------------------------------------------------------------------ */

static bool allow_read(struct gate_session *session, struct gate_str path, struct gate_error *err) {
    const struct gate_str kept = gate_str_format(session->arena, "%.*s", GATE_STR_ARG(path));
    return sandboxing_allow(session, kept.ptr, GATE_LANDLOCK_READ, err);
}

/* Allow reading the folder of a file, and everything below that folder. */
static bool allow_beside(struct gate_session *session, const char *path, struct gate_error *err) {
    const struct gate_str whole = gate_str_from(path), name = gate_str_basename(whole);
    const struct gate_str folder = gate_str_slice(whole, 0, whole.len - name.len);
    return allow_read(session, folder.len == 0 ? GATE_STR(".") : folder, err);
}

/* Allow the targets of a folder's links: build systems make folders of links to files that are elsewhere. */
static bool allow_links(struct gate_session *session, const char *path, struct gate_error *err) {
    DIR *stream = opendir(path);
    bool ok = true;
    size_t links = 0;
    for (struct dirent *entry = stream == NULL ? NULL : readdir(stream); entry != NULL && ok && links < LINKS_MAX;
         entry = readdir(stream)) {
        char target[PATH_MAX];
        if (readlinkat(dirfd(stream), entry->d_name, target, sizeof target) < 0)
            continue;
        const struct gate_str link = gate_str_format(session->arena, "%s/%s", path, entry->d_name);
        ok = sandboxing_allow(session, link.ptr, GATE_LANDLOCK_READ, err);
        links++;
    }
    if (stream != NULL)
        (void)closedir(stream);
    return ok;
}

/* Return whether a file refers to other files in its folder: rules extend files, and manifests name profiles. */
static bool names_others(const char *path) {
    static const char *const endings[] = {".yml", ".yaml", ".json"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (gate_str_ends(gate_str_from(path), gate_str_from(endings[i])))
            return true;
    return false;
}

/* How a path is named. */
enum naming { BY_VARIABLE, BY_WORD, BY_SYMBOLS };

static bool allow_path(struct gate_session *session, struct gate_str part, enum naming naming, struct gate_error *err) {
    struct stat status;
    const struct gate_str path = gate_str_format(session->arena, "%.*s", GATE_STR_ARG(part));
    if (path.ptr == NULL)
        return gate_arena_error(session->arena, err);
    if (path.len == 0 || stat(path.ptr, &status) != 0)
        return true;
    if (!sandboxing_allow(session, path.ptr, GATE_LANDLOCK_READ, err))
        return false;
    if (S_ISDIR(status.st_mode))
        return naming == BY_VARIABLE || allow_links(session, path.ptr, err);
    return !(naming == BY_SYMBOLS || names_others(path.ptr)) || allow_beside(session, path.ptr, err);
}

/* Allow the files in the value of an option: a path, NAME=PATH, or several paths separated by commas or colons. */
static bool allow_value(struct gate_session *session, const char *value, enum naming naming, struct gate_error *err) {
    struct gate_str rest = gate_str_from(value);
    if (!allow_path(session, rest, naming, err))
        return false;
    for (size_t at = 0, from = 0; at <= rest.len; at++) {
        if (at < rest.len && strchr("=,:", rest.ptr[at]) == NULL)
            continue;
        if ((from > 0 || at < rest.len) && !allow_path(session, gate_str_slice(rest, from, at), naming, err))
            return false;
        from = at + 1;
    }
    return true;
}

/* Allow the files in a word of the command line; `before` is the option before it. Debug information is found beside
 * its binary. */
static bool allow_word(struct gate_session *session, const char *before, const char *word, struct gate_error *err) {
    const bool is_long = strncmp(word, "--", 2) == 0, is_short = !is_long && word[0] == '-';
    const char *equals = strchr(word, '=');
    if (is_long)
        return equals == NULL ||
               allow_value(session, equals + 1,
                           strncmp(word, "--symbols=", strlen("--symbols=")) == 0 ? BY_SYMBOLS : BY_WORD, err);
    return allow_value(session, is_short && word[1] != '\0' ? word + 2 : word,
                       strcmp(before, "--symbols") == 0 ? BY_SYMBOLS : BY_WORD, err);
}

/* Allow reading everything except /proc, which has the environment of other processes. */
static bool allow_all(struct gate_session *session, struct gate_error *err) {
    DIR *stream = opendir("/");
    bool ok = true;
    for (struct dirent *entry = stream == NULL ? NULL : readdir(stream); entry != NULL && ok; entry = readdir(stream)) {
        const struct gate_str name = gate_str_from(entry->d_name);
        if (name.ptr[0] == '.' || gate_str_equal(name, GATE_STR("proc")))
            continue;
        const struct gate_str path = gate_str_format(session->arena, "/%.*s", GATE_STR_ARG(name));
        ok = sandboxing_allow(session, path.ptr, GATE_LANDLOCK_READ, err);
    }
    if (stream != NULL)
        (void)closedir(stream);
    return ok;
}

static bool allow_words(struct gate_session *session, struct gate_error *err) {
    bool reads_all = false;
    const char *before = "";
    for (int i = 0; i < session->argc; i++) {
        const char *word = session->argv[i];
        if (!allow_word(session, before, word, err))
            return false;
        if (word[0] == '-')
            before = word; /* an option may take several words */
        /* A kubeconfig names certificates and tokens anywhere, a ledger the profiles of earlier looks. */
        const bool names_any = strstr(word, "k8s://") != NULL || strncmp(word, "--ledger", strlen("--ledger")) == 0;
        reads_all = reads_all || names_any;
    }
    return !reads_all || allow_all(session, err);
}

/* Allow reading the current folder, and the repository around it. */
static bool allow_checkout(struct gate_session *session, struct gate_error *err) {
    char here[PATH_MAX];
    struct stat status;
    if (!allow_path(session, GATE_STR("."), BY_WORD, err))
        return false;
    if (getcwd(here, sizeof here) == NULL)
        return true;
    for (char *slash = here + strlen(here); slash != NULL && slash != here; slash = strrchr(here, '/')) {
        *slash = '\0';
        const struct gate_str mark = gate_str_format(session->arena, "%s/.git", here);
        if (mark.ptr == NULL)
            return gate_arena_error(session->arena, err);
        if (stat(mark.ptr, &status) == 0)
            return allow_read(session, gate_str_from(here), err);
    }
    return true;
}

static bool allow_reads(struct gate_session *session, struct gate_error *err) {
    for (size_t i = 0; i < sizeof system_paths / sizeof *system_paths; i++)
        if (!sandboxing_allow(session, system_paths[i], GATE_LANDLOCK_READ, err))
            return false;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL && !allow_value(session, value, BY_VARIABLE, err))
            return false;
    }
    return allow_checkout(session, err) && allow_words(session, err);
}

/* ---- what is written --------------------------------------------------------------------------------------------- */

static bool is_given(const struct gate_session *session, const char *option) {
    for (int i = 0; i < session->argc; i++)
        if (strcmp(session->argv[i], option) == 0)
            return true;
    return false;
}

static bool allow_outputs(const struct gate_sandbox_writes *writes, const struct gate_options *options,
                          struct gate_session *session, struct gate_error *err) {
    const bool changes_store = writes->changes_store || is_given(session, "--accept-first");
    for (size_t i = 0; gate_options_row(options, i) != NULL; i++) {
        enum gate_option_output kind;
        const char *path = gate_options_output(&kind, options, i);
        if (path == NULL || (kind == GATE_OPTION_STORE && !changes_store))
            continue;
        bool ok = kind == GATE_OPTION_FILE ? sandboxing_allow_output(session, path, err)
                                           : sandboxing_allow_folder(session, path, err);
        if (!ok)
            return false;
    }
    return true;
}

/* Allow appending to a file of the GitHub runner. Files in its folder affect later steps ($GITHUB_ENV, $GITHUB_PATH),
 * so only the file is allowed. It is created if it does not exist. */
static bool allow_appending(struct gate_session *session, const char *variable, struct gate_error *err) {
    const char *path = getenv(variable);
    if (path == NULL || path[0] == '\0')
        return true;
    int descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    if (descriptor >= 0)
        (void)close(descriptor);
    return sandboxing_allow(session, path, GATE_LANDLOCK_WRITE, err);
}

static bool allow_writes(const struct gate_sandbox_writes *writes, const struct gate_options *options,
                         struct gate_session *session, struct gate_error *err) {
    const char *actions = getenv("GITHUB_ACTIONS");
    if (!allow_outputs(writes, options, session, err) ||
        (writes->has_verdict && !allow_appending(session, "GITHUB_OUTPUT", err)))
        return false;
    if (writes->has_outputs && actions != NULL && strcmp(actions, "true") == 0 &&
        !allow_appending(session, "GITHUB_STEP_SUMMARY", err))
        return false;
    if (!is_given(session, "--debuginfod"))
        return true;
    const char *cache = gate_debuginfod_cache(session->arena);
    return cache == NULL || sandboxing_allow_folder(session, cache, err);
}

/*
 * Allow the files of a command line in the sandbox (session/session.h): its outputs can be written, and its words,
 * the checkout and what the system's libraries need can be read. Does nothing if the run has no sandbox for files.
 *
 * options   of the command, after the words were parsed
 * err       GATE_ERR_LIMIT, GATE_ERR_MEMORY
 */
static bool sandbox_files_collect(const struct gate_sandbox_writes *writes, const struct gate_options *options,
                                  struct gate_session *session, struct gate_error *err) {
    int reason = 0;
    if (!session->sandbox.is_wanted || gate_landlock_version(&reason) == 0)
        return true;
    return allow_writes(writes, options, session, err) && allow_reads(session, err);
}

/* ---- run one command: read its options, enter the sandbox, run it ------------------------------------------------ */

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

/* Returns what the command and its option groups need besides files, an or of enum gate_sandbox_need. */
static unsigned command_needs(const struct gate_command *command, const char *wanted) {
    unsigned needs = command->needs == NULL ? 0 : command->needs(wanted);
    for (const struct gate_option_binding *at = command->options; at->group != NULL; at++)
        if (at->group->needs != NULL)
            needs |= at->group->needs(wanted + at->at);
    return needs;
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
    if (!sandbox_files_collect(&writes, options, session, err))
        return false;
    gate_sandboxing_narrow(session, command_needs(command, wanted));
    session->progress = &progress;
    if (session->is_verbose || session->is_timed)
        gate_progress_log(&progress, session->err, stage, session->is_timed);
    else
        gate_progress_begin(&progress, session->err, stage);
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
    for (const struct gate_option_binding *at = command->options; at->group != NULL; at++)
        if (at->group->begin != NULL)
            at->group->begin((char *)*wanted + at->at);
    if (command->begin != NULL)
        command->begin(*wanted);
    return gate_options_bind(out, command->options, *wanted, session->arena, err) &&
           (!command->writes || gate_options_add(out, &gate_force_options, session, session->arena, err)) &&
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
    if (gate_github_output_append(&session->github_outputs, status, &err))
        return status;
    session->blamed_path = GATE_STR("");
    gate_session_fail(session, &err);
    return GATE_EXIT_ERROR;
}

/* Parse the words of `session` and run the command, or print its help. Only this function prints the error of a
 * command. Returns the exit status: 2 after an error, else `session->status`. */
static int command_run(const struct gate_command *command, struct gate_session *session) {
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
    sandboxing_end(session);
    return command->decides && !wants_help ? command_publish(session, status) : status;
}

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

/* Heading of each group of commands in the help, and the first command of the group in the table. */
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
static int run_help(struct gate_session *session, const struct gate_command *group, bool is_requested) {
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
    bool ok = is_requested ? run_print(session, &out) == GATE_EXIT_PASS
                           : gate_stream_write(session->err, gate_buf_view(&out));
    gate_buf_free(&out);
    return ok && is_requested ? GATE_EXIT_PASS : GATE_EXIT_ERROR;
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

/* Fails, and suggests a command: for two files, `check`. */
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
    return command_run(command, session);
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
    return command_run(command, session);
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
