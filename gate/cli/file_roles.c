/* SPDX-License-Identifier: Apache-2.0 */
/* What each file of a command line is for (see file_roles.h). */
#include "gate/cli/file_roles.h"

#include <sys/stat.h>

struct gate_file_role {
    const char *path;
    bool is_read;
    dev_t device; /* of the file, or of its folder */
    ino_t inode;
    struct gate_str name; /* of a file that is not there yet, its path where no folder is either; else empty */
};

/* Where `path` leads; false: nowhere that could be written to twice by mistake. */
static bool role_find(struct gate_file_role *out, const char *path, struct gate_arena *arena) {
    struct stat status;
    struct gate_str text = gate_str_from(path);
    *out = (struct gate_file_role){.path = path, .name = GATE_STR("")};
    if (stat(path, &status) != 0) {
        out->name = gate_str_basename(text);
        struct gate_str folder = gate_str_slice(text, 0, text.len - out->name.len);
        folder = gate_str_copy(arena, folder.len == 0 ? GATE_STR("./") : folder);
        if (folder.ptr == NULL || stat(folder.ptr, &status) != 0) {
            out->name = text; /* neither is the folder: --report makes it */
            return true;
        }
    } else if (!S_ISREG(status.st_mode)) {
        return false;
    }
    out->device = status.st_dev;
    out->inode = status.st_ino;
    return true;
}

static bool roles_add(struct gate_file_roles *roles, const struct gate_file_role *role, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_file_role *items = gate_arena_grow(arena, roles->items, roles->count, &roles->capacity, sizeof *items);
    if (items == NULL)
        return gate_arena_error(arena, err);
    roles->items = items;
    roles->items[roles->count++] = *role;
    return true;
}

bool gate_file_roles_read(struct gate_file_roles *roles, const char *role, const char *path, struct gate_arena *arena,
                          struct gate_error *err) {
    struct gate_paths expanded;
    struct gate_error ignored = {0};
    if (path == NULL)
        return true;
    if (gate_paths_is_stream(path)) {
        roles->input[roles->input[0] == NULL ? 0 : 1] = role;
        return true;
    }
    if (!gate_paths_expand(&expanded, &(struct gate_paths){.items = &path, .count = 1}, arena, &ignored))
        return ignored.code == GATE_ERR_IO || ignored.code == GATE_ERR_INPUT || gate_arena_error(arena, err);
    for (uint32_t i = 0; i < expanded.count; i++) {
        struct gate_file_role file;
        if (!role_find(&file, expanded.items[i], arena) || file.name.len != 0)
            continue; /* loading says what is wrong with it */
        file.is_read = true;
        if (!roles_add(roles, &file, arena, err))
            return false;
    }
    return true;
}

bool gate_file_roles_read_all(struct gate_file_roles *roles, const char *role, const struct gate_paths *paths,
                              struct gate_arena *arena, struct gate_error *err) {
    for (uint32_t i = 0; i < paths->count; i++)
        if (!gate_file_roles_read(roles, role, paths->items[i], arena, err))
            return false;
    return true;
}

bool gate_file_roles_check(const struct gate_file_roles *roles, struct gate_error *err) {
    if (roles->input[1] == NULL)
        return true;
    bool same = strcmp(roles->input[0], roles->input[1]) == 0;
    return gate_error_set(
        err, GATE_ERR_USAGE,
        "'-' is standard input and can be read only once, but it is given as %s%s%s; name a file for one "
        "of them",
        roles->input[0], same ? " twice" : " and as ", same ? "" : roles->input[1]);
}

/* Who has the file already, or NULL. */
static const struct gate_file_role *roles_find(const struct gate_file_roles *roles, const struct gate_file_role *file) {
    for (size_t i = 0; i < roles->count; i++) {
        const struct gate_file_role *other = &roles->items[i];
        if (other->device == file->device && other->inode == file->inode && gate_str_equal(other->name, file->name))
            return other;
    }
    return NULL;
}

bool gate_file_roles_write(struct gate_file_roles *roles, const char *path, struct gate_arena *arena,
                           struct gate_error *err) {
    struct gate_file_role file;
    if (path != NULL && gate_paths_is_stream(path)) {
        if (roles->output_is_taken)
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "'-' is standard output and takes only one output; name a file for the others");
        roles->output_is_taken = true;
        return true;
    }
    if (path == NULL || !role_find(&file, path, arena))
        return true;
    const struct gate_file_role *other = roles_find(roles, &file);
    if (other == NULL)
        return roles_add(roles, &file, arena, err);
    if (other->is_read)
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "%s: this is an input ('%s') and would be overwritten; choose another file for the output", path,
            other->path);
    return gate_error_set(err, GATE_ERR_USAGE,
                          "%s: another output goes to the same file ('%s'); give each a file of its own", path,
                          other->path);
}

bool gate_file_roles_is_read(const struct gate_file_roles *roles, const char *path, struct gate_arena *arena) {
    struct gate_file_role file;
    if (!role_find(&file, path, arena))
        return false;
    const struct gate_file_role *other = roles_find(roles, &file);
    return other != NULL && other->is_read;
}
