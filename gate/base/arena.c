/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocation with a limit (see arena.h). */
#include "gate/base/arena.h"

#include <stdlib.h>
#include <string.h>

struct gate_arena_block {
    struct gate_arena_block *next;
    char *adopted; /* a block taken over by gate_arena_adopt, else NULL */
    size_t size;
    size_t used;
    _Alignas(16) char bytes[];
};

enum { FIRST_BLOCK_BYTES = 16 * 1024, LARGEST_BLOCK_BYTES = 4 * 1024 * 1024 };

void gate_arena_init(struct gate_arena *arena, size_t limit_bytes) {
    *arena = (struct gate_arena){.limit_bytes = limit_bytes};
}

void gate_arena_free(struct gate_arena *arena) {
    struct gate_arena_block *block = arena->head;
    while (block != NULL) {
        struct gate_arena_block *next = block->next;
        free(block->adopted);
        free(block);
        block = next;
    }
    arena->head = NULL;
    arena->used_bytes = 0;
}

static bool arena_charge(struct gate_arena *arena, size_t size) {
    if (arena->limit_bytes != 0 &&
        (arena->used_bytes > arena->limit_bytes || size > arena->limit_bytes - arena->used_bytes))
        return false;
    arena->used_bytes += size;
    return true;
}

static struct gate_arena_block *arena_block_new(size_t size) {
    struct gate_arena_block *block = malloc(sizeof *block + size);
    if (block == NULL)
        return NULL;
    block->next = NULL;
    block->adopted = NULL;
    block->size = size;
    block->used = 0;
    return block;
}

void *gate_arena_alloc(struct gate_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + 15) & ~(size_t)15;
    if (!arena_charge(arena, size))
        return NULL;
    struct gate_arena_block *head = arena->head;
    if (head != NULL && head->size - head->used >= size) {
        void *result = head->bytes + head->used;
        head->used += size;
        return result;
    }
    size_t next_size = head == NULL ? FIRST_BLOCK_BYTES : head->size * 2;
    if (next_size > LARGEST_BLOCK_BYTES || next_size < FIRST_BLOCK_BYTES)
        next_size = next_size < FIRST_BLOCK_BYTES ? FIRST_BLOCK_BYTES : LARGEST_BLOCK_BYTES;
    bool large = size > next_size / 2;
    struct gate_arena_block *block = arena_block_new(large ? size : next_size);
    if (block == NULL) {
        arena->used_bytes -= size;
        return NULL;
    }
    block->used = size;
    if (large && head != NULL) { /* keep bumping in the block that still has room */
        block->next = head->next;
        head->next = block;
    } else {
        block->next = head;
        arena->head = block;
    }
    return block->bytes;
}

void *gate_arena_calloc(struct gate_arena *arena, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    void *result = gate_arena_alloc(arena, count * size);
    if (result != NULL)
        memset(result, 0, count * size);
    return result;
}

void *gate_arena_grow(struct gate_arena *arena, void *items, size_t count, size_t *capacity, size_t item_size) {
    if (items != NULL && count < *capacity)
        return items;
    size_t wanted = *capacity < 8 ? 16 : *capacity * 2;
    if (wanted <= count || wanted > SIZE_MAX / 2 / item_size)
        return NULL;
    void *result = gate_arena_alloc(arena, wanted * item_size);
    if (result == NULL)
        return NULL;
    if (items != NULL && count != 0)
        memcpy(result, items, count * item_size);
    *capacity = wanted;
    return result;
}

void *gate_arena_regrow(struct gate_arena *arena, void *items, size_t count, size_t *capacity, size_t item_size) {
    if (items != NULL && count < *capacity)
        return items;
    size_t wanted = *capacity < 8 ? 16 : *capacity + *capacity / 2;
    if (wanted <= count || wanted > SIZE_MAX / 2 / item_size)
        return NULL;
    if (items == NULL) {
        void *first = malloc(wanted * item_size);
        if (first != NULL && !gate_arena_adopt(arena, first, wanted * item_size)) {
            free(first);
            return NULL;
        }
        *capacity = first == NULL ? 0 : wanted;
        return first;
    }
    struct gate_arena_block *block = arena->head;
    while (block != NULL && block->adopted != items)
        block = block->next;
    size_t more = (wanted - *capacity) * item_size;
    if (block == NULL || !arena_charge(arena, more))
        return NULL;
    void *grown = realloc(items, wanted * item_size);
    if (grown == NULL) {
        arena->used_bytes -= more;
        return NULL;
    }
    block->adopted = grown;
    *capacity = wanted;
    return grown;
}

bool gate_arena_adopt(struct gate_arena *arena, void *memory, size_t size) {
    if (!arena_charge(arena, size))
        return false;
    struct gate_arena_block *block = arena_block_new(0);
    if (block == NULL) {
        arena->used_bytes -= size;
        return false;
    }
    block->adopted = memory;
    if (arena->head == NULL) {
        arena->head = block;
    } else {
        block->next = arena->head->next;
        arena->head->next = block;
    }
    return true;
}

void gate_arena_absorb(struct gate_arena *arena, struct gate_arena *from) {
    struct gate_arena_block *tail = from->head;
    if (tail == NULL)
        return;
    while (tail->next != NULL)
        tail = tail->next;
    if (arena->head == NULL) {
        arena->head = from->head;
    } else {
        tail->next = arena->head->next;
        arena->head->next = from->head;
    }
    arena->used_bytes += from->used_bytes;
    from->head = NULL;
    from->used_bytes = 0;
}

bool gate_arena_error(const struct gate_arena *arena, struct gate_error *err) {
    if (arena->limit_bytes != 0 && arena->used_bytes >= arena->limit_bytes / 2)
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "more than %zu bytes of memory would be needed; raise --max-memory if the input is trusted",
                              arena->limit_bytes);
    return gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
}
