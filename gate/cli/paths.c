/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of paths (see paths.h). */
#include "gate/cli/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

bool gate_paths_is_stream(const char *path) {
    return strcmp(path, "-") == 0;
}

bool gate_paths_add(struct gate_paths *paths, const char *path, struct gate_arena *arena, struct gate_error *err) {
    const char **items = gate_arena_grow(arena, (void *)paths->items, paths->count, &paths->capacity, sizeof *items);
    if (items == NULL)
        return gate_arena_error(arena, err);
    paths->items = items;
    paths->items[paths->count++] = path;
    return true;
}

static bool path_is_profile(const char *name) {
    static const char *const endings[] = {".md",  ".csv", ".yml", ".yaml", ".html", ".svg",
                                          ".xml", ".log", "~",    ".tmp",  ".part", NULL};
    struct gate_str text = gate_str_from(name);
    if (name[0] == '.' || gate_str_starts(text, GATE_STR("README")) || gate_str_starts(text, GATE_STR("MANIFEST")))
        return false;
    for (size_t i = 0; endings[i] != NULL; i++)
        if (gate_str_ends(text, gate_str_from(endings[i])))
            return false;
    return true;
}

static int path_compare(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool paths_add_directory(struct gate_paths *paths, const char *directory, struct gate_arena *arena,
                                struct gate_error *err) {
    DIR *stream = opendir(directory);
    if (stream == NULL)
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot read the directory: %s", directory, strerror(errno));
    uint32_t before = paths->count;
    bool ok = true;
    for (struct dirent *entry = readdir(stream); ok && entry != NULL; entry = readdir(stream)) {
        struct stat status;
        struct gate_str path = gate_str_format(arena, "%s/%s", directory, entry->d_name);
        if (path.ptr == NULL)
            ok = gate_arena_error(arena, err);
        else if (path_is_profile(entry->d_name) && stat(path.ptr, &status) == 0 && S_ISREG(status.st_mode))
            ok = gate_paths_add(paths, path.ptr, arena, err);
    }
    (void)closedir(stream);
    if (ok && paths->count == before)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%s: the directory holds no profiles; a side needs at least one, such as cpu.pb.gz",
                              directory);
    if (ok)
        qsort((void *)(paths->items + before), paths->count - before, sizeof *paths->items, path_compare);
    return ok;
}

bool gate_paths_expand(struct gate_paths *out, const struct gate_paths *paths, struct gate_arena *arena,
                       struct gate_error *err) {
    *out = (struct gate_paths){0};
    for (uint32_t i = 0; i < paths->count; i++) {
        struct stat status;
        const char *path = paths->items[i];
        bool is_directory = !gate_paths_is_stream(path) && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
        if (!(is_directory ? paths_add_directory(out, path, arena, err) : gate_paths_add(out, path, arena, err)))
            return false;
    }
    return true;
}
