/* SPDX-License-Identifier: Apache-2.0 */
/* Arena allocator with a memory limit: one per run, one per thread or stage. A function that allocates from an arena
 * and has an `err` may fail with GATE_ERR_LIMIT or GATE_ERR_MEMORY; contracts list the other errors. */
#ifndef GATE_BASE_ARENA_H
#define GATE_BASE_ARENA_H

#include "gate/base/error.h"

#include <stdatomic.h>

struct gate_arena_block;

/** Memory that all arenas of a run have taken from the system, summed over all threads. */
struct gate_arena_pool {
    _Atomic size_t used_bytes;
    size_t limit_bytes;    /* 0: no limit; set it while only one thread runs */
    size_t allowed_bytes;  /* sum of the `more_bytes` given to gate_arena_allow */
    _Atomic bool is_short; /* an allocation from the system failed: results may be incomplete */
};

/**
 * An arena. Zero-initialise it, or use gate_arena_init or gate_arena_fork. Not thread-safe: use one arena per thread.
 */
struct gate_arena {
    struct gate_arena_block *head;
    size_t used_bytes;            /* bytes requested by callers, with padding; in a fork, `base_bytes` is included */
    size_t base_bytes;            /* `used_bytes` of the parent arena at the time of the fork */
    size_t limit_bytes;           /* 0: no limit */
    bool is_refused;              /* a request exceeded the limit */
    struct gate_arena_pool *pool; /* shared with forks; may be NULL */
};

/** Initialise an empty arena without a pool. `limit_bytes` 0: no limit. */
void gate_arena_init(struct gate_arena *arena, size_t limit_bytes);

/**
 * Let an empty arena allocate from `room` first. `room` must be aligned for any type and must outlive the arena.
 * Allocations from `room` take nothing from the system, and the pool does not count them.
 *
 * size  bytes in `room`; a block header is stored there too
 */
void gate_arena_lend(struct gate_arena *arena, void *room, size_t size);

/**
 * Make `arena` an arena for one thread or for the scratch memory of one stage. It shares the parent's pool.
 *
 * Its limit is what `parent` has left. The caller must free it or pass it to gate_arena_absorb. Arenas that are forked
 * at the same time do not see each other's use; only the pool limits their sum.
 */
void gate_arena_fork(struct gate_arena *arena, const struct gate_arena *parent);

/**
 * Lower the limit of `arena` and of its pool to `limit_bytes`. A lower limit stays. If `limit_bytes` is 0, do nothing.
 */
void gate_arena_cap(struct gate_arena *arena, size_t limit_bytes);

/**
 * Count `size` bytes that other code allocates, such as a library. If that exceeds the limit, return false and count
 * nothing.
 */
GATE_MUST_CHECK bool gate_arena_reserve(struct gate_arena *arena, size_t size);

/** Undo gate_arena_reserve: stop counting `size` bytes that were freed. */
void gate_arena_release(struct gate_arena *arena, size_t size);

/**
 * Count `size` bytes in `pool` alone. If that exceeds the pool's limit, return false and count nothing. If `pool` is
 * NULL, return true.
 */
GATE_MUST_CHECK bool gate_arena_pool_take(struct gate_arena_pool *pool, size_t size);

/** Undo gate_arena_pool_take. `pool` may be NULL. */
void gate_arena_pool_give(struct gate_arena_pool *pool, size_t size);

/**
 * Raise the pool's limit in step with the input: add `more_bytes`. The limit is at least `least_bytes` and at most
 * `most_bytes`. Does nothing if the arena has no pool.
 */
void gate_arena_allow(struct gate_arena *arena, size_t more_bytes, size_t least_bytes, size_t most_bytes);

/** Free every block. The arena can be used again. */
void gate_arena_free(struct gate_arena *arena);

/**
 * Allocate `size` bytes, aligned for any type and not cleared. Returns NULL if the limit is reached or the system has
 * no memory. Size 0 gives a pointer that is not NULL and may not be read from. O(1) amortised.
 */
