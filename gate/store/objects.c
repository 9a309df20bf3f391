/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles in a store (see objects.h). */
#include "gate/store/objects.h"

#include "gate/capture/manifest.h"
#include "gate/profile/source.h"

#include <unistd.h>

static struct gate_str object_relative(struct gate_str digest, struct gate_arena *arena) {
    return gate_str_format(arena, "objects/%.2s/%.*s", digest.ptr, GATE_STR_ARG(digest));
}

const char *gate_objects_path(const struct gate_store *store, struct gate_str digest, struct gate_arena *arena) {
    GATE_ASSERT(digest.len == GATE_OBJECTS_DIGITS);
    struct gate_str relative = object_relative(digest, arena);
    return relative.ptr == NULL ? NULL : gate_store_path(store, relative, arena);
}

/* Why an object could not be read: one that is there is as it was, and it is the machine that cannot now. */
static bool object_unread(const char *path, const struct gate_error *why, struct gate_error *err) {
    bool is_for_now = why->code == GATE_ERR_MEMORY || (why->code == GATE_ERR_IO && access(path, F_OK) == 0);
    if (is_for_now)
        return gate_error_set(err, why->code, "%s: this accepted profile is there, but %s", path, why->message);
    return gate_error_set(err, GATE_ERR_FORMAT, "%s: this accepted profile %s; restore it, or accept again", path,
                          why->message);
}

/* Read the object and compare; `scratch` holds its bytes. */
static bool object_check(const struct gate_store *store, struct gate_str digest, struct gate_arena *scratch,
                         struct gate_error *err) {
    struct gate_limits limits = gate_limits_default();
    struct gate_error why = {0};
    struct gate_str bytes;
    const char *path = gate_objects_path(store, digest, scratch);
    if (path == NULL)
        return gate_arena_error(scratch, err);
    if (!gate_source_read(&bytes, gate_str_from(path), &limits, scratch, &why))
        return object_unread(path, &why, err);
    struct gate_str found = gate_manifest_digest(bytes, scratch);
    if (found.ptr == NULL)
        return gate_arena_error(scratch, err);
    return gate_str_equal(found, digest) ||
           gate_error_set(err, GATE_ERR_FORMAT,
                          "%s: this accepted profile is damaged: expected the SHA-256 of its name, found %.*s; restore "
                          "it, or accept again",
                          path, 16, found.ptr);
}

bool gate_objects_check(const struct gate_store *store, struct gate_str digest, struct gate_arena *arena,
                        struct gate_error *err) {
    struct gate_arena scratch;
    gate_arena_fork(&scratch, arena);
    bool ok = object_check(store, digest, &scratch, err);
    gate_arena_free(&scratch);
    return ok;
}

bool gate_objects_put(struct gate_str *digest, const struct gate_store *store, struct gate_str bytes,
                      struct gate_arena *arena, struct gate_error *err) {
    struct gate_error damaged = {0};
    *digest = gate_manifest_digest(bytes, arena);
    struct gate_str folder = GATE_STR(""), relative = GATE_STR("");
    if (digest->ptr != NULL) {
        relative = object_relative(*digest, arena);
        folder = gate_str_slice(relative, 0, sizeof "objects/00" - 1);
    }
    const char *path = digest->ptr == NULL ? NULL : gate_objects_path(store, *digest, arena);
    if (path == NULL || relative.ptr == NULL)
        return gate_arena_error(arena, err);
    if (access(path, F_OK) == 0 && gate_objects_check(store, *digest, arena, &damaged))
        return true;
    return gate_store_make_folder(store, folder, arena, err) && gate_store_write(store, relative, bytes, arena, err);
}
