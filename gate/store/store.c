/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/store/store.h"

#include "gate/base/escape.h"
#include "gate/base/file.h"
#include "gate/base/hash.h"
#include "gate/base/table.h"
#include "gate/formats/format.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- the folder and its lock ------------------------------------------------------------------------------------- */

#define MARKER "store.json"

#define LAYOUT "{\"schema\": \"pprofgate-store/1\"}\n"

enum { LOCK_WAITS = 1200, LOCK_WAIT_NS = 50 * 1000 * 1000 }; /* 1,200 attempts, 50 ms apart: one minute */

static bool store_failed(const char *path, const char *what, int reason, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_IO, "%s: %s: %s", path, what, strerror(reason));
}

const char *gate_store_path(const struct gate_store *store, struct gate_str relative, struct gate_arena *arena) {
    return gate_path_join(store->path, relative, arena);
}

/* Refuse `relative` if a part of it is a link. Parts that do not exist yet are fine. */
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

/* Names in a folder. */
struct folder_names {
    struct gate_str *items;
    uint32_t count;
    size_t capacity;
};

static bool names_add(struct folder_names *names, const char *name, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str copy = gate_str_copy(arena, gate_str_from(name));
    if (copy.ptr == NULL || !GATE_GROW(arena, names->items, names->count, names->capacity))
        return gate_arena_error(arena, err);
    names->items[names->count++] = copy;
    return true;
}

/*
 * List the names in the folder `relative`, sorted, without those that begin with '.'. A missing folder has none.
 *
 * err   GATE_ERR_IO the folder cannot be read
 */
