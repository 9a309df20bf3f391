/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to an arena, in front of the real functions by the linker's --wrap (see places.h). A refused request looks
 * as if the system had no memory or, with $REFUSALS_LIMIT, as if the arena's limit were reached. */
#include "gate/base/arena.h"
#include "tests/refusals/places.h"

#include <stdlib.h>
#include <string.h>

const bool places_may_differ = false;

/* A run that lacked system memory always ends with an error, because gate_arena_check queries the pool before anything
 * is written. So a function that ignores the error of another one is found only with $REFUSALS_LIMIT. */

#define DECLARE(type, name, ...)                                                                                       \
    type __real_##name(__VA_ARGS__);                                                                                   \
    type __wrap_##name(__VA_ARGS__)

DECLARE(void *, gate_arena_alloc, struct gate_arena *arena, size_t size);
DECLARE(void *, gate_arena_calloc, struct gate_arena *arena, size_t count, size_t size);
DECLARE(bool, gate_arena_grow, struct gate_arena *arena, void *at, size_t count, size_t *capacity, size_t size);
DECLARE(bool, gate_arena_regrow, struct gate_arena *arena, void *at, size_t count, size_t *capacity, size_t size);
DECLARE(void *, gate_arena_resize, struct gate_arena *arena, void *block, size_t from, size_t to);
DECLARE(bool, gate_arena_adopt, struct gate_arena *arena, void *block, size_t size);
DECLARE(bool, gate_arena_reserve, struct gate_arena *arena, size_t size);

static void note(struct gate_arena *arena) {
    if (getenv("REFUSALS_LIMIT") != NULL)
        arena->is_refused = true;
    else if (arena->pool != NULL)
        arena->pool->is_short = true;
}

void *__wrap_gate_arena_alloc(struct gate_arena *arena, size_t size) {
    if (!PLACES_REFUSE())
        return __real_gate_arena_alloc(arena, size);
    note(arena);
    return NULL;
}

void *__wrap_gate_arena_calloc(struct gate_arena *arena, size_t count, size_t size) {
    if (!PLACES_REFUSE())
        return __real_gate_arena_calloc(arena, count, size);
    note(arena);
    return NULL;
}

/* A request is made only if the list, whose pointer is at `at`, must grow. */
static bool has_room(const void *at, size_t count, size_t capacity) {
    void *items;
    memcpy(&items, at, sizeof items);
    return items != NULL && count < capacity;
}

bool __wrap_gate_arena_grow(struct gate_arena *arena, void *at, size_t count, size_t *capacity, size_t size) {
    if (has_room(at, count, *capacity) || !PLACES_REFUSE())
        return __real_gate_arena_grow(arena, at, count, capacity, size);
    note(arena);
    return false;
}

bool __wrap_gate_arena_regrow(struct gate_arena *arena, void *at, size_t count, size_t *capacity, size_t size) {
    if (has_room(at, count, *capacity) || !PLACES_REFUSE())
        return __real_gate_arena_regrow(arena, at, count, capacity, size);
    note(arena);
    return false;
}

void *__wrap_gate_arena_resize(struct gate_arena *arena, void *block, size_t from, size_t to) {
    if (to <= from || !PLACES_REFUSE())
        return __real_gate_arena_resize(arena, block, from, to);
    note(arena);
    return NULL;
}

bool __wrap_gate_arena_adopt(struct gate_arena *arena, void *block, size_t size) {
    if (!PLACES_REFUSE())
        return __real_gate_arena_adopt(arena, block, size);
    note(arena);
    return false;
}

bool __wrap_gate_arena_reserve(struct gate_arena *arena, size_t size) {
    if (!PLACES_REFUSE())
        return __real_gate_arena_reserve(arena, size);
    note(arena);
    return false;
}
