/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/capture/paths.h"

#include "gate/base/str.h"
#include "gate/capture/backend.h"
#include "gate/capture/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>

bool gate_paths_is_stream(const char *path) {
    return strcmp(path, "-") == 0;
}

bool gate_paths_add(struct gate_paths *paths, const char *path, struct gate_arena *arena, struct gate_error *err) {
    return GATE_APPEND(arena, paths->items, paths->count, paths->capacity, err, path);
}

static bool path_is_profile(const char *name) {
    static const char *const endings[] = {".md",  ".csv", ".yml", ".yaml", ".html", ".svg",
                                          ".xml", ".log", "~",    ".tmp",  ".part", NULL};
    struct gate_str text = gate_str_from(name);
    if (name[0] == '.' || strcmp(name, "manifest.json") == 0 || strcmp(name, "report.json") == 0 ||
        gate_str_starts(text, GATE_STR("README")) || gate_str_starts(text, GATE_STR("MANIFEST")))
        return false;
    for (size_t i = 0; endings[i] != NULL; i++)
        if (gate_str_ends(text, gate_str_from(endings[i])))
            return false;
    return true;
}

static int path_compare(const void *left, const void *right) {
    return gate_str_compare_natural(gate_str_from(*(const char *const *)left),
                                    gate_str_from(*(const char *const *)right));
}

static bool directory_failed(const char *directory, int reason, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_IO, "%s: cannot read the directory: %s", directory, strerror(reason));
}

/* Skip entries that are not regular files, or were deleted meanwhile. */
static bool paths_add_entry(struct gate_paths *paths, const char *directory, const char *name, struct gate_arena *arena,
                            struct gate_error *err) {
    struct stat status;
    const char *slash = gate_str_ends(gate_str_from(directory), GATE_STR("/")) ? "" : "/";
    struct gate_str path = gate_str_format(arena, "%s%s%s", directory, slash, name);
    if (path.ptr == NULL)
        return gate_arena_error(arena, err);
    if (stat(path.ptr, &status) != 0)
        return errno == ENOENT || directory_failed(path.ptr, errno, err);
    return !S_ISREG(status.st_mode) || gate_paths_add(paths, path.ptr, arena, err);
}

static bool paths_add_directory(struct gate_paths *paths, const char *directory, struct gate_arena *arena,
                                struct gate_error *err) {
    if (gate_manifest_file_exists(directory, arena))
        return gate_error_set(
            err, GATE_ERR_INPUT,
            "%s: this folder was captured and holds both sides; name the files of one of them, such as "
            "%s/*-baseline.pb.gz",
            directory, directory);
    DIR *stream = opendir(directory);
    if (stream == NULL)
        return directory_failed(directory, errno, err);
    uint32_t before = paths->count;
    bool ok = true;
    const struct dirent *entry;
    while (errno = 0, ok && (entry = readdir(stream)) != NULL)
        ok = !path_is_profile(entry->d_name) || paths_add_entry(paths, directory, entry->d_name, arena, err);
    if (ok && errno != 0) /* ignoring the error would leave out runs */
        ok = directory_failed(directory, errno, err);
    (void)closedir(stream);
    if (ok && paths->count == before)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%s: the directory holds no profiles; a side needs at least one, such as cpu.pb.gz",
                              directory);
    if (ok)
        qsort((void *)(paths->items + before), paths->count - before, sizeof *paths->items, path_compare);
    return ok;
}

/* ---- patterns and addresses -------------------------------------------------------------------------------------- */

static bool path_is_pattern(const char *path) {
    return strpbrk(path, "*?[") != NULL;
}

bool gate_paths_is_address(const char *path) {
    struct stat status;
    size_t letters = strspn(path, "abcdefghijklmnopqrstuvwxyz");
    return letters > 1 && strncmp(path + letters, "://", 3) == 0 && stat(path, &status) != 0;
}

bool gate_paths_refuse_addresses(const char *baseline, const char *canary, struct gate_error *err) {
    bool is_secret = strchr(baseline, '@') != NULL || strchr(canary, '@') != NULL; /* may contain a password */
    return gate_error_set(err, GATE_ERR_INPUT,
                          "%s: this is an address, and profiles are read from files; take profiles from it with: "
                          "pprofgate gate --baseline %s --canary %s -o profiles",
                          is_secret ? "an argument" : baseline, is_secret ? "URL" : baseline,
                          is_secret ? "URL" : canary);
}

/* Add the files that match a pattern of the shell, in the order of a directory, and the files of directories that
 * match. */
static bool paths_add_pattern(struct gate_paths *paths, const char *pattern, struct gate_arena *arena,
                              struct gate_error *err) {
    glob_t found = {0};
    int failed = glob(pattern, GLOB_NOSORT, NULL, &found);
    bool ok = failed == 0;
    if (failed == GLOB_NOMATCH)
        (void)gate_error_set(err, GATE_ERR_INPUT, "%s: no file matches this pattern", pattern);
    else if (failed != 0)
        (void)gate_error_set(err, GATE_ERR_IO, "%s: cannot look for what matches this pattern", pattern);
    if (ok)
        qsort((void *)found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, path_compare);
    for (size_t i = 0; ok && i < found.gl_pathc; i++) {
        struct stat status;
        const char *path = gate_str_copy(arena, gate_str_from(found.gl_pathv[i])).ptr;
        if (path == NULL)
            ok = gate_arena_error(arena, err);
        else if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
            ok = paths_add_directory(paths, path, arena, err);
        else
            ok = gate_paths_add(paths, path, arena, err);
    }
    globfree(&found);
    return ok;
}

bool gate_paths_expand(struct gate_paths *out, const struct gate_paths *paths, struct gate_arena *arena,
                       struct gate_error *err) {
    *out = (struct gate_paths){0};
    for (uint32_t i = 0; i < paths->count; i++) {
        struct stat status = {0};
        const char *path = paths->items[i];
        bool is_there = gate_paths_is_stream(path) || stat(path, &status) == 0;
        bool is_directory = is_there && !gate_paths_is_stream(path) && S_ISDIR(status.st_mode);
        if (!is_there && gate_backend_address_is(gate_str_from(path))) { /* queried already, or fails when read */
            if (!gate_paths_add(out, path, arena, err))
                return false;
            continue;
        }
        if (!is_there && gate_paths_is_address(path))
            return gate_paths_refuse_addresses(path, "URL", err);
        if (!(is_directory                         ? paths_add_directory(out, path, arena, err)
              : !is_there && path_is_pattern(path) ? paths_add_pattern(out, path, arena, err)
                                                   : gate_paths_add(out, path, arena, err)))
            return false;
    }
    return true;
}