void *gate_arena_alloc(struct gate_arena *arena, size_t size);

/**
 * Allocate `count` items of `size` bytes, cleared. Returns NULL in the cases of gate_arena_alloc and if `count * size`
 * overflows.
 */
void *gate_arena_calloc(struct gate_arena *arena, size_t count, size_t size);

/**
 * Make room for one more item in the array `items`, which has `count`. If it is full, it moves to a new array and
 * `capacity` doubles; the old items stay readable in the arena. Returns false if the limit is reached; both are then
 * as they were.
 *
 * items     a variable or a field: the pointer to the array, NULL at first
 * capacity  a size_t, likewise: how many items fit; 0 at first
 */
#define GATE_GROW(arena, items, count, capacity)                                                                       \
    gate_arena_grow((arena), &(items), (count), &(capacity), sizeof *(items))

/** Append the value `...` to the array of GATE_GROW. Returns false and sets `err` if the limit is reached. `count` and
 * `items` are evaluated several times. */
#define GATE_APPEND(arena, items, count, capacity, err, ...)                                                           \
    (GATE_GROW(arena, items, count, capacity) ? ((items)[(count)++] = (__VA_ARGS__), true)                             \
                                              : gate_arena_error((arena), (err)))

/** Like GATE_GROW, for arrays that become large: the array is resized with realloc, so no outgrown copy stays in the
 * arena, and the old pointer becomes invalid. `capacity` grows by half. Not for an array of GATE_GROW. */
#define GATE_REGROW(arena, items, count, capacity)                                                                     \
    gate_arena_regrow((arena), &(items), (count), &(capacity), sizeof *(items))

/** GATE_GROW for the pointer at `at`. */
GATE_MUST_CHECK
bool gate_arena_grow(struct gate_arena *arena, void *at, size_t count, size_t *capacity, size_t item_size);

/** GATE_REGROW for the pointer at `at`. */
GATE_MUST_CHECK
bool gate_arena_regrow(struct gate_arena *arena, void *at, size_t count, size_t *capacity, size_t item_size);

/**
 * Resize a separately allocated block from `from` to `to` bytes with realloc. New bytes are not cleared.
 *
 * block  NULL (with `from` 0) to allocate a new block
 * to     0 frees the block and returns NULL
 *
 * Returns NULL and leaves the block as it was if the limit is reached or the system has no memory. Usually O(1).
 */
void *gate_arena_resize(struct gate_arena *arena, void *block, size_t from, size_t to);

/**
 * Take ownership of a malloc'ed block of `size` bytes: the arena will free it. Returns false if the limit is reached;
 * the caller then still owns the block.
 */
GATE_MUST_CHECK bool gate_arena_adopt(struct gate_arena *arena, void *block, size_t size);

/**
 * Move every block of `from` into `arena`, even past its limit, so that memory allocated by a thread stays valid.
 * `from` is empty afterwards. Both must share one pool.
 */
void gate_arena_absorb(struct gate_arena *arena, struct gate_arena *from);

/** Check that no allocation from the system failed anywhere in this run. Call it before writing results: it catches
 * failures that other code ignored. Requests that a limit refused do not count, because some code continues without
 * them. err: GATE_ERR_MEMORY if an allocation failed. */
GATE_MUST_CHECK bool gate_arena_check(const struct gate_arena *arena, struct gate_error *err);

/** Report why this arena returned NULL. err: GATE_ERR_LIMIT with the limit in the message, or GATE_ERR_MEMORY. */
void gate_arena_error_set(const struct gate_arena *arena, struct gate_error *err);

/** Like gate_arena_error_set, and return false. Inline, so that static analysis knows what is returned. */
static inline bool gate_arena_error(const struct gate_arena *arena, struct gate_error *err) {
    gate_arena_error_set(arena, err);
    return false;
}

#define GATE_NEW_ARRAY(arena, type, count) ((type *)gate_arena_calloc((arena), (count), sizeof(type)))

#endif
