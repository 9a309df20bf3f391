/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocation with a limit: one arena a run, one scratch arena a stage, no per-object free. */
#ifndef GATE_BASE_ARENA_H
#define GATE_BASE_ARENA_H

#include "gate/base/error.h"

#include <stdatomic.h>

struct gate_arena_block;

/** What all arenas of a run have taken from the system together, of however many threads. */
struct gate_arena_pool {
    _Atomic size_t used_bytes;
    size_t limit_bytes;    /* 0: no limit; set while there is one thread */
    size_t allowed_bytes;  /* by gate_arena_allow, so far */
    _Atomic bool is_short; /* the system had no memory for one of them: something may be missing of what was made */
};

/** Zero-initialise, or use gate_arena_init or gate_arena_fork. Not thread-safe: one arena a thread. */
struct gate_arena {
    struct gate_arena_block *head;
    size_t used_bytes;            /* what callers asked for, with padding; of a fork also `base_bytes` */
    size_t base_bytes;            /* what the arena that this one was forked from had used by then */
    size_t limit_bytes;           /* 0: no limit */
    bool is_refused;              /* something did not fit the limit */
    struct gate_arena_pool *pool; /* or NULL; forks share it */
};

void gate_arena_init(struct gate_arena *arena, size_t limit_bytes);

/**
 * What an arena without blocks hands out first: `room`, aligned for any type, which has to outlive it. No system can
 * refuse that, and its pool does not count it.
 */
void gate_arena_lend(struct gate_arena *arena, void *room, size_t size);

/**
 * An arena for a thread or for a stage's scratch, under the limit of `parent` less what that has used: to be freed, or
 * absorbed by `parent`. Arenas that are forked at a time do not see each other: what they take together is the pool's
 * to refuse.
 */
void gate_arena_fork(struct gate_arena *arena, const struct gate_arena *parent);

/** A limit of `limit_bytes` in all, of the arena and of its pool, unless there is a lower one; 0: as it is. */
void gate_arena_cap(struct gate_arena *arena, size_t limit_bytes);

/** Count `size` bytes that somebody else allocates, such as a library; false past the limit, and nothing is counted. */
GATE_MUST_CHECK bool gate_arena_reserve(struct gate_arena *arena, size_t size);

/** They were given back. */
void gate_arena_release(struct gate_arena *arena, size_t size);

/** The same of a pool alone; `pool` may be NULL. */
GATE_MUST_CHECK bool gate_arena_pool_take(struct gate_arena_pool *pool, size_t size);
void gate_arena_pool_give(struct gate_arena_pool *pool, size_t size);

/** A limit of the pool that grows with what comes in: `more_bytes` more, `least_bytes` at least, `most_bytes` at most.
 */
void gate_arena_allow(struct gate_arena *arena, size_t more_bytes, size_t least_bytes, size_t most_bytes);

/** Free every block; the arena can be used again. */
void gate_arena_free(struct gate_arena *arena);

/** `size` bytes aligned for any type, not cleared; NULL past the limit or out of memory. O(1) amortised. */
void *gate_arena_alloc(struct gate_arena *arena, size_t size);

/** `count` items of `size` bytes, cleared; NULL also when the product overflows. */
void *gate_arena_calloc(struct gate_arena *arena, size_t count, size_t size);

/**
 * Room for a growing array: a block of at least `count + 1` items holding the first `count` items of `items`.
 * `*capacity` doubles. NULL past the limit; the old items stay readable in the arena.
 */
void *gate_arena_grow(struct gate_arena *arena, void *items, size_t count, size_t *capacity, size_t item_size);

/**
 * The same for a list that grows large: its pages are moved and not copied, so no outgrown copy stays behind. The old
 * items are gone. `items` is NULL or came from here.
 */
void *gate_arena_regrow(struct gate_arena *arena, void *items, size_t count, size_t *capacity, size_t item_size);

/**
 * One block of its own, which can be given back: `from` bytes at `block` become `to` bytes, their pages moved and not
 * copied. `block` is NULL with `from` 0 for a new one; `to` 0 gives it back. NULL past the limit, then the block is as
 * it was; NULL also for `to` 0. Not cleared. O(1) mostly.
 */
void *gate_arena_resize(struct gate_arena *arena, void *block, size_t from, size_t to);

/** Take over a malloc'ed block: the arena frees it. False past the limit (then the block is still the caller's). */
GATE_MUST_CHECK bool gate_arena_adopt(struct gate_arena *arena, void *block, size_t size);

/** Move every block of `from` into `arena`, whatever its limit: what a thread allocated lives on. `from` is empty
 * after. */
void gate_arena_absorb(struct gate_arena *arena, struct gate_arena *from);

/**
 * Whether all that this run asked the system for was to be had: a last look before anything is written, whoever forgot
 * to. False with GATE_ERR_MEMORY. What a limit refused does not count: some do without.
 */
GATE_MUST_CHECK bool gate_arena_check(const struct gate_arena *arena, struct gate_error *err);

/** The usual error for a NULL of this arena: GATE_ERR_LIMIT with the limit, or GATE_ERR_MEMORY. Returns false. */
bool gate_arena_error(const struct gate_arena *arena, struct gate_error *err);

#define GATE_NEW_ARRAY(arena, type, count) ((type *)gate_arena_calloc((arena), (count), sizeof(type)))

#endif
