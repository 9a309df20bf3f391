/* SPDX-License-Identifier: Apache-2.0 */
/* Files read and written by a command line (see places.h). */
#include "gate/cli/overwrite.h"

#include <sys/stat.h>

struct gate_overwrite_file {
    const char *path;
    bool is_read;
    dev_t device; /* of the file, or of its folder */
    ino_t inode;
    struct gate_str name; /* of a file that is not there yet, its path where no folder is either; else empty */
};

/* Where `path` leads; false: nowhere that could be written to twice by mistake. */
static bool place_find(struct gate_overwrite_file *out, const char *path, struct gate_arena *arena) {
    struct stat status;
    struct gate_str text = gate_str_from(path);
    *out = (struct gate_overwrite_file){.path = path, .name = GATE_STR("")};
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

static bool places_add(struct gate_overwrite *places, const struct gate_overwrite_file *place, struct gate_arena *arena,
                       struct gate_error *err) {
    struct gate_overwrite_file *items =
        gate_arena_grow(arena, places->items, places->count, &places->capacity, sizeof *items);
    if (items == NULL)
        return gate_arena_error(arena, err);
    places->items = items;
    places->items[places->count++] = *place;
    return true;
}

static bool is_nowhere(const char *path) {
    return path == NULL || strcmp(path, "-") == 0;
}

bool gate_overwrite_read(struct gate_overwrite *places, const char *path, struct gate_arena *arena, struct gate_error *err) {
    struct gate_paths expanded;
    if (is_nowhere(path))
        return true;
    if (!gate_paths_expand(&expanded, &(struct gate_paths){.items = &path, .count = 1}, arena, err))
        return false;
    for (uint32_t i = 0; i < expanded.count; i++) {
        struct gate_overwrite_file place;
        if (!place_find(&place, expanded.items[i], arena) || place.name.len != 0)
            continue; /* loading says what is wrong with it */
        place.is_read = true;
        if (!places_add(places, &place, arena, err))
            return false;
    }
    return true;
}

static bool places_read_all(struct gate_overwrite *places, const struct gate_paths *paths, struct gate_arena *arena,
                            struct gate_error *err) {
    for (uint32_t i = 0; i < paths->count; i++)
        if (!gate_overwrite_read(places, paths->items[i], arena, err))
            return false;
    return true;
}

bool gate_overwrite_read_request(struct gate_overwrite *places, const struct gate_request *request, struct gate_arena *arena,
                              struct gate_error *err) {
    bool ok = places_read_all(places, &request->arguments, arena, err);
    for (int side = 0; ok && side < GATE_SIDES; side++) {
        ok = places_read_all(places, &request->paths[side], arena, err);
        for (uint32_t i = 0; ok && i < request->pair_count; i++)
            ok = places_read_all(places, &request->pairs[i].paths[side], arena, err);
    }
    return ok;
}

bool gate_overwrite_write(struct gate_overwrite *places, const char *path, struct gate_arena *arena, struct gate_error *err) {
    struct gate_overwrite_file place;
    if (is_nowhere(path) || !place_find(&place, path, arena))
        return true;
    for (size_t i = 0; i < places->count; i++) {
        const struct gate_overwrite_file *other = &places->items[i];
        if (other->device != place.device || other->inode != place.inode || !gate_str_equal(other->name, place.name))
            continue;
        if (other->is_read)
            return gate_error_set(err, GATE_ERR_USAGE, "%s: it is an input ('%s') and would be overwritten; name another "
                                  "file to write", path, other->path);
        return gate_error_set(err, GATE_ERR_USAGE, "%s: two outputs go to this file ('%s'); name a file for each", path,
                              other->path);
    }
    return places_add(places, &place, arena, err);
}
