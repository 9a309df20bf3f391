/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of a chunk of a JDK Flight Recorder file. */
#include "gate/formats/jfr_pools.h"

#include <stdlib.h>

/* ---- checkpoint events ------------------------------------------------------------------------------------------- */

static const char *const pool_classes[] = {
    [GATE_JFR_POOL_STRING] = "java.lang.String",    [GATE_JFR_POOL_SYMBOL] = "jdk.types.Symbol",
    [GATE_JFR_POOL_CLASS] = "java.lang.Class",      [GATE_JFR_POOL_METHOD] = "jdk.types.Method",
    [GATE_JFR_POOL_STACK] = "jdk.types.StackTrace", [GATE_JFR_POOL_FRAME_TYPE] = "jdk.types.FrameType",
    [GATE_JFR_POOL_THREAD] = "java.lang.Thread",    [GATE_JFR_POOL_THREAD_STATE] = "jdk.types.ThreadState",
};

/* Return the pool of a class, or NULL if its constants are not kept. */
static struct gate_jfr_pool *pool_of(struct gate_jfr_pools *pools, uint32_t class_index) {
    for (int kind = 0; kind < GATE_JFR_POOLS; kind++)
        if (pools->pools[kind].class_index == class_index)
            return &pools->pools[kind];
    return NULL;
}

static void pools_name(struct gate_jfr_pools *pools) {
    for (int kind = 0; kind < GATE_JFR_POOLS; kind++) {
        pools->pools[kind] = (struct gate_jfr_pool){.class_index = GATE_NO_INDEX};
        for (uint32_t i = 0; i < pools->classes->count; i++)
            if (gate_str_equal(pools->classes->items[i].name, gate_str_from(pool_classes[kind])))
                pools->pools[kind].class_index = i;
    }
}

static bool constant_add(struct gate_jfr_pools *pools, struct gate_jfr_pool *pool, int64_t key, size_t at,
                         struct gate_error *err) {
    struct gate_jfr_constant *grown =
        gate_arena_regrow(pools->arena, pool->items, pool->count, &pool->capacity, sizeof *grown);
    if (grown == NULL || pool->count == UINT32_MAX)
        return gate_arena_error(pools->arena, err);
    pool->items = grown;
    pool->items[pool->count] = (struct gate_jfr_constant){.key = key, .at = at, .order = pool->count};
    pool->count++;
    return true;
}

/* Read the constants of one class. */
static bool constants_read(struct gate_jfr_pools *pools, struct gate_jfr_cursor *cursor, struct gate_error *err) {
    size_t start = cursor->at;
    int64_t id = gate_jfr_long(cursor);
    int32_t count = gate_jfr_int(cursor);
    uint32_t class_index = gate_jfr_class_find(pools->classes, id);
    if (cursor->fault == GATE_JFR_FINE && class_index == GATE_NO_INDEX)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "malformed recording: constants of a class %lld that its metadata does not describe, at "
                              "byte %zu (chunk %u)",
                              (long long)id, pools->chunk->start + start, pools->chunk->number);
    struct gate_jfr_pool *pool = pool_of(pools, class_index);
    for (int32_t i = 0; i < count && cursor->fault == GATE_JFR_FINE; i++) {
        int64_t key = gate_jfr_long(cursor);
        size_t at = cursor->at;
        gate_jfr_value_read(NULL, cursor, pools->classes, class_index);
        if (pool != NULL && !constant_add(pools, pool, key, at, err))
            return false;
    }
    return true;
}

/**
 * Read the checkpoint at `at`, which ends before `limit`. `*delta` is set to the distance of the one before it, a
 * negative number, or to 0.
 */
