/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocator with a memory limit. */
#include "gate/base/arena.h"

#include "gate/base/error.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Under AddressSanitizer, an access to memory that was not handed out, or just behind an allocation, is an error. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef HAS_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
enum { GAP_BYTES = 16 };
#else
#define ASAN_POISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
enum { GAP_BYTES = 0 };
#endif

struct gate_arena_block {
    struct gate_arena_block *next;
    char *adopted; /* a block taken over by gate_arena_adopt, else NULL */
    size_t size;
    size_t used;
    bool is_lent; /* `bytes` belongs to the caller */
    _Alignas(16) char bytes[];
};

enum { FIRST_BLOCK_BYTES = 16 * 1024, LARGEST_BLOCK_BYTES = 4 * 1024 * 1024 };

void gate_arena_init(struct gate_arena *arena, size_t limit_bytes) {
    *arena = (struct gate_arena){.limit_bytes = limit_bytes};
}

void gate_arena_lend(struct gate_arena *arena, void *room, size_t size) {
    struct gate_arena_block *block = room;
    GATE_ASSERT(arena->head == NULL && size > sizeof *block && (uintptr_t)room % _Alignof(max_align_t) == 0);
    *block = (struct gate_arena_block){.size = size - sizeof *block, .is_lent = true};
    ASAN_POISON_MEMORY_REGION(block->bytes, block->size);
    arena->head = block;
}

void gate_arena_fork(struct gate_arena *arena, const struct gate_arena *parent) {
    *arena = (struct gate_arena){.limit_bytes = parent->limit_bytes, .pool = parent->pool};
    if (parent->limit_bytes != 0)
        arena->used_bytes = arena->base_bytes = parent->used_bytes;
}

void gate_arena_cap(struct gate_arena *arena, size_t limit_bytes) {
    if (limit_bytes != 0 && (arena->limit_bytes == 0 || limit_bytes < arena->limit_bytes))
        arena->limit_bytes = limit_bytes;
    struct gate_arena_pool *pool = arena->pool;
    if (pool != NULL && limit_bytes != 0 && (pool->limit_bytes == 0 || limit_bytes < pool->limit_bytes))
        pool->limit_bytes = limit_bytes;
}

void gate_arena_allow(struct gate_arena *arena, size_t more_bytes, size_t least_bytes, size_t most_bytes) {
    struct gate_arena_pool *pool = arena->pool;
    if (pool == NULL)
        return;
    pool->allowed_bytes = more_bytes > most_bytes - pool->allowed_bytes ? most_bytes : pool->allowed_bytes + more_bytes;
    pool->limit_bytes = pool->allowed_bytes < least_bytes ? least_bytes : pool->allowed_bytes;
}

bool gate_arena_pool_take(struct gate_arena_pool *pool, size_t size) {
    if (pool == NULL)
        return true;
    size_t before = atomic_fetch_add(&pool->used_bytes, size);
    if (pool->limit_bytes == 0 || (before <= pool->limit_bytes && size <= pool->limit_bytes - before))
        return true;
    gate_arena_pool_give(pool, size);
    return false;
}

void gate_arena_pool_give(struct gate_arena_pool *pool, size_t size) {
    if (pool != NULL)
        (void)atomic_fetch_sub(&pool->used_bytes, size);
}

/* Free a block. The pool counts the bytes of a block but not its header, so that a resized block counts as its bytes
 * do. */
static void block_free(struct gate_arena *arena, struct gate_arena_block *block) {
    if (block->adopted == NULL)
        ASAN_UNPOISON_MEMORY_REGION(block->bytes, block->size);
    if (block->is_lent)
        return;
    gate_arena_pool_give(arena->pool, block->size);
    free(block->adopted);
    free(block);
}

void gate_arena_free(struct gate_arena *arena) {
    struct gate_arena_block *block = arena->head;
    while (block != NULL) {
        struct gate_arena_block *next = block->next;
        block_free(arena, block);
        block = next;
    }
    arena->head = NULL;
    arena->used_bytes = arena->base_bytes;
    arena->is_refused = false;
}

/* Called when the limit is exceeded, or when a size does not fit size_t, which exceeds any limit. */
static bool arena_refuse(struct gate_arena *arena) {
    arena->is_refused = arena->limit_bytes != 0;
    return false;
}

