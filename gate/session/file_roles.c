/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/file_roles.h"

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/capture/manifest.h"
#include "gate/formats/inflate.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- which existing files an output may replace --------------------------------------------------------------------
 *
 * Only files that pprofgate wrote, in the same format. */

enum { PACKED_HEAD_BYTES = 256 };

static bool is_packed(enum gate_own_mark mark) {
    return mark == GATE_OWN_PPROF || mark == GATE_OWN_OTLP || mark == GATE_OWN_SUMMARY;
}

static enum gate_own_file head_look(struct gate_str head, enum gate_own_mark mark) {
    char inflated[PACKED_HEAD_BYTES];
    if (head.len == 0)
        return GATE_OWN_FILE_EMPTY;
    size_t len = is_packed(mark) ? gate_inflate_head(inflated, sizeof inflated, head) : 0;
    if (len > 0)
        head = (struct gate_str){inflated, len};
    return gate_own_mark_is_in(mark, head) ? GATE_OWN_FILE_OWN : GATE_OWN_FILE_OTHER;
}

enum gate_own_file gate_own_file_look(const char *path, enum gate_own_mark mark) {
    char head[GATE_OWN_MARK_HEAD_BYTES];
    struct stat status;
    bool replaces = false;
    if (!gate_outfile_replaces(&replaces, path))
        return GATE_OWN_FILE_UNREADABLE;
    if (!replaces)
        return GATE_OWN_FILE_NONE;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0)
        return errno == ENOENT ? GATE_OWN_FILE_NONE : GATE_OWN_FILE_UNREADABLE;
    size_t len = 0;
    if (fstat(descriptor, &status) == 0) {
        errno = EINVAL; /* the file was replaced meanwhile by something that is not a regular file */
        len = S_ISREG(status.st_mode) ? gate_stream_read_at(head, sizeof head, descriptor, 0) : 0;
    }
    int reason = errno;
    (void)close(descriptor);
    errno = reason;
    return reason != 0 ? GATE_OWN_FILE_UNREADABLE : head_look((struct gate_str){head, len}, mark);
}

bool gate_own_file_check(const char *path, enum gate_own_mark mark, bool is_forced, struct gate_error *err) {
    enum gate_own_file found = is_forced ? GATE_OWN_FILE_NONE : gate_own_file_look(path, mark);
    switch (found) {
    case GATE_OWN_FILE_UNREADABLE:
        return gate_error_set(err, GATE_ERR_IO,
                              "%s exists and cannot be read (%s), so it may not be a report of pprofgate; use --force "
                              "to replace it with %s",
                              path, strerror(errno), gate_own_mark_name(mark));
    case GATE_OWN_FILE_OTHER:
        if (mark == GATE_OWN_RULES) /* pprofgate may have written it, but people edit rules files */
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "%s: already exists; use --force to overwrite it, or --output to write elsewhere",
                                  path);
        return gate_error_set(err, GATE_ERR_USAGE,
                              "%s exists and is not a report of pprofgate; use --force to replace it with %s, or name "
                              "another file",
                              path, gate_own_mark_name(mark));
    default:
        return true;
    }
}

/* ---- files that a command line reads and writes ------------------------------------------------------------------ */

struct gate_file_role {
    const char *path;
    bool is_read;
    dev_t device; /* of the file, or of its folder if the file does not exist */
    ino_t inode;
    struct gate_str name; /* name if the file does not exist, path if its folder does not either; else empty */
};

