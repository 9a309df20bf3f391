/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and threads of a recording of perf: their names and which file is mapped at an address. */
#ifndef GATE_FORMATS_PERF_MAPS_H
#define GATE_FORMATS_PERF_MAPS_H

#include "gate/base/table.h"
#include "gate/formats/builder.h"

/** Number of the kernel among the processes. */
enum { GATE_PERF_KERNEL = UINT32_MAX };

/** A mapping as its event has it. Addresses `start` to `end` are from byte `offset` of the file on. */
struct gate_perf_map {
    uint64_t start, end, offset;
    struct gate_str file;
    struct gate_str build_id; /* hexadecimal; empty: unknown */
};

/** A piece of a mapping: later mappings replace parts of earlier ones. */
struct gate_perf_piece {
    uint64_t start, end;
    uint32_t map;
};

/** Pieces of one process, by address, without overlaps. */
struct gate_perf_process {
    struct gate_perf_piece *pieces;
    size_t count, capacity;
};

/** State of all processes at one time of the recording. */
struct gate_perf_processes {
    struct gate_builder *builder; /* counts the steps; its arena is used */
    struct gate_table pids, tids; /* the four bytes of each number */
    struct gate_perf_process *processes;
    size_t process_capacity;
    struct gate_str *comms; /* name of each thread; its `ptr` is NULL: unknown */
    size_t comm_capacity;
    struct gate_perf_map *maps;
    size_t map_count, map_capacity;
};

/** Initialise an empty state. */
void gate_perf_processes_init(struct gate_perf_processes *all, struct gate_builder *builder);

/**
 * Map a file in process `pid`. It replaces what was mapped at its addresses.
 *
 * err   GATE_ERR_LIMIT or GATE_ERR_MEMORY if the arena is full; GATE_ERR_LIMIT if it takes too many steps
 *
 * O(pieces of the process), charged as steps.
 */
GATE_MUST_CHECK
bool gate_perf_processes_map(struct gate_perf_processes *all, uint32_t pid, const struct gate_perf_map *map,
                             struct gate_error *err);

/** Return the mapping at `address` of process `pid`, or NULL. O(log pieces). */
const struct gate_perf_map *gate_perf_processes_find(const struct gate_perf_processes *all, uint32_t pid,
                                                     uint64_t address);

/**
 * Name thread `tid`. `comm` must outlive the state. A process that starts another program keeps its mappings until that
 * program's replace them: its last samples have addresses of the old ones. Errors: as gate_perf_processes_map.
 */
GATE_MUST_CHECK
bool gate_perf_processes_comm(struct gate_perf_processes *all, uint32_t tid, struct gate_str comm,
                              struct gate_error *err);

/**
 * Start thread `tid` of process `pid`. It gets the name of the thread that started it; a new process gets the mappings
 * of its parent. Errors: as gate_perf_processes_map. O(pieces of the parent), charged as steps.
 */
GATE_MUST_CHECK
bool gate_perf_processes_fork(struct gate_perf_processes *all, const uint32_t pid[2], const uint32_t tid[2],
                              struct gate_error *err);

/** Return the name of thread `tid`, ":TID" if it is unknown. Its `ptr` is NULL if the arena is full. */
struct gate_str gate_perf_processes_name(const struct gate_perf_processes *all, uint32_t tid);

#endif