static bool arena_charge(struct gate_arena *arena, size_t size) {
    if (arena->limit_bytes != 0 &&
        (arena->used_bytes > arena->limit_bytes || size > arena->limit_bytes - arena->used_bytes))
        return arena_refuse(arena);
    arena->used_bytes += size;
    return true;
}

bool gate_arena_reserve(struct gate_arena *arena, size_t size) {
    if (!arena_charge(arena, size))
        return false;
    if (gate_arena_pool_take(arena->pool, size))
        return true;
    arena->used_bytes -= size;
    arena->is_refused = true;
    return false;
}

void gate_arena_release(struct gate_arena *arena, size_t size) {
    arena->used_bytes -= size;
    gate_arena_pool_give(arena->pool, size);
}

/* Call malloc, and record a failure in the pool. */
static void *arena_take(struct gate_arena *arena, size_t size) {
    void *memory = malloc(size);
    if (memory == NULL && arena->pool != NULL)
        arena->pool->is_short = true;
    return memory;
}

static struct gate_arena_block *arena_block_new(struct gate_arena *arena, size_t size) {
    if (!gate_arena_pool_take(arena->pool, size)) {
        arena->is_refused = true;
        return NULL;
    }
    struct gate_arena_block *block = arena_take(arena, sizeof *block + size);
    if (block == NULL) {
        gate_arena_pool_give(arena->pool, size);
        return NULL;
    }
    block->next = NULL;
    block->adopted = NULL;
    block->size = size;
    block->used = 0;
    block->is_lent = false;
    ASAN_POISON_MEMORY_REGION(block->bytes, size);
    return block;
}

static size_t round_up(size_t size) {
    return (size + 15) & ~(size_t)15;
}

/* Hand out the next bytes of a block, which has room for `size` of them and the gap. */
static void *hand_out(struct gate_arena_block *block, size_t size) {
    void *result = block->bytes + block->used;
    block->used += round_up(size) + GAP_BYTES;
    ASAN_UNPOISON_MEMORY_REGION(result, size);
    return result;
}

void *gate_arena_alloc(struct gate_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2) {
        (void)arena_refuse(arena);
        return NULL;
    }
    if (!arena_charge(arena, round_up(size)))
        return NULL;
    size_t room = round_up(size) + GAP_BYTES;
    struct gate_arena_block *head = arena->head;
    if (head != NULL && head->adopted == NULL && head->size - head->used >= room)
        return hand_out(head, size);
    size_t next_size = head == NULL || head->adopted != NULL ? FIRST_BLOCK_BYTES : head->size * 2;
    if (next_size > LARGEST_BLOCK_BYTES || next_size < FIRST_BLOCK_BYTES)
        next_size = next_size < FIRST_BLOCK_BYTES ? FIRST_BLOCK_BYTES : LARGEST_BLOCK_BYTES;
    bool large = room > next_size / 2;
    struct gate_arena_block *block = arena_block_new(arena, large ? room : next_size);
    if (block == NULL) {
        arena->used_bytes -= round_up(size);
        return NULL;
    }
    if (large && head != NULL) { /* continue to allocate in the block that has room */
        block->next = head->next;
        head->next = block;
    } else {
        block->next = head;
        arena->head = block;
    }
    return hand_out(block, size);
}

void *gate_arena_calloc(struct gate_arena *arena, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) {
        (void)arena_refuse(arena);
        return NULL;
    }
    void *result = gate_arena_alloc(arena, count * size);
    if (result != NULL)
        memset(result, 0, count * size);
    return result;
}

