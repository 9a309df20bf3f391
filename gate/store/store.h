/* SPDX-License-Identifier: Apache-2.0 */
/* The store of accepted baselines: its folder and lock, records, profiles as objects, and what is deleted. */
#ifndef GATE_STORE_STORE_H
#define GATE_STORE_STORE_H

#include "gate/base/str.h"
#include "gate/store/record.h"

/*
 * A store of accepted baselines: a plain folder that can be copied, cached, synced or committed. Each file is named by
 * its content and written completely or not at all, so that copying one store over another merges them.
 *
 *   store.json                                 version of this layout
 *   lock                                       flock: exclusive for a writer, shared for readers
 *   objects/AA/SHA256                          profiles, as they were accepted
 *   records/SERVICE/ENVIRONMENT/TIME-SHA.json  records of what was accepted
 */

struct gate_store {
    const char *path;
    bool is_there; /* false if the folder is missing or empty */
    int lock;      /* file descriptor, or -1 */
};

enum gate_store_use { GATE_STORE_READ, GATE_STORE_WRITE };

/**
 * Open the store at `path` and hold its lock until gate_store_close or the end of the process. `path` must outlive the
 * store. GATE_STORE_WRITE creates the store if it does not exist. A reader that cannot open the lock file, as in a
 * read-only copy, takes no lock. err: GATE_ERR_IO; GATE_ERR_INPUT the folder contains other files, has another layout,
 * or stayed locked for a minute.
 */
GATE_MUST_CHECK
bool gate_store_open(struct gate_store *out, const char *path, enum gate_store_use use, struct gate_arena *arena,
                     struct gate_error *err);

/** Release the lock. */
void gate_store_close(struct gate_store *store);

/** Return PATH/RELATIVE with a NUL at the end; NULL if `arena` is full. */
const char *gate_store_path(const struct gate_store *store, struct gate_str relative, struct gate_arena *arena);

/* ---- objects: profiles, each named by the SHA-256 of its bytes, so that damage shows when they are read ---------- */

enum { GATE_OBJECTS_DIGITS = 64 };

/** Return the path of the object with this digest, with a NUL at the end; NULL if `arena` is full. */
const char *gate_objects_path(const struct gate_store *store, struct gate_str digest, struct gate_arena *arena);

/**
 * Store `bytes`. An object that exists is kept; one that is damaged is replaced.
 *
 * digest   64 hexadecimal digits in `arena`
 * err      GATE_ERR_IO
 *
 * O(bytes).
 */
GATE_MUST_CHECK
bool gate_objects_put(struct gate_str *digest, const struct gate_store *store, struct gate_str bytes,
                      struct gate_arena *arena, struct gate_error *err);

/**
 * Check that the object exists and has the bytes that were accepted.
 *
 * err   names its file: GATE_ERR_FORMAT it is missing or its bytes differ; GATE_ERR_IO, GATE_ERR_MEMORY it exists and
 *       cannot be read now
 *
 * O(bytes).
 */
GATE_MUST_CHECK
bool gate_objects_check(const struct gate_store *store, struct gate_str digest, struct gate_arena *arena,
                        struct gate_error *err);

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* Functions to list, add and remove records. A record's file is named by its time and the digest of its text. So damage
 * is detected, and two writers never write the same file. */

/** Records, newest first, then by id; damaged ones apart. */
struct gate_records {
    struct gate_record *items;
    uint32_t count;
    size_t capacity;
    struct gate_str *damaged; /* a text for each damaged file: its bytes do not match its name, or cannot be parsed */
    uint32_t damaged_count;
    size_t damaged_capacity;
};

/** Read all records of a service in an environment; an empty `service` or `environment` selects all. A damaged record
 * goes to `out->damaged` and does not prevent reading the others. A store that does not exist has none. err:
 * GATE_ERR_IO, GATE_ERR_LIMIT. */
GATE_MUST_CHECK
bool gate_records_list(struct gate_records *out, const struct gate_store *store, struct gate_str service,
                       struct gate_str environment, struct gate_arena *arena, struct gate_error *err);

/** Store a record and set its id. Its objects must be stored already. On success the record is accepted. err:
 * GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_records_put(struct gate_record *record, const struct gate_store *store, struct gate_arena *arena,
                      struct gate_error *err);

/**
 * Return "records/SERVICE/ENVIRONMENT", in which bytes that a file name may not have are %XX. `.ptr` NULL: `arena` is
 * full.
 */
struct gate_str gate_records_folder(struct gate_str service, struct gate_str environment, struct gate_arena *arena);

/* ---- records as text for people ---------------------------------------------------------------------------------- */

/** Append a table of records: a heading and a line for each. */
void gate_record_text_list(struct gate_buf *out, const struct gate_records *records);

/**
 * Append all fields of one record, in several lines. `damage` has a text per run that describes the damage of its
 * object, with `.len` 0 if it is intact. If `damage` is NULL, all are intact.
 */
void gate_record_text_show(struct gate_buf *out, const struct gate_record *record, const struct gate_str *damage);

/** Append "cpu, inuse_space": each kind once, in the order of the runs. */
void gate_record_text_kinds(struct gate_buf *out, const struct gate_record *record);

/** Return the first 12 digits of the revision if it is a commit, else all of it. */
struct gate_str gate_record_text_revision(const struct gate_record *record);

/* ---- retention: `prune` and --keep remove old records, and objects that no record names -------------------------- */

/** What was removed. */
struct gate_keep_counts {
    uint32_t records, objects; /* that were removed */
    uint32_t leftovers;        /* unfinished files of writers that were killed */
    bool is_spared; /* a record is damaged, so the objects that it names are unknown, and no object was removed */
};

/**
 * Remove all but the last `keep` records of each service, environment and kind of profile. A record with several kinds
 * stays if it is among the last `keep` for one of them.
 *
 * records  from gate_records_list; removed ones are taken out of the list
 * err      GATE_ERR_IO
 */
GATE_MUST_CHECK
bool gate_keep_last(struct gate_keep_counts *counts, struct gate_records *records, const struct gate_store *store,
                    uint32_t keep, struct gate_arena *arena, struct gate_error *err);

/** Remove objects that no record names, and unfinished files. `records` must be those of all services. The store must
 * be open for writing, so that no other process adds a record meanwhile. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_keep_collect(struct gate_keep_counts *counts, const struct gate_records *records,
                       const struct gate_store *store, struct gate_arena *arena, struct gate_error *err);

#endif