/* Identifies the file at `path`. Returns false for devices, pipes and the like, which may be written to twice. */
static bool role_find(struct gate_file_role *out, const char *path, struct gate_arena *arena) {
    struct stat status;
    struct gate_str text = gate_str_from(path);
    *out = (struct gate_file_role){.path = path, .name = GATE_STR("")};
    if (stat(path, &status) != 0) {
        out->name = gate_str_basename(text);
        struct gate_str folder = gate_str_slice(text, 0, text.len - out->name.len);
        folder = gate_str_copy(arena, folder.len == 0 ? GATE_STR("./") : folder);
        if (folder.ptr == NULL || stat(folder.ptr, &status) != 0) {
            out->name = text; /* the folder does not exist either; --report creates it */
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
    return GATE_APPEND(arena, roles->items, roles->count, roles->capacity, err, *role);
}

bool gate_file_roles_read_file(struct gate_file_roles *roles, const char *path, struct gate_arena *arena,
                               struct gate_error *err) {
    struct gate_file_role file;
    if (path == NULL || gate_paths_is_stream(path) || !role_find(&file, path, arena))
        return true;
    file.is_read = true;
    return roles_add(roles, &file, arena, err);
}

bool gate_file_roles_read_folder(struct gate_file_roles *roles, const char *folder, struct gate_arena *arena,
                                 struct gate_error *err) {
    struct gate_manifest manifest;
    struct gate_error ignored = {0};
    if (folder == NULL)
        return true;
    const char *path = gate_path_join(folder, GATE_STR(GATE_MANIFEST_FILE), arena);
    if (path == NULL)
        return gate_arena_error(arena, err);
    if (!gate_file_roles_read_file(roles, path, arena, err))
        return false;
    if (!gate_manifest_file_exists(folder, arena) || !gate_manifest_file_read(&manifest, folder, arena, &ignored))
        return gate_arena_check(arena, err); /* loading the manifest reports the error */
    for (uint32_t i = 0; i < manifest.count; i++) {
        path = gate_path_join(folder, manifest.runs[i].file, arena);
        if (path == NULL)
            return gate_arena_error(arena, err);
        if (!gate_file_roles_read_file(roles, path, arena, err))
            return false;
    }
    return true;
}

bool gate_file_roles_read(struct gate_file_roles *roles, const char *role, const char *path, struct gate_arena *arena,
                          struct gate_error *err) {
    struct gate_paths expanded;
    struct gate_error ignored = {0};
    if (path == NULL)
        return true;
    if (gate_manifest_file_exists(path, arena))
        return gate_file_roles_read_folder(roles, path, arena, err);
    if (gate_paths_is_stream(path)) {
        roles->input[roles->input[0] == NULL ? 0 : 1] = role;
        return true;
    }
    if (!gate_paths_expand(&expanded, &(struct gate_paths){.items = &path, .count = 1}, arena, &ignored))
        return ignored.code == GATE_ERR_IO || ignored.code == GATE_ERR_INPUT || gate_arena_error(arena, err);
    for (uint32_t i = 0; i < expanded.count; i++) {
        struct gate_file_role file;
        if (!role_find(&file, expanded.items[i], arena) || file.name.len != 0)
            continue; /* loading the file reports the error */
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

/* Returns the entry of the same file, or NULL. */
static const struct gate_file_role *roles_find(const struct gate_file_roles *roles, const struct gate_file_role *file) {
    for (size_t i = 0; i < roles->count; i++) {
        const struct gate_file_role *other = &roles->items[i];
        if (other->device == file->device && other->inode == file->inode && gate_str_equal(other->name, file->name))
            return other;
    }
    return NULL;
}

bool gate_file_roles_write(struct gate_file_roles *roles, const char *path, enum gate_own_mark mark,
                           struct gate_session *session, struct gate_error *err) {
    struct gate_file_role file;
    if (path != NULL && gate_paths_is_stream(path)) {
        if (roles->output_is_taken)
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "'-' is standard output and takes only one output; name a file for the others");
        roles->output_is_taken = true;
        return true;
    }
    if (path == NULL || !role_find(&file, path, session->arena))
        return true;
    const struct gate_file_role *other = roles_find(roles, &file);
    roles->is_refused = other != NULL || !gate_own_file_check(path, mark, session->is_forced, err);
    if (other == NULL)
        return !roles->is_refused && gate_outfile_check(path, err) && roles_add(roles, &file, session->arena, err);
    if (other->is_read)
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "%s: this is an input ('%s') and would be overwritten; choose another file for the output", path,
            other->path);
    return gate_error_set(err, GATE_ERR_USAGE,
                          "%s: another output goes to the same file ('%s'); give each a file of its own", path,
                          other->path);
}

bool gate_file_roles_end(struct gate_file_roles *roles) {
    roles->is_ended = true;
    return true;
}

bool gate_file_roles_are_certain(const struct gate_file_roles *roles, const struct gate_error *err) {
    return err->code != GATE_ERR_USAGE || roles->is_ended;
}

bool gate_file_roles_is_read(const struct gate_file_roles *roles, const char *path, struct gate_arena *arena) {
    struct gate_file_role file;
    if (!role_find(&file, path, arena))
        return false;
    const struct gate_file_role *other = roles_find(roles, &file);
    return other != NULL && other->is_read;
}