/* `at` is the place of a pointer to any type, so it is read and written as bytes. */
static void *pointer_read(const void *at) {
    void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

bool gate_arena_grow(struct gate_arena *arena, void *at, size_t count, size_t *capacity, size_t item_size) {
    const void *items = pointer_read(at);
    if (items != NULL && count < *capacity)
        return true;
    size_t wanted = *capacity < 8 ? 16 : *capacity * 2;
    if (wanted <= count || wanted > SIZE_MAX / 2 / item_size)
        return false;
    void *grown = gate_arena_alloc(arena, wanted * item_size);
    if (grown == NULL)
        return false;
    if (items != NULL && count != 0)
        memcpy(grown, items, count * item_size);
    memcpy(at, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

/* Return the link to the block that holds `memory`. */
static struct gate_arena_block **block_of(struct gate_arena *arena, const void *memory) {
    struct gate_arena_block **link = &arena->head;
    while (*link != NULL && (*link)->adopted != memory)
        link = &(*link)->next;
    GATE_ASSERT(*link != NULL);
    return link;
}

static void block_release(struct gate_arena *arena, void *memory, size_t size) {
    struct gate_arena_block **link = block_of(arena, memory);
    struct gate_arena_block *block = *link;
    GATE_ASSERT(block->size == size);
    *link = block->next;
    arena->used_bytes -= size;
    block_free(arena, block);
}

static void *block_make(struct gate_arena *arena, size_t size) {
    void *memory = arena_take(arena, size);
    if (memory != NULL && !gate_arena_adopt(arena, memory, size)) {
        free(memory);
        return NULL;
    }
    return memory;
}

void *gate_arena_resize(struct gate_arena *arena, void *block, size_t from, size_t to) {
    if (to == 0) {
        if (block != NULL)
            block_release(arena, block, from);
        return NULL;
    }
    if (to > SIZE_MAX / 2) {
        (void)arena_refuse(arena);
        return NULL;
    }
    if (block == NULL)
        return block_make(arena, to);
    if (to > from && !gate_arena_reserve(arena, to - from))
        return NULL;
    struct gate_arena_block *owner = *block_of(arena, block);
    void *resized = realloc(block, to);
    if (resized == NULL) {
        if (arena->pool != NULL)
            arena->pool->is_short = true;
        gate_arena_release(arena, to > from ? to - from : 0);
        return NULL;
    }
    gate_arena_release(arena, from > to ? from - to : 0);
    owner->adopted = resized;
    owner->size = owner->used = to;
    return resized;
}

bool gate_arena_regrow(struct gate_arena *arena, void *at, size_t count, size_t *capacity, size_t item_size) {
    void *items = pointer_read(at);
    if (items != NULL && count < *capacity)
        return true;
    size_t wanted = *capacity < 8 ? 16 : *capacity + *capacity / 2;
    if (wanted <= count || wanted > SIZE_MAX / 2 / item_size)
        return false;
    void *grown = gate_arena_resize(arena, items, items == NULL ? 0 : *capacity * item_size, wanted * item_size);
    if (grown == NULL)
        return false;
    memcpy(at, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

/* Insert the block after the head, so that allocation continues in the head, which still has room. */
bool gate_arena_adopt(struct gate_arena *arena, void *memory, size_t size) {
    if (!gate_arena_reserve(arena, size))
        return false;
    struct gate_arena_block *block = arena_block_new(arena, 0);
    if (block == NULL) {
        gate_arena_release(arena, size);
        return false;
    }
    block->size = block->used = size; /* the size of its bytes; the block has no free room */
    block->adopted = memory;
    struct gate_arena_block **link = arena->head == NULL ? &arena->head : &arena->head->next;
    block->next = *link;
    *link = block;
    return true;
}

void gate_arena_absorb(struct gate_arena *arena, struct gate_arena *from) {
    GATE_ASSERT(arena->pool == from->pool);
    struct gate_arena_block **link = arena->head == NULL ? &arena->head : &arena->head->next;
    struct gate_arena_block *rest = *link;
    *link = from->head;
    while (*link != NULL)
        link = &(*link)->next;
    *link = rest;
    arena->used_bytes += from->used_bytes - from->base_bytes;
    arena->is_refused |= from->is_refused;
    *from = (struct gate_arena){.limit_bytes = from->limit_bytes, .pool = from->pool};
}

bool gate_arena_check(const struct gate_arena *arena, struct gate_error *err) {
    return arena->pool == NULL || !arena->pool->is_short || gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
}

void gate_arena_error_set(const struct gate_arena *arena, struct gate_error *err) {
    size_t limit = arena->limit_bytes;
    if (arena->pool != NULL && arena->pool->limit_bytes != 0 && (limit == 0 || arena->pool->limit_bytes < limit))
        limit = arena->pool->limit_bytes;
    if (arena->is_refused)
        gate_error_set(err, GATE_ERR_LIMIT,
                       "more than %zu bytes of memory would be needed; raise --max-memory if the input is trusted",
                       limit);
    else
        gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
}
