/* SPDX-License-Identifier: Apache-2.0 */
/* What stays in a store: of each kind of profile the last accepted ones, and the objects that some record names.
 * Pipeline: store/records.h + store/objects.h -> store/keep.h -> cli/cmd_baseline_accept.c, cli/cmd_baseline_prune.c */
#ifndef GATE_STORE_KEEP_H
#define GATE_STORE_KEEP_H

#include "gate/store/records.h"

struct gate_keep_counts {
    uint32_t records, objects; /* removed */
    uint32_t leftovers;        /* unfinished files of writers that were killed, removed */
    bool is_spared;            /* a record is damaged, and what it names is not known: no object was removed */
};

/**
 * Remove all but the last `keep` records of each service, environment and kind of profile: a record with several kinds
 * stays while it is among the last of one of them.
 *
 * records  of gate_records_list; those that are removed are taken out
 * err      GATE_ERR_IO
 */
GATE_MUST_CHECK
bool gate_keep_last(struct gate_keep_counts *counts, struct gate_records *records, const struct gate_store *store,
                    uint32_t keep, struct gate_arena *arena, struct gate_error *err);

/**
 * Remove objects that no record names, and unfinished files. The store is open for writing, so nobody is about to name
 * one. `records` are those of all services.
 *
 * err   GATE_ERR_IO
 */
GATE_MUST_CHECK
bool gate_keep_collect(struct gate_keep_counts *counts, const struct gate_records *records,
                       const struct gate_store *store, struct gate_arena *arena, struct gate_error *err);

#endif
