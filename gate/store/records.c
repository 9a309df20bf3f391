/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a store (see records.h). */
#include "gate/store/records.h"

#include "gate/capture/manifest.h"
#include "gate/profile/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ID_DIGITS = 32, RECORD_BYTES_MAX = 16 * 1024 * 1024 };

/* A walk over the folders of a store. */
struct listing {
    struct gate_records *out;
    const struct gate_store *store;
    struct gate_arena *arena;
    struct gate_error *err;
};

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_plain(char c, bool is_first) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           (c == '.' && !is_first);
}

static void put_name(struct gate_buf *out, struct gate_str name) {
    for (size_t i = 0; i < name.len; i++)
        if (is_plain(name.ptr[i], i == 0))
            gate_buf_char(out, name.ptr[i]);
        else
            gate_buf_printf(out, "%%%02X", (unsigned char)name.ptr[i]);
}

/* As it was before put_name; `.ptr` NULL: the arena is full. */
static struct gate_str name_of(struct gate_str folder, struct gate_arena *arena) {
    char *text = gate_arena_alloc(arena, folder.len + 1);
    size_t len = 0;
    for (size_t i = 0; text != NULL && i < folder.len; i++) {
        unsigned code = 0;
        bool is_code = folder.ptr[i] == '%' && i + 2 < folder.len && sscanf(folder.ptr + i + 1, "%2X", &code) == 1;
        text[len++] = is_code ? (char)code : folder.ptr[i];
        i += is_code ? 2 : 0;
    }
    return (struct gate_str){text, len};
}

struct gate_str gate_records_folder(struct gate_str service, struct gate_str environment, struct gate_arena *arena) {
    struct gate_buf text = {0};
    gate_buf_text(&text, "records/");
    put_name(&text, service);
    gate_buf_char(&text, '/');
    put_name(&text, environment);
    struct gate_str folder = text.failed ? (struct gate_str){NULL, 0} : gate_str_copy(arena, gate_buf_view(&text));
    gate_buf_free(&text);
    return folder;
}

static struct gate_str relative_of(const struct gate_record *record, struct gate_arena *arena) {
    struct gate_str folder = gate_records_folder(record->service, record->environment, arena);
    const struct gate_str parts[] = {folder, GATE_STR("/"), record->id, GATE_STR(".json")};
    return folder.ptr == NULL ? folder : gate_str_concat(arena, parts, 4);
}

/* "1790000000000-0123...": the digest is of the text. */
static struct gate_str id_of(int64_t accepted_ms, struct gate_str text, struct gate_arena *arena) {
    struct gate_str digest = gate_manifest_digest(text, arena);
    if (digest.ptr == NULL)
        return digest;
    return gate_str_format(arena, "%013" PRId64 "-%.*s", accepted_ms, ID_DIGITS, digest.ptr);
}

/* ---- listing ----------------------------------------------------------------------------------------------------- */

static bool listing_damaged(const struct listing *listing, struct gate_str service, struct gate_str environment,
                            const char *path, const char *why) {
    struct gate_records *out = listing->out;
    struct gate_record_damage *items =
        gate_arena_grow(listing->arena, out->damaged, out->damaged_count, &out->damaged_capacity, sizeof *items);
    struct gate_str message = gate_str_format(
        listing->arena, "%s: this record is damaged: %s; restore it, or remove it and accept again", path, why);
    if (items == NULL || message.ptr == NULL)
        return gate_arena_error(listing->arena, listing->err);
    out->damaged = items;
    out->damaged[out->damaged_count++] = (struct gate_record_damage){service, environment, message};
    return true;
}

static bool record_load(struct gate_record *record, const char *path, struct gate_str id, struct gate_str service,
                        struct gate_str environment, struct gate_arena *arena, struct gate_error *err) {
    struct gate_limits limits = gate_limits_default();
    struct gate_str text;
    limits.compressed_bytes = RECORD_BYTES_MAX;
    if (!gate_source_read(&text, gate_str_from(path), &limits, arena, err) ||
        !gate_record_read(record, text, arena, err))
        return false;
    struct gate_str found = id_of(record->accepted_ms, text, arena);
    if (found.ptr == NULL)
        return gate_arena_error(arena, err);
    if (!gate_str_equal(found, id))
        return gate_error_set(err, GATE_ERR_FORMAT, "its text is not what it is named after");
    if (!gate_str_equal(record->service, service) || !gate_str_equal(record->environment, environment))
        return gate_error_set(err, GATE_ERR_FORMAT, "it is of service '%.*s' in '%.*s', and lies with others",
                              GATE_STR_ARG(record->service), GATE_STR_ARG(record->environment));
    record->id = id;
    return true;
}

