/* SPDX-License-Identifier: Apache-2.0 */
/* A store of accepted baselines: a plain folder that can be copied, cached, synced or committed. Every file in it is
 * named by what it holds and written whole or not at all, so that two copies are joined by copying one over the other.
 *
 *   store.json                                 which layout this is
 *   lock                                       held by who writes (flock), shared by who reads
 *   objects/AA/SHA256                          profiles, as they were accepted (store/objects.h)
 *   records/SERVICE/ENVIRONMENT/TIME-SHA.json  what was accepted (store/records.h)
 *
 * Pipeline: cli/store_options.h -> store/store.h -> store/objects.h, store/records.h */
#ifndef GATE_STORE_STORE_H
#define GATE_STORE_STORE_H

#include "gate/base/str.h"

struct gate_store {
    const char *path;
    bool is_there; /* false: no folder, or an empty one: nothing was ever accepted */
    int lock;      /* descriptor, or -1 */
};

enum gate_store_use { GATE_STORE_READ, GATE_STORE_WRITE };

/**
 * Open the store at `path`, which must outlive it, and hold its lock until gate_store_close; it goes with the process.
 * GATE_STORE_WRITE makes the store where there is none. Where the lock cannot be opened (a copy that may only be read)
 * readers go without.
 *
 * err   GATE_ERR_IO; GATE_ERR_INPUT a folder of other files, another layout, or held by others for a minute
 */
GATE_MUST_CHECK
bool gate_store_open(struct gate_store *out, const char *path, enum gate_store_use use, struct gate_arena *arena,
                     struct gate_error *err);

void gate_store_close(struct gate_store *store);

/** PATH/RELATIVE with a NUL behind it; NULL when the arena is full. */
const char *gate_store_path(const struct gate_store *store, struct gate_str relative, struct gate_arena *arena);

/*
 * A store is one folder: no part of a path in it is a link, since what is written or removed there would be elsewhere.
 * All below refuse one with GATE_ERR_INPUT. (Who can put a link there while this runs can write to the store anyway.)
 */

/** Make the folder `relative` and those it is in. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_store_make_folder(const struct gate_store *store, struct gate_str relative, struct gate_arena *arena,
                            struct gate_error *err);

/** Write a file of the store, whole or not at all; after this it is on the disk. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_store_write(const struct gate_store *store, struct gate_str relative, struct gate_str bytes,
                      struct gate_arena *arena, struct gate_error *err);

/** Remove a file of the store; nothing, where there is none. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_store_remove(const struct gate_store *store, struct gate_str relative, struct gate_arena *arena,
                       struct gate_error *err);

/** Names in the folder `relative` that do not begin with '.', in their order. None where there is no such folder. */
struct gate_store_names {
    struct gate_str *items;
    uint32_t count;
    size_t capacity;
};

/** err: GATE_ERR_IO a folder that cannot be read. */
GATE_MUST_CHECK
bool gate_store_names(struct gate_store_names *out, const struct gate_store *store, struct gate_str relative,
                      struct gate_arena *arena, struct gate_error *err);

#endif