static bool checkpoint_read(int64_t *delta, struct gate_jfr_pools *pools, size_t at, size_t limit,
                            struct gate_error *err) {
    struct gate_jfr_cursor cursor = gate_jfr_cursor_at(pools->chunk, at, pools->steps);
    cursor.end = limit > cursor.at ? limit : cursor.at;
    *delta = 0;
    if (gate_jfr_event_open(&cursor)) {
        int64_t type = gate_jfr_long(&cursor);
        if (type != 1 && cursor.fault == GATE_JFR_FINE)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "malformed recording: expected a checkpoint at byte %zu (chunk %u)",
                                  pools->chunk->start + at, pools->chunk->number);
        (void)gate_jfr_long(&cursor); /* start */
        (void)gate_jfr_long(&cursor); /* duration */
        *delta = gate_jfr_long(&cursor);
        (void)gate_jfr_byte(&cursor); /* kind of checkpoint */
        int32_t count = gate_jfr_int(&cursor);
        for (int32_t i = 0; i < count && cursor.fault == GATE_JFR_FINE; i++)
            if (!constants_read(pools, &cursor, err))
                return false;
    }
    return cursor.fault == GATE_JFR_FINE || gate_jfr_fault_error(&cursor, pools->chunk, "the checkpoint", at, err);
}

static bool chain_read(struct gate_jfr_pools *pools, struct gate_error *err) {
    const struct gate_jfr_chunk *chunk = pools->chunk;
    size_t limit = chunk->bytes.len;
    uint64_t at = chunk->constants_at;
    for (int64_t delta = -1; delta != 0; at += (uint64_t)delta) {
        /* Checkpoints may not overlap: each byte is read once. */
        if (at < GATE_JFR_HEADER_BYTES || at >= limit)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "malformed recording: the chain of checkpoints of chunk %u leads from byte %zu to "
                                  "byte %lld, which is not before it in the chunk",
                                  chunk->number, chunk->start + limit, (long long)(chunk->start + at));
        if (!checkpoint_read(&delta, pools, (size_t)at, limit, err))
            return false;
        limit = (size_t)at;
    }
    return true;
}

static int constant_order(const void *a, const void *b) {
    const struct gate_jfr_constant *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return (left->order < right->order) - (left->order > right->order);
}

/* Sort by key. Of several constants with one key, keep the one that was read last, as the JDK's own reader does. */
static void pool_sort(struct gate_jfr_pool *pool) {
    uint32_t kept = 0;
    if (pool->count > 1)
        qsort(pool->items, pool->count, sizeof *pool->items, constant_order);
    for (uint32_t i = 0; i < pool->count; i++)
        if (kept == 0 || pool->items[kept - 1].key != pool->items[i].key)
            pool->items[kept++] = pool->items[i];
    pool->count = kept;
}

