/* SPDX-License-Identifier: Apache-2.0 */
/* Folders and those above them (see folders.h). */
#include "gate/base/folders.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* One folder, whose own are there. */
static bool make_one(const char *path, struct gate_error *err) {
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return true;
    int reason = errno;
    bool is_there = stat(path, &status) == 0;
    if (is_there && S_ISDIR(status.st_mode))
        return true;
    if (is_there)
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot make the folder: a file has this name; name another one",
                              path);
    return gate_error_set(err, GATE_ERR_IO, "%s: cannot make the folder: %s", path, strerror(reason));
}

/* The first `len` bytes of `path`, and each folder on the way. */
static bool make_all(const char *path, size_t len, struct gate_error *err) {
    char name[PATH_MAX];
    if (len >= sizeof name)
        return gate_error_set(err, GATE_ERR_IO, "the path of %zu bytes is too long for a folder", len);
    memcpy(name, path, len);
    name[len] = '\0';
    for (size_t i = 1; i <= len; i++) {
        if (i < len && name[i] != '/')
            continue;
        name[i] = '\0';
        if (!make_one(name, err))
            return false;
        name[i] = i < len ? '/' : '\0';
    }
    return true;
}

bool gate_folders_make(const char *path, struct gate_error *err) {
    return make_all(path, strlen(path), err);
}

bool gate_folders_make_above(const char *path, struct gate_error *err) {
    struct stat status;
    const char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path || stat(path, &status) == 0)
        return true;
    return make_all(path, (size_t)(slash - path), err);
}
