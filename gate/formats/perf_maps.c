/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and threads of a recording of perf: their names and which file is mapped at an address. */
#include "gate/formats/perf_maps.h"

/* A step is about 10 ns, in which this many pieces are moved. */
enum { PIECES_PER_STEP = 8 };

void gate_perf_processes_init(struct gate_perf_processes *all, struct gate_builder *builder) {
    *all = (struct gate_perf_processes){.builder = builder};
    gate_table_init(&all->pids, builder->arena);
    gate_table_init(&all->tids, builder->arena);
}

static struct gate_str number_key(const uint32_t *number) {
    return (struct gate_str){(const char *)number, sizeof *number};
}

/* Return the process, adding it if it is new; NULL if the arena is full. */
static struct gate_perf_process *process_of(struct gate_perf_processes *all, uint32_t pid) {
    uint32_t known = all->pids.count, index = gate_table_intern_copy(&all->pids, number_key(&pid));
    if (index == GATE_TABLE_NONE)
        return NULL;
    if (index < known)
        return &all->processes[index];
    struct gate_perf_process *grown =
        gate_arena_regrow(all->builder->arena, all->processes, known, &all->process_capacity, sizeof *grown);
    if (grown == NULL)
        return NULL;
    all->processes = grown;
    grown[known] = (struct gate_perf_process){0};
    return &grown[known];
}

/* Return the index of the first piece that ends after `address`. */
static size_t piece_at(const struct gate_perf_process *process, uint64_t address) {
    size_t low = 0, high = process->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (process->pieces[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool charge(struct gate_perf_processes *all, size_t pieces, struct gate_error *err) {
    return gate_builder_charge(all->builder, 1 + pieces / PIECES_PER_STEP, err);
}

/* Make room for two more pieces: a mapping inside of another one leaves its start and its end. */
static bool room_make(struct gate_perf_processes *all, struct gate_perf_process *process) {
    for (size_t more = 1; more <= 2; more++) {
        struct gate_perf_piece *grown = gate_arena_regrow(all->builder->arena, process->pieces, process->count + more,
                                                          &process->capacity, sizeof *grown);
        if (grown == NULL)
            return false;
        process->pieces = grown;
    }
    return true;
}

/* Replace the pieces between `piece->start` and `piece->end`. There is room for two more. */
static void piece_put(struct gate_perf_process *process, const struct gate_perf_piece *piece) {
    struct gate_perf_piece *pieces = process->pieces, put[3];
    size_t first = piece_at(process, piece->start), last = first, count = 0;
    while (last < process->count && pieces[last].start < piece->end)
        last++;
    if (last > first && pieces[first].start < piece->start)
        put[count++] = (struct gate_perf_piece){pieces[first].start, piece->start, pieces[first].map};
    put[count++] = *piece;
    if (last > first && pieces[last - 1].end > piece->end)
        put[count++] = (struct gate_perf_piece){piece->end, pieces[last - 1].end, pieces[last - 1].map};
    memmove(pieces + first + count, pieces + last, (process->count - last) * sizeof *pieces);
    memcpy(pieces + first, put, count * sizeof *pieces);
    process->count += count - (last - first);
}

bool gate_perf_processes_map(struct gate_perf_processes *all, uint32_t pid, const struct gate_perf_map *map,
                             struct gate_error *err) {
    struct gate_arena *arena = all->builder->arena;
    struct gate_perf_process *process = process_of(all, pid);
    struct gate_perf_map *grown =
        gate_arena_regrow(arena, all->maps, all->map_count, &all->map_capacity, sizeof *grown);
    if (process == NULL || grown == NULL)
        return gate_arena_error(arena, err);
    all->maps = grown;
    if (map->end <= map->start || all->map_count == GATE_NO_INDEX)
        return true;
    if (!charge(all, process->count - piece_at(process, map->start), err))
        return false;
    if (!room_make(all, process))
        return gate_arena_error(arena, err);
    grown[all->map_count] = *map;
    piece_put(process, &(struct gate_perf_piece){map->start, map->end, (uint32_t)all->map_count++});
    return true;
}

const struct gate_perf_map *gate_perf_processes_find(const struct gate_perf_processes *all, uint32_t pid,
                                                     uint64_t address) {
    uint32_t index = gate_table_find(&all->pids, number_key(&pid));
    if (index == GATE_TABLE_NONE)
        return NULL;
    const struct gate_perf_process *process = &all->processes[index];
    size_t at = piece_at(process, address);
    bool is_in = at < process->count && process->pieces[at].start <= address;
    return is_in ? &all->maps[process->pieces[at].map] : NULL;
}

/* Set the name of a thread; a name whose `ptr` is NULL is unknown. */
static bool comm_set(struct gate_perf_processes *all, uint32_t tid, struct gate_str comm) {
    uint32_t known = all->tids.count, index = gate_table_intern_copy(&all->tids, number_key(&tid));
    if (index == GATE_TABLE_NONE)
        return false;
    struct gate_str *grown =
        index < known ? all->comms
                      : gate_arena_regrow(all->builder->arena, all->comms, known, &all->comm_capacity, sizeof *grown);
    if (grown == NULL)
        return false;
    all->comms = grown;
    grown[index] = comm;
    return true;
}

bool gate_perf_processes_comm(struct gate_perf_processes *all, uint32_t tid, struct gate_str comm,
                              struct gate_error *err) {
    return comm_set(all, tid, comm) || gate_arena_error(all->builder->arena, err);
}

/* Copy the mappings of process `from` to `to`. */
static bool maps_copy(struct gate_perf_processes *all, uint32_t to, uint32_t from, struct gate_error *err) {
    struct gate_perf_process *child = process_of(all, to);
    uint32_t index = gate_table_find(&all->pids, number_key(&from));
    if (child == NULL)
        return gate_arena_error(all->builder->arena, err);
    child->count = 0;
    if (index == GATE_TABLE_NONE)
        return true;
    const struct gate_perf_process *parent = &all->processes[index];
    if (!charge(all, parent->count, err))
        return false;
    if (child->capacity < parent->count) {
        struct gate_perf_piece *pieces = gate_arena_resize(
            all->builder->arena, child->pieces, child->capacity * sizeof *pieces, parent->count * sizeof *pieces);
        if (pieces == NULL)
            return gate_arena_error(all->builder->arena, err);
        child->pieces = pieces;
        child->capacity = parent->count;
    }
    if (parent->count != 0)
        memcpy(child->pieces, parent->pieces, parent->count * sizeof *child->pieces);
    child->count = parent->count;
    return true;
}

bool gate_perf_processes_fork(struct gate_perf_processes *all, const uint32_t pid[2], const uint32_t tid[2],
                              struct gate_error *err) {
    uint32_t parent = gate_table_find(&all->tids, number_key(&tid[1]));
    struct gate_str comm = GATE_STR("");
    if (parent != GATE_TABLE_NONE)
        comm = all->comms[parent];
    if (!comm_set(all, tid[0], comm))
        return gate_arena_error(all->builder->arena, err);
    return pid[0] == pid[1] || maps_copy(all, pid[0], pid[1], err);
}

struct gate_str gate_perf_processes_name(const struct gate_perf_processes *all, uint32_t tid) {
    uint32_t index = gate_table_find(&all->tids, number_key(&tid));
    if (index != GATE_TABLE_NONE && all->comms[index].ptr != NULL)
        return all->comms[index];
    return tid == 0 ? GATE_STR("swapper") : gate_str_format(all->builder->arena, ":%u", tid);
}