static struct gate_jfr_constant *constant_find(struct gate_jfr_pool *pool, int64_t key) {
    uint32_t low = 0, high = pool->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pool->items[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pool->count && pool->items[low].key == key ? &pool->items[low] : NULL;
}

/* Read the fields of a constant. They are in bounds, as they were read once before. Only steps may run out. */
static bool constant_read(struct gate_jfr_picks *picks, const struct gate_jfr_pools *pools, size_t at,
                          uint32_t class_index, struct gate_error *err) {
    struct gate_jfr_cursor cursor = gate_jfr_cursor_at(pools->chunk, at, pools->steps);
    gate_jfr_value_read(picks, &cursor, pools->classes, class_index);
    return cursor.fault == GATE_JFR_FINE || gate_jfr_fault_error(&cursor, pools->chunk, "a constant", at, err);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

enum { TEXT_HOPS_MAX = 8 };

static bool text_follow(struct gate_str *out, struct gate_jfr_pools *pools, const struct gate_jfr_value *value,
                        uint32_t hops, struct gate_error *err);

static bool text_keep(struct gate_jfr_constant *constant, struct gate_jfr_pools *pools, struct gate_str text,
                      struct gate_error *err) {
    struct gate_str *grown =
        gate_arena_regrow(pools->arena, pools->texts, pools->text_count, &pools->text_capacity, sizeof *grown);
    if (grown == NULL || pools->text_count >= UINT32_MAX)
        return gate_arena_error(pools->arena, err);
    pools->texts = grown;
    pools->texts[pools->text_count++] = text;
    constant->known = (uint32_t)pools->text_count;
    return true;
}

/* Return the text of a constant: the first of its fields that has one. */
static bool constant_text(struct gate_str *out, struct gate_jfr_pools *pools, struct gate_jfr_pool *pool, int64_t key,
                          uint32_t hops, struct gate_error *err) {
    static const enum gate_jfr_slot slots[] = {GATE_JFR_STRING_OF, GATE_JFR_JAVA_NAME, GATE_JFR_OS_NAME, GATE_JFR_NAME,
                                               GATE_JFR_DESCRIPTION};
    struct gate_jfr_constant *constant = pool == NULL ? NULL : constant_find(pool, key);
    *out = GATE_STR("");
    if (constant == NULL || pool == &pools->pools[GATE_JFR_POOL_METHOD] || pool == &pools->pools[GATE_JFR_POOL_STACK])
        return true;
    if (constant->known != 0) {
        *out = pools->texts[constant->known - 1];
        return true;
    }
    struct gate_jfr_picks picks;
    if (!constant_read(&picks, pools, constant->at, pool->class_index, err))
        return false;
    for (size_t i = 0; i < sizeof slots / sizeof *slots && out->len == 0; i++)
        if (gate_jfr_has(&picks, slots[i]) && !text_follow(out, pools, &picks.values[slots[i]], hops + 1, err))
            return false;
    return text_keep(constant, pools, *out, err);
}

static bool text_follow(struct gate_str *out, struct gate_jfr_pools *pools, const struct gate_jfr_value *value,
                        uint32_t hops, struct gate_error *err) {
    if (hops == TEXT_HOPS_MAX)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "malformed recording: the constants of chunk %u refer to each other in a cycle",
                              pools->chunk->number);
    *out = GATE_STR("");
    if (value->field != NULL && value->field->is_array)
        return true;
    if (value->field != NULL && value->field->is_constant)
        return constant_text(out, pools, pool_of(pools, value->field->class_index), value->number, hops, err);
    if (value->text.encoding == GATE_JFR_CONSTANT)
        return constant_text(out, pools, &pools->pools[GATE_JFR_POOL_STRING], value->text.key, hops, err);
    *out = gate_jfr_text_decode(&value->text, pools->chunk->is_compressed, pools->arena);
    return out->ptr != NULL || gate_arena_error(pools->arena, err);
}

bool gate_jfr_text_of(struct gate_str *out, struct gate_jfr_pools *pools, const struct gate_jfr_value *value,
                      struct gate_error *err) {
    return text_follow(out, pools, value, 0, err);
}

/* ---- methods ----------------------------------------------------------------------------------------------------- */

/* Native methods of the JDK that wait for the network or another process. Their samples say nothing of CPU time. */
static const char *const waits[] = {
    "java/lang/ProcessHandleImpl.waitForProcessExit0",
    "java/lang/ProcessImpl.waitForInterruptibly",
    "java/net/PlainDatagramSocketImpl.peek",
    "java/net/PlainDatagramSocketImpl.receive0",
    "java/net/PlainSocketImpl.socketAccept",
    "java/net/PlainSocketImpl.socketConnect",
    "java/net/SocketInputStream.socketRead0",
    "sun/nio/ch/DatagramChannelImpl.receive0",
    "sun/nio/ch/DatagramDispatcher.read0",
    "sun/nio/ch/EPoll.wait",
    "sun/nio/ch/EPollArrayWrapper.epollWait",
    "sun/nio/ch/FileDispatcherImpl.read0",
    "sun/nio/ch/KQueue.poll",
    "sun/nio/ch/Net.accept",
    "sun/nio/ch/Net.poll",
    "sun/nio/ch/ServerSocketChannelImpl.accept0",
    "sun/nio/ch/SocketDispatcher.read0",
    "sun/nio/ch/UnixDomainSockets.accept0",
    "sun/nio/ch/WEPoll.wait",
    "sun/nio/ch/WindowsSelectorImpl$SubSelector.poll0",
};

static bool is_wait(struct gate_str name) {
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (gate_str_equal(name, gate_str_from(waits[i])))
            return true;
    return false;
}

/* Return true for a frame of C, C++ or the kernel: its class is a library, or none. */
static bool is_native(struct gate_jfr_pools *pools, struct gate_str type) {
    bool is_c = pools->has_native_code && gate_str_equal(type, GATE_STR("Native"));
    return is_c || gate_str_equal(type, GATE_STR("C++")) || gate_str_equal(type, GATE_STR("Kernel"));
}

/* Return the name as async-profiler's converter spells it: "com/acme/Cart.add", or a C function's alone. */
static bool method_name(struct gate_str *out, struct gate_jfr_pools *pools, const struct gate_jfr_picks *picks,
                        struct gate_str frame_type, struct gate_error *err) {
    struct gate_str parts[3] = {GATE_STR(""), GATE_STR("."), GATE_STR("")};
    if (gate_jfr_has(picks, GATE_JFR_TYPE) && !gate_jfr_text_of(&parts[0], pools, &picks->values[GATE_JFR_TYPE], err))
        return false;
    if (gate_jfr_has(picks, GATE_JFR_NAME) && !gate_jfr_text_of(&parts[2], pools, &picks->values[GATE_JFR_NAME], err))
        return false;
    if (parts[0].len == 0 || is_native(pools, frame_type))
        *out = parts[2];
    else
        *out = gate_str_concat(pools->arena, parts, 3);
    return out->ptr != NULL || gate_arena_error(pools->arena, err);
}

/* Return the method with that key. A missing one has no function. */
static bool method_of(struct gate_jfr_method *out, struct gate_jfr_pools *pools, int64_t key,
                      struct gate_str frame_type, struct gate_error *err) {
    struct gate_jfr_pool *pool = &pools->pools[GATE_JFR_POOL_METHOD];
    struct gate_jfr_constant *constant = constant_find(pool, key);
    *out = (struct gate_jfr_method){0};
    if (constant == NULL)
        return true;
    if (constant->known != 0) {
        *out = pools->methods[constant->known - 1];
        return true;
    }
    struct gate_jfr_picks picks;
    struct gate_str name = GATE_STR("");
    if (!constant_read(&picks, pools, constant->at, pool->class_index, err) ||
        !method_name(&name, pools, &picks, frame_type, err))
        return false;
    struct gate_jfr_method *grown =
        gate_arena_regrow(pools->arena, pools->methods, pools->method_count, &pools->method_capacity, sizeof *grown);
    if (grown == NULL)
        return gate_arena_error(pools->arena, err);
    pools->methods = grown;
    struct gate_function function = {.name = name, .system_name = name, .file = GATE_STR("")};
    out->is_wait = is_wait(name);
    out->function = name.len == 0 ? 0 : gate_builder_function(pools->builder, &function);
    pools->methods[pools->method_count++] = *out;
    constant->known = (uint32_t)pools->method_count;
    return true;
}

/* ---- stack traces ------------------------------------------------------------------------------------------------ */

static bool location_add(struct gate_jfr_pools *pools, uint64_t location, struct gate_error *err) {
    uint64_t *grown = gate_arena_regrow(pools->arena, pools->locations, pools->location_count,
                                        &pools->location_capacity, sizeof *grown);
    if (location == 0)
        return gate_arena_error(pools->builder->arena, err);
    if (grown == NULL)
        return gate_arena_error(pools->arena, err);
    pools->locations = grown;
    pools->locations[pools->location_count++] = location;
    return true;
}

static bool frame_read(struct gate_jfr_stack *stack, struct gate_jfr_pools *pools, struct gate_jfr_cursor *cursor,
                       uint32_t class_index, struct gate_error *err) {
    struct gate_jfr_picks picks;
    struct gate_jfr_method method = {0};
    struct gate_str type = GATE_STR("");
    size_t at = cursor->at;
    gate_jfr_value_read(&picks, cursor, pools->classes, class_index);
    if (cursor->fault != GATE_JFR_FINE)
        return gate_jfr_fault_error(cursor, pools->chunk, "a frame", at, err);
    if (gate_jfr_has(&picks, GATE_JFR_TYPE) && !gate_jfr_text_of(&type, pools, &picks.values[GATE_JFR_TYPE], err))
        return false;
    if (gate_jfr_has(&picks, GATE_JFR_METHOD) &&
        !method_of(&method, pools, picks.values[GATE_JFR_METHOD].number, type, err))
        return false;
    int64_t line = gate_jfr_has(&picks, GATE_JFR_LINE) ? picks.values[GATE_JFR_LINE].number : 0;
    struct gate_builder_line place = {method.function, line > 0 ? line : 0, 0};
    if (!location_add(pools, gate_builder_location(pools->builder, 0, 0, &place, method.function != 0), err))
        return false;
    stack->is_wait |= stack->depth == 0 && method.is_wait;
    stack->is_interpreted |= stack->depth == 0 && gate_str_equal(type, GATE_STR("Interpreted"));
    stack->depth++;
    return true;
}

static bool frames_read(struct gate_jfr_stack *stack, struct gate_jfr_pools *pools, const struct gate_jfr_value *frames,
                        struct gate_error *err) {
    struct gate_jfr_cursor cursor = gate_jfr_cursor_at(pools->chunk, frames->at, pools->steps);
    bool is_list =
        frames->field->is_array && !frames->field->is_constant && frames->field->class_index != GATE_NO_INDEX;
    int64_t depth = is_list ? frames->number : 0;
    if (depth > pools->limits->depth)
        return gate_error_set(err, GATE_ERR_LIMIT, "a stack trace at byte %zu is %lld frames deep; raise --max-depth",
                              pools->chunk->start + frames->at, (long long)depth);
    for (int64_t i = 0; i < depth; i++)
        if (!frame_read(stack, pools, &cursor, frames->field->class_index, err))
            return false;
    return true;
}

bool gate_jfr_stack_of(struct gate_jfr_stack *out, struct gate_jfr_pools *pools, int64_t key, struct gate_error *err) {
    struct gate_jfr_pool *pool = &pools->pools[GATE_JFR_POOL_STACK];
    struct gate_jfr_constant *constant = constant_find(pool, key);
    *out = (struct gate_jfr_stack){.first = pools->location_count};
    if (constant == NULL)
        return true;
    if (constant->known != 0) {
        *out = pools->stacks[constant->known - 1];
        return true;
    }
    struct gate_jfr_picks picks;
    if (!constant_read(&picks, pools, constant->at, pool->class_index, err) ||
        (gate_jfr_has(&picks, GATE_JFR_FRAMES) && !frames_read(out, pools, &picks.values[GATE_JFR_FRAMES], err)))
        return false;
    struct gate_jfr_stack *grown =
        gate_arena_regrow(pools->arena, pools->stacks, pools->stack_count, &pools->stack_capacity, sizeof *grown);
    if (grown == NULL)
        return gate_arena_error(pools->arena, err);
    pools->stacks = grown;
    pools->stacks[pools->stack_count++] = *out;
    constant->known = (uint32_t)pools->stack_count;
    return true;
}

/* ---- reading all constants --------------------------------------------------------------------------------------- */

/* Return in `found` whether a pool has a constant with that text. */
static bool text_find(bool *found, struct gate_jfr_pools *pools, enum gate_jfr_pool_kind kind, struct gate_str wanted,
                      struct gate_error *err) {
    struct gate_jfr_pool *pool = &pools->pools[kind];
    struct gate_str text = GATE_STR("");
    *found = false;
    for (uint32_t i = 0; i < pool->count && !*found; i++) {
        if (!constant_text(&text, pools, pool, pool->items[i].key, 0, err))
            return false;
        *found = gate_str_equal(text, wanted);
    }
    return true;
}

bool gate_jfr_pools_read(struct gate_jfr_pools *out, struct gate_error *err) {
    pools_name(out);
    if (out->chunk->constants_at != 0 && !chain_read(out, err))
        return false;
    for (int kind = 0; kind < GATE_JFR_POOLS; kind++)
        pool_sort(&out->pools[kind]);
    return text_find(&out->has_native_code, out, GATE_JFR_POOL_FRAME_TYPE, GATE_STR("Kernel"), err) &&
           text_find(&out->has_cpu_state, out, GATE_JFR_POOL_THREAD_STATE, GATE_STR("STATE_DEFAULT"), err);
}