static bool folder_names(struct folder_names *out, const struct gate_store *store, struct gate_str relative,
                         struct gate_arena *arena, struct gate_error *err) {
    *out = (struct folder_names){0};
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
    if (ok && errno != 0) /* an incomplete list would hide baselines */
        ok = store_failed(path, "cannot be read", errno, err);
    (void)closedir(folder);
    if (ok && out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, name_compare);
    return ok;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/** Create the folder `relative` and its parents. err: GATE_ERR_IO. */
static bool store_make_folder(const struct gate_store *store, struct gate_str relative, struct gate_arena *arena,
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

/* Sync the folder of `path`. Otherwise a crash can lose the file's name. */
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

/** Write a file of the store, completely or not at all, and sync it to the disk. err: GATE_ERR_IO. */
static bool store_write(const struct gate_store *store, struct gate_str relative, struct gate_str bytes,
                        struct gate_arena *arena, struct gate_error *err) {
    const char *path = gate_store_path(store, relative, arena);
    if (path == NULL)
        return gate_arena_error(arena, err);
    return check_parts(store, relative, arena, err) && gate_outfile_keep(path, bytes, arena, err) &&
           (folder_sync(path, arena) || store_failed(path, "cannot be made to stay", errno, err));
}

/* Remove a file of the store; do nothing if it does not exist. err: GATE_ERR_IO. */
static bool store_remove(const struct gate_store *store, struct gate_str relative, struct gate_arena *arena,
                         struct gate_error *err) {
    const char *path = gate_store_path(store, relative, arena);
    if (path == NULL)
        return gate_arena_error(arena, err);
    return check_parts(store, relative, arena, err) &&
           (unlink(path) == 0 || errno == ENOENT || store_failed(path, "cannot be removed", errno, err));
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Set `*is_there` if the folder is a store. A writer that is killed early leaves an incomplete one, which counts as
 * none. */
static bool store_look(const struct gate_store *store, bool *is_there, struct gate_arena *arena,
                       struct gate_error *err) {
    struct folder_names names;
    struct gate_str other = {NULL, 0};
    *is_there = false;
    if (!folder_names(&names, store, GATE_STR(""), arena, err))
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
    FILE *file = path == NULL ? NULL : gate_stream_open(path);
    if (path == NULL)
        return gate_arena_error(arena, err);
    if (file == NULL)
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot be opened: %s", path, gate_stream_open_reason(errno));
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
    store->lock = open(path, O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (writes ? O_RDWR | O_CREAT : O_RDONLY), 0666);
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
    return (is_there || store_write(store, GATE_STR(MARKER), GATE_STR(LAYOUT), arena, err)) &&
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

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static struct gate_str object_relative(struct gate_str digest, struct gate_arena *arena) {
    return gate_str_format(arena, "objects/%.2s/%.*s", digest.ptr, GATE_STR_ARG(digest));
}

const char *gate_objects_path(const struct gate_store *store, struct gate_str digest, struct gate_arena *arena) {
    GATE_ASSERT(digest.len == GATE_OBJECTS_DIGITS);
    struct gate_str relative = object_relative(digest, arena);
    return relative.ptr == NULL ? NULL : gate_store_path(store, relative, arena);
}

/* Report why an object could not be read. If memory ran out or the file exists, do not call it missing. */
static bool object_unread(const char *path, const struct gate_error *why, struct gate_error *err) {
    bool is_for_now = why->code == GATE_ERR_LIMIT || why->code == GATE_ERR_MEMORY ||
                      (why->code == GATE_ERR_IO && access(path, F_OK) == 0);
    if (is_for_now)
        return gate_error_set(err, why->code, "%s: this accepted profile is there, but %s", path, why->message);
    return gate_error_set(err, GATE_ERR_FORMAT, "%s: this accepted profile %s; restore it, or accept again", path,
                          why->message);
}

/* Read the object and compare its digest; `scratch` holds its bytes. */
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
    struct gate_str found = gate_sha256_hex(bytes, scratch);
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
    *digest = gate_sha256_hex(bytes, arena);
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
    return store_make_folder(store, folder, arena, err) && store_write(store, relative, bytes, arena, err);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

enum { ID_DIGITS = 32, RECORD_BYTES_MAX = 16 * 1024 * 1024 };

/* State of listing the record folders. */
struct listing {
    struct gate_records *out;
    const struct gate_store *store;
    struct gate_arena *arena;
    struct gate_error *err;
};

/* ---- names of record folders ------------------------------------------------------------------------------------- */

/* Append a name percent-encoded. A '.' at its start is encoded, too. */
static void put_name(struct gate_buf *out, struct gate_str name) {
    bool is_hidden = gate_str_starts(name, GATE_STR("."));
    gate_buf_text(out, is_hidden ? "%2E" : "");
    gate_escape_percent(out, gate_str_slice(name, is_hidden, name.len), "-_.");
}

/* Decode the output of put_name. `.ptr` is NULL if `arena` is full. */
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
    return gate_buf_keep(&text, arena);
}

static struct gate_str relative_of(const struct gate_record *record, struct gate_arena *arena) {
    struct gate_str folder = gate_records_folder(record->service, record->environment, arena);
    const struct gate_str parts[] = {folder, GATE_STR("/"), record->id, GATE_STR(".json")};
    return folder.ptr == NULL ? folder : gate_str_concat(arena, parts, 4);
}

/* Return "1790000000000-0123…": the time, and the digest of `text`. */
static struct gate_str id_of(int64_t accepted_ms, struct gate_str text, struct gate_arena *arena) {
    struct gate_str digest = gate_sha256_hex(text, arena);
    if (digest.ptr == NULL)
        return digest;
    return gate_str_format(arena, "%013" PRId64 "-%.*s", accepted_ms, ID_DIGITS, digest.ptr);
}

/* ---- listing ----------------------------------------------------------------------------------------------------- */

static bool listing_damaged(const struct listing *listing, const char *path, const char *why) {
    struct gate_records *out = listing->out;
    struct gate_str message = gate_str_format(
        listing->arena, "%s: this record is damaged: %s; restore it, or remove it and accept again", path, why);
    if (message.ptr == NULL || !GATE_GROW(listing->arena, out->damaged, out->damaged_count, out->damaged_capacity))
        return gate_arena_error(listing->arena, listing->err);
    out->damaged[out->damaged_count++] = message;
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
        return true; /* left by a writer that was killed */
    const struct gate_str parts[] = {folder, GATE_STR("/"), file};
    struct gate_str relative = gate_str_concat(listing->arena, parts, 3);
    const char *path = relative.ptr == NULL ? NULL : gate_store_path(listing->store, relative, listing->arena);
    if (path == NULL)
        return gate_arena_error(listing->arena, listing->err);
    struct gate_str id = gate_str_slice(file, 0, file.len - (sizeof ".json" - 1));
    bool ok = record_load(&record, path, id, service, environment, listing->arena, &why);
    bool is_refused = why.code == GATE_ERR_LIMIT && listing->arena->is_refused;        /* the limit of --max-memory */
    if (!ok && (is_refused || why.code == GATE_ERR_MEMORY || why.code == GATE_ERR_IO)) /* the record itself is not
                                                                                          damaged */
        return gate_error_set(listing->err, why.code, "%s: %s", path, why.message);
    if (!ok)
        return listing_damaged(listing, path, why.message);
    return GATE_APPEND(listing->arena, out->items, out->count, out->capacity, listing->err, record);
}

static bool listing_folder(const struct listing *listing, struct gate_str service, struct gate_str environment) {
    struct folder_names files;
    struct gate_str folder = gate_records_folder(service, environment, listing->arena);
    if (folder.ptr == NULL)
        return gate_arena_error(listing->arena, listing->err);
    if (!folder_names(&files, listing->store, folder, listing->arena, listing->err))
        return false;
    for (uint32_t i = 0; i < files.count; i++)
        if (!listing_file(listing, folder, files.items[i], service, environment))
            return false;
    return true;
}

/* List the decoded names in the folder `relative`; if `wanted` is not empty, only that one. */
static bool listing_names(struct folder_names *out, const struct listing *listing, struct gate_str relative,
                          struct gate_str wanted) {
    if (!folder_names(out, listing->store, relative, listing->arena, listing->err))
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
    struct folder_names services, environments;
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
        ok = (relative.ptr != NULL || gate_arena_error(arena, err)) && store_make_folder(store, folder, arena, err) &&
             store_write(store, relative, gate_buf_view(&text), arena, err);
    }
    gate_buf_free(&text);
    return ok;
}

/* Remove a record's file. Its objects stay (see gate_keep_collect). err: GATE_ERR_IO. */
static bool records_remove(const struct gate_record *record, const struct gate_store *store, struct gate_arena *arena,
                           struct gate_error *err) {
    struct gate_str relative = relative_of(record, arena);
    return relative.ptr == NULL ? gate_arena_error(arena, err) : store_remove(store, relative, arena, err);
}

/* ---- records as text --------------------------------------------------------------------------------------------- */

enum { COLUMNS = 7, SHORT_REVISION = 12, LABEL_COLUMNS = 14, GAP = 2 };

struct gate_str gate_record_text_revision(const struct gate_record *record) {
    bool is_commit = record->revision.len >= 40 && gate_str_hex_digits(record->revision) == record->revision.len;
    return is_commit ? gate_str_slice(record->revision, 0, SHORT_REVISION) : record->revision;
}

/** Append "2026-11-21 20:15" (UTC). */
static void record_text_time(struct gate_buf *out, int64_t ms) {
    time_t seconds = (time_t)(ms / 1000);
    struct tm day;
    char text[32];
    bool ok = gmtime_r(&seconds, &day) != NULL && strftime(text, sizeof text, "%Y-%m-%d %H:%M", &day) > 0;
    gate_buf_text(out, ok ? text : "?");
}

static bool is_first_of_kind(const struct gate_record *record, uint32_t run) {
    for (uint32_t i = 0; i < run; i++)
        if (gate_str_equal(record->runs[i].kind, record->runs[run].kind))
            return false;
    return true;
}

void gate_record_text_kinds(struct gate_buf *out, const struct gate_record *record) {
    for (uint32_t i = 0; i < record->run_count; i++) {
        if (!is_first_of_kind(record, i))
            continue;
        gate_buf_text(out, i == 0 ? "" : ", ");
        gate_escape_terminal(out, record->runs[i].kind);
    }
}

/** Append "pass", "unchecked", "fail, accepted with a reason". */
static void record_text_verdict(struct gate_buf *out, const struct gate_record *record) {
    gate_escape_terminal(out, record->verdict.len == 0 ? GATE_STR("unchecked") : record->verdict);
    if (gate_str_equal(record->verdict, GATE_STR("fail")))
        gate_buf_text(out, ", accepted with a reason");
}

/* ---- a table ----------------------------------------------------------------------------------------------------- */

static void put_cell(struct gate_buf *out, const struct gate_record *record, int column) {
    switch (column) {
    case 0:
        gate_escape_terminal(out, record->service);
        break;
    case 1:
        gate_escape_terminal(out, record->environment);
        break;
    case 2:
        gate_escape_terminal(out, gate_record_text_revision(record));
        break;
    case 3:
        gate_buf_printf(out, "%u", (unsigned)record->run_count);
        break;
    case 4:
        gate_record_text_kinds(out, record);
        break;
    case 5:
        record_text_time(out, record->accepted_ms);
        break;
    default:
        record_text_verdict(out, record);
        break;
    }
}

static const char *const heads[COLUMNS] = {"service", "environment", "revision", "runs", "kinds", "accepted", "check"};

static size_t columns_since(const struct gate_buf *out, size_t start) {
    return gate_str_columns((struct gate_str){out->failed ? "" : out->ptr + start, out->failed ? 0 : out->len - start});
}

void gate_record_text_list(struct gate_buf *out, const struct gate_records *records) {
    size_t widths[COLUMNS];
    for (int column = 0; column < COLUMNS; column++) {
        widths[column] = strlen(heads[column]);
        for (uint32_t i = 0; i < records->count; i++) {
            struct gate_buf cell = {0};
            put_cell(&cell, &records->items[i], column);
            size_t width = columns_since(&cell, 0);
            widths[column] = width > widths[column] ? width : widths[column];
            gate_buf_free_part(out, &cell);
        }
    }
    for (uint32_t line = 0; line <= records->count; line++) {
        for (int column = 0; column < COLUMNS; column++) {
            size_t start = out->len;
            if (line == 0)
                gate_buf_text(out, heads[column]);
            else
                put_cell(out, &records->items[line - 1], column);
            if (column + 1 < COLUMNS)
                gate_buf_repeat(out, ' ', widths[column] + GAP - columns_since(out, start));
        }
        gate_buf_char(out, '\n');
    }
}

/* ---- one record -------------------------------------------------------------------------------------------------- */

static void put_label(struct gate_buf *out, unsigned indent, const char *label) {
    size_t width = strlen(label);
    gate_buf_repeat(out, ' ', indent);
    gate_buf_text(out, label);
    gate_buf_repeat(out, ' ', width < LABEL_COLUMNS ? LABEL_COLUMNS - width : 1);
}

static void put_line(struct gate_buf *out, unsigned indent, const char *label, struct gate_str text) {
    if (text.len == 0)
        return;
    put_label(out, indent, label);
    gate_escape_terminal(out, text);
    gate_buf_char(out, '\n');
}

static void put_run_numbers(struct gate_buf *out, const struct gate_record_run *run) {
    put_label(out, 4, "measured");
    gate_buf_printf(out, "%" PRId64 " records", run->samples);
    if (run->duration_ns > 0)
        gate_buf_printf(out, " in %.3g s", (double)run->duration_ns / 1e9);
    if (run->period > 0) {
        gate_buf_printf(out, ", period %" PRId64 " ", run->period);
        gate_escape_terminal(out, run->period_type);
    }
    gate_buf_char(out, '\n');
    if (run->taken_ns > 0) {
        put_label(out, 4, "taken");
        record_text_time(out, run->taken_ns / 1000000);
        gate_buf_char(out, '\n');
    }
    if (run->work > 0) {
        put_label(out, 4, "work");
        gate_buf_number(out, run->work);
        gate_buf_char(out, '\n');
    }
    for (uint32_t i = 0; i < run->by_count; i++) {
        put_label(out, 4, i == 0 ? "work by" : "");
        gate_escape_terminal(out, run->by[i].key);
        gate_buf_char(out, '=');
        gate_escape_terminal(out, run->by[i].value);
        gate_buf_text(out, ": ");
        gate_buf_number(out, run->by[i].number);
        gate_buf_char(out, '\n');
    }
}

static void put_run(struct gate_buf *out, const struct gate_record_run *run, struct gate_str damage) {
    gate_buf_text(out, "  run ");
    gate_escape_terminal(out, run->name);
    gate_buf_char(out, '\n');
    put_line(out, 4, "kind", run->kind);
    put_line(out, 4, "types", run->types);
    put_run_numbers(out, run);
    put_line(out, 4, "language", run->language);
    put_line(out, 4, "build", run->build_id);
    put_line(out, 4, "version", run->version);
    put_line(out, 4, "source", run->source);
    put_line(out, 4, "instance", run->instance);
    put_line(out, 4, "sha256", run->object);
    put_line(out, 4, "damaged", damage);
}

void gate_record_text_show(struct gate_buf *out, const struct gate_record *record, const struct gate_str *damage) {
    gate_escape_terminal(out, record->id);
    gate_buf_char(out, '\n');
    put_line(out, 2, "service", record->service);
    put_line(out, 2, "environment", record->environment);
    put_line(out, 2, "revision", record->revision);
    put_label(out, 2, "accepted");
    record_text_time(out, record->accepted_ms);
    gate_buf_text(out, " UTC");
    if (record->tool.len > 0) {
        gate_buf_text(out, " by ");
        gate_escape_terminal(out, record->tool);
    }
    gate_buf_char(out, '\n');
    put_label(out, 2, "check");
    record_text_verdict(out, record);
    gate_buf_char(out, '\n');
    put_line(out, 2, "reason", record->reason);
    for (uint32_t i = 0; i < record->fact_count; i++) {
        put_label(out, 2, i == 0 ? "facts" : "");
        gate_escape_terminal(out, record->facts[i].key);
        gate_buf_text(out, ": ");
        gate_escape_terminal(out, record->facts[i].value);
        gate_buf_char(out, '\n');
    }
    for (uint32_t i = 0; i < record->run_count; i++)
        put_run(out, &record->runs[i], damage == NULL ? GATE_STR("") : damage[i]);
}

enum { TEMPORARY_LETTERS = 6 }; /* random letters that mkstemp puts at the end of a name */

/* ---- deleting old records ---------------------------------------------------------------------------------------- */

/* Return the number of newer records of the same service and environment that have this record's kind of profile. For
 * several kinds, the minimum over them. */
static uint32_t newer_of(const struct gate_records *records, uint32_t index) {
    const struct gate_record *record = &records->items[index];
    uint32_t fewest = UINT32_MAX;
    for (uint32_t r = 0; r < record->run_count; r++) {
        uint32_t newer = 0;
        for (uint32_t i = 0; i < index; i++)
            newer += gate_str_equal(records->items[i].service, record->service) &&
                     gate_str_equal(records->items[i].environment, record->environment) &&
                     gate_record_has_kind(&records->items[i], record->runs[r].kind);
        fewest = newer < fewest ? newer : fewest;
    }
    return fewest;
}

bool gate_keep_last(struct gate_keep_counts *counts, struct gate_records *records, const struct gate_store *store,
                    uint32_t keep, struct gate_arena *arena, struct gate_error *err) {
    bool *stays = GATE_NEW_ARRAY(arena, bool, records->count);
    uint32_t count = 0;
    if (stays == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < records->count; i++)
        stays[i] = newer_of(records, i) < keep;
    for (uint32_t i = 0; i < records->count; i++) {
        if (stays[i]) {
            records->items[count++] = records->items[i];
            continue;
        }
        if (!records_remove(&records->items[i], store, arena, err))
            return false;
        counts->records++;
    }
    records->count = count;
    return true;
}

/* ---- deleting objects that no record names ----------------------------------------------------------------------- */

/* State of a walk over the files of a store. */
struct collecting {
    struct gate_keep_counts *counts;
    const struct gate_store *store;
    struct gate_table named; /* digests of the objects that records name */
    struct gate_arena *arena;
    struct gate_error *err;
};

static bool remove_file(const struct collecting *collecting, struct gate_str folder, struct gate_str name) {
    const struct gate_str parts[] = {folder, GATE_STR("/"), name};
    struct gate_str relative = gate_str_concat(collecting->arena, parts, 3);
    return relative.ptr == NULL ? gate_arena_error(collecting->arena, collecting->err)
                                : store_remove(collecting->store, relative, collecting->arena, collecting->err);
}

/* Return whether `name` is an unfinished file of this program: a name of `len` bytes, then a suffix such as
 * ".pprofgate-Ab12Cd". */
static bool is_leftover(struct gate_str name, size_t len) {
    struct gate_str behind = gate_str_slice(name, len, name.len);
    return name.len > len && gate_str_starts(behind, GATE_STR(GATE_OUTFILE_UNFINISHED)) &&
           behind.len == sizeof GATE_OUTFILE_UNFINISHED - 1 + TEMPORARY_LETTERS;
}

static bool collect_objects(struct collecting *collecting, struct gate_str folder) {
    struct folder_names files;
    if (!folder_names(&files, collecting->store, folder, collecting->arena, collecting->err))
        return false;
    for (uint32_t i = 0; i < files.count; i++) {
        bool leftover = is_leftover(files.items[i], GATE_OBJECTS_DIGITS);
        bool unnamed = files.items[i].len == GATE_OBJECTS_DIGITS && !collecting->counts->is_spared &&
                       gate_table_find(&collecting->named, files.items[i]) == GATE_TABLE_NONE;
        if (!leftover && !unnamed)
            continue;
        if (!remove_file(collecting, folder, files.items[i]))
            return false;
        collecting->counts->leftovers += leftover;
        collecting->counts->objects += unnamed;
    }
    return true;
}

static bool collect_leftovers(struct collecting *collecting, struct gate_str folder) {
    struct folder_names files;
    if (!folder_names(&files, collecting->store, folder, collecting->arena, collecting->err))
        return false;
    for (uint32_t i = 0; i < files.count; i++) {
        size_t ending = gate_str_find(files.items[i], GATE_STR(".json."), 0);
        if (ending == SIZE_MAX || !is_leftover(files.items[i], ending + sizeof ".json" - 1))
            continue;
        if (!remove_file(collecting, folder, files.items[i]))
            return false;
        collecting->counts->leftovers++;
    }
    return true;
}

typedef bool collect_fn(struct collecting *collecting, struct gate_str folder);

/* Call `visit` for each folder that is `depth` levels below `folder`. */
static bool collect_below(struct collecting *collecting, struct gate_str folder, int depth, collect_fn *visit) {
    struct folder_names names;
    if (depth == 0)
        return visit(collecting, folder);
    if (!folder_names(&names, collecting->store, folder, collecting->arena, collecting->err))
        return false;
    for (uint32_t i = 0; i < names.count; i++) {
        const struct gate_str parts[] = {folder, GATE_STR("/"), names.items[i]};
        struct gate_str inner = gate_str_concat(collecting->arena, parts, 3);
        if (inner.ptr == NULL)
            return gate_arena_error(collecting->arena, collecting->err);
        if (!collect_below(collecting, inner, depth - 1, visit))
            return false;
    }
    return true;
}

bool gate_keep_collect(struct gate_keep_counts *counts, const struct gate_records *records,
                       const struct gate_store *store, struct gate_arena *arena, struct gate_error *err) {
    struct collecting collecting = {.counts = counts, .store = store, .arena = arena, .err = err};
    gate_table_init(&collecting.named, arena);
    for (uint32_t i = 0; i < records->count; i++)
        for (uint32_t r = 0; r < records->items[i].run_count; r++)
            if (gate_table_intern(&collecting.named, records->items[i].runs[r].object) == GATE_TABLE_NONE)
                return gate_arena_error(arena, err);
    counts->is_spared = records->damaged_count > 0;
    return collect_below(&collecting, GATE_STR("objects"), 1, collect_objects) &&
           collect_below(&collecting, GATE_STR("records"), 2, collect_leftovers);
}