static bool listing_file(const struct listing *listing, struct gate_str folder, struct gate_str file,
                         struct gate_str service, struct gate_str environment) {
    struct gate_records *out = listing->out;
    struct gate_error why = {0};
    struct gate_record record;
    if (!gate_str_ends(file, GATE_STR(".json")))
        return true; /* what a writer that was killed left */
    const struct gate_str parts[] = {folder, GATE_STR("/"), file};
    struct gate_str relative = gate_str_concat(listing->arena, parts, 3);
    const char *path = relative.ptr == NULL ? NULL : gate_store_path(listing->store, relative, listing->arena);
    if (path == NULL)
        return gate_arena_error(listing->arena, listing->err);
    struct gate_str id = gate_str_slice(file, 0, file.len - (sizeof ".json" - 1));
    bool ok = record_load(&record, path, id, service, environment, listing->arena, &why);
    if (!ok && (why.code == GATE_ERR_MEMORY || why.code == GATE_ERR_IO)) /* that is the machine's, not the record's */
        return gate_error_set(listing->err, why.code, "%s: %s", path, why.message);
    if (!ok)
        return listing_damaged(listing, service, environment, path, why.message);
    struct gate_record *items = gate_arena_grow(listing->arena, out->items, out->count, &out->capacity, sizeof *items);
    if (items == NULL)
        return gate_arena_error(listing->arena, listing->err);
    out->items = items;
    out->items[out->count++] = record;
    return true;
}

static bool listing_folder(const struct listing *listing, struct gate_str service, struct gate_str environment) {
    struct gate_store_names files;
    struct gate_str folder = gate_records_folder(service, environment, listing->arena);
    if (folder.ptr == NULL)
        return gate_arena_error(listing->arena, listing->err);
    if (!gate_store_names(&files, listing->store, folder, listing->arena, listing->err))
        return false;
    for (uint32_t i = 0; i < files.count; i++)
        if (!listing_file(listing, folder, files.items[i], service, environment))
            return false;
    return true;
}

/* The names that were put into the folder `relative`, or the one that is wanted. */
static bool listing_names(struct gate_store_names *out, const struct listing *listing, struct gate_str relative,
                          struct gate_str wanted) {
    if (!gate_store_names(out, listing->store, relative, listing->arena, listing->err))
        return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < out->count; i++) {
        struct gate_str name = name_of(out->items[i], listing->arena);
        if (name.ptr == NULL)
            return gate_arena_error(listing->arena, listing->err);
        if (wanted.len == 0 || gate_str_equal(name, wanted))
            out->items[count++] = name;
    }
    out->count = count;
    return true;
}

static int record_compare(const void *left, const void *right) {
    const struct gate_record *a = left, *b = right;
    if (a->accepted_ms != b->accepted_ms)
        return a->accepted_ms > b->accepted_ms ? -1 : 1;
    return gate_str_compare(a->id, b->id);
}

bool gate_records_list(struct gate_records *out, const struct gate_store *store, struct gate_str service,
                       struct gate_str environment, struct gate_arena *arena, struct gate_error *err) {
    const struct listing listing = {out, store, arena, err};
    struct gate_store_names services, environments;
    *out = (struct gate_records){0};
    if (!store->is_there)
        return true;
    if (!listing_names(&services, &listing, GATE_STR("records"), service))
        return false;
    for (uint32_t s = 0; s < services.count; s++) {
        struct gate_str folder = gate_records_folder(services.items[s], GATE_STR(""), arena);
        if (folder.ptr == NULL)
            return gate_arena_error(arena, err);
        if (!listing_names(&environments, &listing, gate_str_slice(folder, 0, folder.len - 1), environment))
            return false;
        for (uint32_t e = 0; e < environments.count; e++)
            if (!listing_folder(&listing, services.items[s], environments.items[e]))
                return false;
    }
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, record_compare);
    return true;
}

/* ---- adding and removing ----------------------------------------------------------------------------------------- */

bool gate_records_put(struct gate_record *record, const struct gate_store *store, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_buf text = {0};
    struct gate_str folder = gate_records_folder(record->service, record->environment, arena);
    if (folder.ptr == NULL)
        return gate_arena_error(arena, err);
    bool ok = gate_record_write(&text, record) || gate_buf_check(&text, err);
    if (ok) {
        record->id = id_of(record->accepted_ms, gate_buf_view(&text), arena);
        struct gate_str relative = record->id.ptr == NULL ? record->id : relative_of(record, arena);
        ok = (relative.ptr != NULL || gate_arena_error(arena, err)) &&
             gate_store_make_folder(store, folder, arena, err) &&
             gate_store_write(store, relative, gate_buf_view(&text), arena, err);
    }
    gate_buf_free(&text);
    return ok;
}

bool gate_records_remove(const struct gate_record *record, const struct gate_store *store, struct gate_arena *arena,
                         struct gate_error *err) {
    struct gate_str relative = relative_of(record, arena);
    return relative.ptr == NULL ? gate_arena_error(arena, err) : gate_store_remove(store, relative, arena, err);
}
