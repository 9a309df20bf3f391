/* SPDX-License-Identifier: Apache-2.0 */
/* Folders and files of the cache of `try`. */
#include "gate/trial/folder.h"

#include "gate/base/file.h"
#include "gate/base/process.h"
#include "gate/base/str.h"
#include "gate/formats/source.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* Removing a large tree of packages takes minutes. */
static const double REMOVE_SECONDS = 600;

bool gate_folder_remove(const char *path, struct gate_interrupt *interrupt, struct gate_arena *arena,
                        struct gate_error *err) {
    struct stat status;
    struct gate_child child;
    char *const *environment;
    const char *const words[] = {"rm", "-rf", "--", path, NULL}, *const no_changes[] = {NULL};
    if (lstat(path, &status) != 0)
        return true;
    if (!gate_child_environment(&environment, no_changes, arena, err))
        return false;
    const struct gate_child_options options = {.argv = words, .environment = environment, .out = -1, .log = -1};
    if (!gate_child_start(&child, &options, interrupt, err))
        return false;
    enum gate_child_wait end = gate_child_wait(&child, REMOVE_SECONDS, interrupt);
    gate_child_stop(&child, 1);
    if (end == GATE_CHILD_INTERRUPTED)
        return gate_interrupt_error(interrupt, err);
    return lstat(path, &status) != 0 ||
           gate_error_set(err, GATE_ERR_IO, "%s: cannot be removed; remove it by hand", path);
}

bool gate_folder_absolute(struct gate_str *out, const char *path, struct gate_arena *arena, struct gate_error *err) {
    char here[PATH_MAX];
    if (path[0] != '/' && getcwd(here, sizeof here) == NULL)
        return gate_error_set(err, GATE_ERR_IO, "the working directory has no name: %s", strerror(errno));
    *out = path[0] == '/' ? gate_str_format(arena, "%s", path) : gate_str_format(arena, "%s/%s", here, path);
    return out->ptr != NULL || gate_arena_error(arena, err);
}

bool gate_folder_copy_file(const char *to, const char *from, struct gate_arena *arena, struct gate_error *err) {
    struct gate_limits limits = gate_limits_default();
    struct gate_error why = {0};
    struct gate_str bytes;
    limits.compressed_bytes = (size_t)INT_MAX; /* a git index can be large */
    if (!gate_source_read(&bytes, gate_str_from(from), &limits, arena, &why))
        return gate_error_set(err, why.code, "%s: %s", from, why.message);
    return gate_outfile_write(to, bytes, arena, err);
}
