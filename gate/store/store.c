/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a store, its lock and its files (see store.h). */
#include "gate/store/store.h"

#include "gate/base/folders.h"
#include "gate/base/outfile.h"
#include "gate/base/stream.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MARKER "store.json"
#define LAYOUT "{\"schema\": \"pprofgate-store/1\"}\n"

enum { LOCK_WAITS = 1200, LOCK_WAIT_NS = 50 * 1000 * 1000 }; /* a minute in all */

static bool store_failed(const char *path, const char *what, int reason, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_IO, "%s: %s: %s", path, what, strerror(reason));
}

const char *gate_store_path(const struct gate_store *store, struct gate_str relative, struct gate_arena *arena) {
    struct gate_str folder = gate_str_from(store->path);
    const struct gate_str parts[] = {folder, gate_str_ends(folder, GATE_STR("/")) ? GATE_STR("") : GATE_STR("/"),
                                     relative};
    return gate_str_concat(arena, parts, 3).ptr;
}

/* Whether a part of `relative` is a link; what is not there yet is none. */
static bool check_parts(const struct gate_store *store, struct gate_str relative, struct gate_arena *arena,
                        struct gate_error *err) {
    struct stat status;
    for (size_t at = 0; at < relative.len;) {
        size_t slash = gate_str_find(relative, GATE_STR("/"), at), end = slash == SIZE_MAX ? relative.len : slash;
        const char *path = gate_store_path(store, gate_str_slice(relative, 0, end), arena);
        if (path == NULL)
            return gate_arena_error(arena, err);
        if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "%s: expected a file or folder of the store, found a link, which leads out of it; "
                                  "put what it leads to in its place, or remove it",
                                  path);
        at = end + 1;
    }
    return true;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static int name_compare(const void *left, const void *right) {
    return gate_str_compare(*(const struct gate_str *)left, *(const struct gate_str *)right);
}

static bool names_add(struct gate_store_names *names, const char *name, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_str *items = gate_arena_grow(arena, names->items, names->count, &names->capacity, sizeof *items);
    struct gate_str copy = gate_str_copy(arena, gate_str_from(name));
    if (items == NULL || copy.ptr == NULL)
        return gate_arena_error(arena, err);
    names->items = items;
    names->items[names->count++] = copy;
    return true;
}

bool gate_store_names(struct gate_store_names *out, const struct gate_store *store, struct gate_str relative,
                      struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_store_names){0};
    const char *path = gate_store_path(store, relative, arena);
    if (path == NULL)
        return gate_arena_error(arena, err);
    if (!check_parts(store, relative, arena, err))
        return false;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return errno == ENOENT || (errno == ENOTDIR && relative.len > 0) ||
               store_failed(path, "cannot be read", errno, err);
    bool ok = true;
    const struct dirent *entry;
    while (errno = 0, ok && (entry = readdir(folder)) != NULL)
        ok = entry->d_name[0] == '.' || names_add(out, entry->d_name, arena, err);
    if (ok && errno != 0) /* half a list would be a baseline that is not there */
        ok = store_failed(path, "cannot be read", errno, err);
    (void)closedir(folder);
    if (ok && out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, name_compare);
    return ok;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

bool gate_store_make_folder(const struct gate_store *store, struct gate_str relative, struct gate_arena *arena,
                            struct gate_error *err) {
    if (!check_parts(store, relative, arena, err))
        return false;
    for (size_t at = 0; at < relative.len;) {
        size_t slash = gate_str_find(relative, GATE_STR("/"), at), end = slash == SIZE_MAX ? relative.len : slash;
        const char *path = gate_store_path(store, gate_str_slice(relative, 0, end), arena);
        if (path == NULL)
            return gate_arena_error(arena, err);
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return store_failed(path, "cannot make the folder", errno, err);
        at = end + 1;
    }
    return true;
}

