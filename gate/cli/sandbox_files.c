/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a command line, for the sandbox. Every word that names an existing file may be read, whichever option it
 * belongs to, because the user named it. */
#include "gate/cli/sandbox_files.h"

#include "gate/base/landlock.h"
#include "gate/session/names_from.h"
#include "gate/session/sandboxing.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 4096 }; /* symbolic links of a folder that are followed */

/* What the C library, libcurl and libdw read, and what is read of this machine: libraries, name resolution,
 * certificates, limits of the container. The home folders and other processes are not among it. */
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
    return gate_sandboxing_allow(session, kept.ptr, GATE_LANDLOCK_READ, err);
}

/* The folder of a file, with what is beside it and below. */
static bool allow_beside(struct gate_session *session, const char *path, struct gate_error *err) {
    const struct gate_str whole = gate_str_from(path), name = gate_str_basename(whole);
    const struct gate_str folder = gate_str_slice(whole, 0, whole.len - name.len);
    return allow_read(session, folder.len == 0 ? GATE_STR(".") : folder, err);
}

/* Build systems make folders of links to files that are elsewhere. */
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
        ok = gate_sandboxing_allow(session, link.ptr, GATE_LANDLOCK_READ, err);
        links++;
    }
    if (stream != NULL)
        (void)closedir(stream);
    return ok;
}

/* Rules name files beside them, manifests their profiles. */
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
    if (!gate_sandboxing_allow(session, path.ptr, GATE_LANDLOCK_READ, err))
        return false;
    if (S_ISDIR(status.st_mode))
        return naming == BY_VARIABLE || allow_links(session, path.ptr, err);
    return !(naming == BY_SYMBOLS || names_others(path.ptr)) || allow_beside(session, path.ptr, err);
}

/* A value: a path, or NAME=PATH, or paths with commas or colons. */
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

/* A word of the command line, with the option before it. Debug information is found beside its binary. */
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

/* Everything but other processes, whose environment is in /proc. */
static bool allow_all(struct gate_session *session, struct gate_error *err) {
    DIR *stream = opendir("/");
    bool ok = true;
    for (struct dirent *entry = stream == NULL ? NULL : readdir(stream); entry != NULL && ok; entry = readdir(stream)) {
        const struct gate_str name = gate_str_from(entry->d_name);
        if (name.ptr[0] == '.' || gate_str_equal(name, GATE_STR("proc")))
            continue;
        const struct gate_str path = gate_str_format(session->arena, "/%.*s", GATE_STR_ARG(name));
        ok = gate_sandboxing_allow(session, path.ptr, GATE_LANDLOCK_READ, err);
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

/* The folder of the run, and the repository around it. */
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
        if (!gate_sandboxing_allow(session, system_paths[i], GATE_LANDLOCK_READ, err))
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
        bool ok = kind == GATE_OPTION_FILE ? gate_sandboxing_allow_output(session, path, err)
                                           : gate_sandboxing_allow_folder(session, path, err);
        if (!ok)
            return false;
    }
    return true;
}

/* A file of the GitHub runner to append to. Its folder has files that later steps obey ($GITHUB_ENV, $GITHUB_PATH), so
 * only the file is allowed, and is created if it is not there yet. */
static bool allow_appending(struct gate_session *session, const char *variable, struct gate_error *err) {
    const char *path = getenv(variable);
    if (path == NULL || path[0] == '\0')
        return true;
    int descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    if (descriptor >= 0)
        (void)close(descriptor);
    return gate_sandboxing_allow(session, path, GATE_LANDLOCK_WRITE, err);
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
    const char *cache = gate_names_from_cache(session->arena);
    return cache == NULL || gate_sandboxing_allow_folder(session, cache, err);
}

bool gate_sandbox_files_collect(const struct gate_sandbox_writes *writes, const struct gate_options *options,
                                struct gate_session *session, struct gate_error *err) {
    int reason = 0;
    if (!session->sandbox.is_wanted || gate_landlock_version(&reason) == 0)
        return true;
    return allow_writes(writes, options, session, err) && allow_reads(session, err);
}
