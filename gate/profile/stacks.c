/* SPDX-License-Identifier: Apache-2.0 */
/* Joining records by stack (see stacks.h): hash the raw location bytes, compare, sum. */
#include "gate/profile/stacks.h"

#include "gate/base/hash.h"

/* Half of the hash in each slot: a probe rarely has to look at the stack, and growing needs no hashing. */
struct slot {
    uint32_t tag;
    uint32_t entry; /* index + 1, 0: free */
};

struct joiner {
    struct gate_stacks *out;
    struct gate_arena *arena;
    struct gate_stack *items; /* a block of its own: pages are moved, not copied */
    size_t capacity;
    struct slot *slots;
    size_t slot_count;
    uint64_t secret;
};

static void joiner_drop_slots(struct joiner *joiner) {
    (void)gate_arena_resize(joiner->arena, joiner->slots, joiner->slot_count * sizeof *joiner->slots, 0);
    joiner->slots = NULL;
    joiner->slot_count = 0;
}

static bool joiner_widen(struct joiner *joiner, struct gate_error *err) {
    size_t wanted = joiner->slot_count == 0 ? 1024 : joiner->slot_count * 2;
    struct slot *slots = gate_arena_resize(joiner->arena, NULL, 0, wanted * sizeof *slots);
    if (slots == NULL)
        return gate_arena_error(joiner->arena, err);
    memset(slots, 0, wanted * sizeof *slots);
    for (size_t i = 0; i < joiner->slot_count; i++) {
        if (joiner->slots[i].entry == 0)
            continue;
        size_t at = joiner->slots[i].tag & (wanted - 1);
        while (slots[at].entry != 0)
            at = (at + 1) & (wanted - 1);
        slots[at] = joiner->slots[i];
    }
    joiner_drop_slots(joiner);
    joiner->slots = slots;
    joiner->slot_count = wanted;
    return true;
}

static bool joiner_reserve(struct joiner *joiner, struct gate_error *err) {
    size_t count = joiner->out->count;
    if (count >= GATE_NO_INDEX - 1)
        return gate_error_set(err, GATE_ERR_LIMIT, "more than %u distinct stacks", GATE_NO_INDEX - 1);
    if (count * 4 >= joiner->slot_count * 3 && !joiner_widen(joiner, err))
        return false;
    struct gate_stack *grown = gate_arena_regrow(joiner->arena, joiner->items, count, &joiner->capacity, sizeof *grown);
    if (grown == NULL)
        return gate_arena_error(joiner->arena, err);
    joiner->items = grown;
    return true;
}

/* The entry of `ref`, made when it is new; NULL on an error. */
static struct gate_stack *joiner_find(struct joiner *joiner, const struct gate_sample_cursor *cursor,
                                      struct gate_stack_ref ref, struct gate_error *err) {
    if (!joiner_reserve(joiner, err))
        return NULL;
    GATE_ASSERT(joiner->slots != NULL && joiner->items != NULL);
    uint32_t tag = (uint32_t)gate_hash_bytes(ref.ids, ref.len, joiner->secret);
    size_t mask = joiner->slot_count - 1;
    size_t at = tag & mask;
    for (; joiner->slots[at].entry != 0; at = (at + 1) & mask) {
        struct gate_stack *stack = &joiner->items[joiner->slots[at].entry - 1];
        if (joiner->slots[at].tag == tag && stack->ref.len == ref.len &&
            (ref.len == 0 || memcmp(stack->ref.ids, ref.ids, ref.len) == 0))
            return stack;
    }
    if (gate_stack_is_borrowed(cursor, ref)) {
        struct gate_str copy = gate_str_copy(joiner->arena, (struct gate_str){(const char *)ref.ids, ref.len});
        if (copy.ptr == NULL) {
            (void)gate_arena_error(joiner->arena, err);
            return NULL;
        }
        ref.ids = (const uint8_t *)copy.ptr;
    }
    joiner->slots[at] = (struct slot){tag, ++joiner->out->count};
    joiner->items[joiner->out->count - 1] = (struct gate_stack){.ref = ref};
    return &joiner->items[joiner->out->count - 1];
}

static bool record_add(struct joiner *joiner, const struct gate_counts_model *model,
                       const struct gate_sample_cursor *cursor, const struct gate_sample *sample,
                       struct gate_error *err) {
    struct gate_stacks *out = joiner->out;
    struct gate_stack *stack = joiner_find(joiner, cursor, sample->stack, err);
    int64_t value = sample->values[model->value_column];
    double events = 0, weight_sq = 0;
    if (stack == NULL)
        return false;
    /* Before joining: the events of a sum are not the sum of the events where sizes differ. */
    gate_counts_of(model, sample->values, &events, &weight_sq);
    out->record_count++;
    out->events += events;
    out->weight_sq += weight_sq;
    out->has_negative |= value < 0;
    stack->events += events;
    stack->weight_sq += weight_sq;
    if (__builtin_add_overflow(stack->value, value, &stack->value) ||
        __builtin_add_overflow(out->total, value, &out->total))
        return gate_error_set(err, GATE_ERR_OVERFLOW,
                              "the values of sample type '%.*s' add up to more than 64 bits can hold",
                              GATE_STR_ARG(cursor->profile->sample_types[model->value_column].type));
    return true;
}

/* Give back what the entries do not fill. */
static void joiner_fit(struct joiner *joiner) {
    size_t size = joiner->out->count * sizeof *joiner->items;
    struct gate_stack *fitted =
        gate_arena_resize(joiner->arena, joiner->items, joiner->capacity * sizeof *joiner->items, size);
    joiner->out->items = fitted == NULL && size != 0 ? joiner->items : fitted;
}

bool gate_stacks_collect(struct gate_stacks *out, const struct gate_profile *profile,
                         const struct gate_counts_model *model, const struct gate_label_filter *where,
                         struct gate_arena *arena, struct gate_error *err) {
    struct gate_stacks collected = {0};
    struct joiner joiner = {.out = &collected, .arena = arena};
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    bool ok = true;
    GATE_ASSERT(model->value_column < profile->sample_type_count);
    joiner.secret = gate_hash_secret();
    gate_sample_begin(&cursor, profile);
    while (ok && gate_sample_next(&cursor, &sample, err))
        if (gate_where_passes(where, &cursor, &sample))
            ok = record_add(&joiner, model, &cursor, &sample, err);
    gate_sample_end(&cursor);
    joiner_drop_slots(&joiner);
    if (!ok || err->code != GATE_OK)
        return false;
    joiner_fit(&joiner);
    *out = collected;
    return true;
}