/* A name is on the disk when its folder is. */
static bool folder_sync(const char *path, struct gate_arena *arena) {
    struct gate_str whole = gate_str_from(path);
    size_t end = whole.len - gate_str_basename(whole).len;
    struct gate_str folder = gate_str_copy(arena, end == 0 ? GATE_STR(".") : gate_str_slice(whole, 0, end));
    int descriptor = folder.ptr == NULL ? -1 : open(folder.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool ok = fsync(descriptor) == 0 || errno == EINVAL;
    (void)close(descriptor);
    return ok;
}

bool gate_store_write(const struct gate_store *store, struct gate_str relative, struct gate_str bytes,
                      struct gate_arena *arena, struct gate_error *err) {
    const char *path = gate_store_path(store, relative, arena);
    if (path == NULL)
        return gate_arena_error(arena, err);
    return check_parts(store, relative, arena, err) && gate_outfile_keep(path, bytes, arena, err) &&
           (folder_sync(path, arena) || store_failed(path, "cannot be made to stay", errno, err));
}

bool gate_store_remove(const struct gate_store *store, struct gate_str relative, struct gate_arena *arena,
                       struct gate_error *err) {
    const char *path = gate_store_path(store, relative, arena);
    if (path == NULL)
        return gate_arena_error(arena, err);
    return check_parts(store, relative, arena, err) &&
           (unlink(path) == 0 || errno == ENOENT || store_failed(path, "cannot be removed", errno, err));
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* `*is_there`: a store. What a writer that was killed early left is none yet. */
static bool store_look(const struct gate_store *store, bool *is_there, struct gate_arena *arena,
                       struct gate_error *err) {
    struct gate_store_names names;
    struct gate_str other = {NULL, 0};
    *is_there = false;
    if (!gate_store_names(&names, store, GATE_STR(""), arena, err))
        return false;
    for (uint32_t i = 0; i < names.count; i++) {
        *is_there = *is_there || gate_str_equal(names.items[i], GATE_STR(MARKER));
        if (!gate_str_starts(names.items[i], GATE_STR(MARKER)) && !gate_str_equal(names.items[i], GATE_STR("lock")))
            other = names.items[i];
    }
    if (*is_there || other.ptr == NULL)
        return true;
    return gate_error_set(err, GATE_ERR_INPUT,
                          "%s: expected a store of baselines, found a folder with '%.*s' and no " MARKER
                          "; name another folder, or restore " MARKER,
                          store->path, GATE_STR_ARG(other));
}

static bool store_check_layout(const struct gate_store *store, struct gate_arena *arena, struct gate_error *err) {
    char text[sizeof LAYOUT + 1];
    const char *path = gate_store_path(store, GATE_STR(MARKER), arena);
    FILE *file = path == NULL ? NULL : fopen(path, "rb");
    if (path == NULL)
        return gate_arena_error(arena, err);
    if (file == NULL)
        return store_failed(path, "cannot be opened", errno, err);
    size_t len = gate_stream_read(text, sizeof text, file);
    (void)fclose(file);
    return gate_str_equal((struct gate_str){text, len}, GATE_STR(LAYOUT)) ||
           gate_error_set(err, GATE_ERR_INPUT,
                          "%s: expected the layout pprofgate-store/1, found another one; use the pprofgate that made "
                          "this store, or name another folder",
                          path);
}

static bool store_lock(struct gate_store *store, enum gate_store_use use, struct gate_arena *arena,
                       struct gate_error *err) {
    const struct timespec wait = {.tv_nsec = LOCK_WAIT_NS};
    bool writes = use == GATE_STORE_WRITE;
    const char *path = gate_store_path(store, GATE_STR("lock"), arena);
    if (path == NULL)
        return gate_arena_error(arena, err);
    store->lock = open(path, O_NOFOLLOW | O_CLOEXEC | (writes ? O_RDWR | O_CREAT : O_RDONLY), 0666);
    if (store->lock < 0)
        return !writes || store_failed(path, "cannot be opened", errno, err);
    for (int i = 0; i < LOCK_WAITS; i++) {
        if (flock(store->lock, (writes ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return !writes || store_failed(path, "cannot be locked", errno, err);
        (void)nanosleep(&wait, NULL);
    }
    return gate_error_set(err, GATE_ERR_INPUT, "%s: another process has held this store for a minute; try again later",
                          path);
}

static bool store_begin(struct gate_store *store, enum gate_store_use use, struct gate_arena *arena,
                        struct gate_error *err) {
    bool is_there = false;
    if (use == GATE_STORE_WRITE && !gate_folders_make(store->path, err))
        return false;
    if (!store_look(store, &is_there, arena, err) || (use == GATE_STORE_READ && !is_there))
        return use == GATE_STORE_READ && err->code == GATE_OK;
    if (!store_lock(store, use, arena, err))
        return false;
    store->is_there = true;
    return (is_there || gate_store_write(store, GATE_STR(MARKER), GATE_STR(LAYOUT), arena, err)) &&
           store_check_layout(store, arena, err);
}

bool gate_store_open(struct gate_store *out, const char *path, enum gate_store_use use, struct gate_arena *arena,
                     struct gate_error *err) {
    struct gate_error why = {0};
    *out = (struct gate_store){.path = path, .lock = -1};
    if (store_begin(out, use, arena, &why))
        return true;
    gate_store_close(out);
    *err = why;
    return false;
}

void gate_store_close(struct gate_store *store) {
    if (store->lock >= 0)
        (void)close(store->lock);
    store->lock = -1;
}
