/* SPDX-License-Identifier: Apache-2.0 */
/* Remove old records from a store, and objects that no record names: `prune`. */
#ifndef GATE_STORE_RETENTION_H
#define GATE_STORE_RETENTION_H

#include "gate/store/store.h"

/** What was removed. */
struct gate_keep_counts {
    uint32_t records, objects; /* removed */
    uint32_t leftovers;        /* unfinished files of writers that were killed */
    bool is_spared;            /* a record is damaged, so that the objects it names are not known: no object was
                                  removed */
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

/**
 * Remove objects that no record names, and unfinished files. The store must be open for writing: then no other process
 * is about to name an object. `records` must be those of all services.
 *
 * err   GATE_ERR_IO
 */
GATE_MUST_CHECK
bool gate_keep_collect(struct gate_keep_counts *counts, const struct gate_records *records,
                       const struct gate_store *store, struct gate_arena *arena, struct gate_error *err);

#endif
