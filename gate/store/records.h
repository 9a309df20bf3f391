/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a store: listed, added, removed. A record's file is named by its time and the digest of its text, so
 * that a damaged one is known for it, and two writers never write one file.
 * Pipeline: store/record.h + store/store.h -> store/records.h -> store/match.h, store/keep.h */
#ifndef GATE_STORE_RECORDS_H
#define GATE_STORE_RECORDS_H

#include "gate/store/record.h"
#include "gate/store/store.h"

/** A file that is not the record that it is named after. */
struct gate_record_damage {
    struct gate_str service, environment; /* of its folders */
    struct gate_str message;              /* what is wrong, with its path in front */
};

/** Records newest first, then by id. */
struct gate_records {
    struct gate_record *items;
    uint32_t count;
    size_t capacity;
    struct gate_record_damage *damaged;
    uint32_t damaged_count;
    size_t damaged_capacity;
};

/**
 * Read all records of a service in an environment; of all where `.len` is 0. A damaged one is listed apart and does not
 * keep the others from being read. None of a store that is not there.
 *
 * err   GATE_ERR_IO, GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_records_list(struct gate_records *out, const struct gate_store *store, struct gate_str service,
                       struct gate_str environment, struct gate_arena *arena, struct gate_error *err);

/** Add a record, whose objects are stored already: it is accepted once this returns. Fills its id. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_records_put(struct gate_record *record, const struct gate_store *store, struct gate_arena *arena,
                      struct gate_error *err);

/** Remove a record's file. Its objects stay: see store/keep.h. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_records_remove(const struct gate_record *record, const struct gate_store *store, struct gate_arena *arena,
                         struct gate_error *err);

/** "records/SERVICE/ENVIRONMENT": what no file name may hold is written as %XX. `.ptr` NULL: the arena is full. */
struct gate_str gate_records_folder(struct gate_str service, struct gate_str environment, struct gate_arena *arena);

#endif
