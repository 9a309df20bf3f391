/* SPDX-License-Identifier: Apache-2.0 */
/* Joining records by stack (see stacks.h): hash the raw location bytes, compare, sum. The table, the entries and the
 * stacks that they compare with are met in random order and larger than any cache, so records are joined a batch at a
 * time: what the next ones will look at is on its way while the first ones are looked at. */
#include "gate/profile/stacks.h"

#include "gate/base/hash.h"

#include <math.h>

/* Half of the hash in each slot: a probe rarely has to look at the stack, and growing needs no hashing. */
struct slot {
    uint32_t tag;
    uint32_t entry; /* index + 1, 0: free */
};

/* A record on its way to its entry. */
struct pending {
    struct gate_stack_ref ref;
    uint32_t tag;
    int64_t value;
    double weight_sq;
};

enum { PENDING_MOST = 32 };

struct joiner {
    struct gate_stacks *out;
    struct gate_arena *arena;
    struct gate_stack *items; /* a block of its own: pages are moved, not copied */
    size_t capacity;
    struct slot *slots;
    size_t slot_count;
    uint64_t secret;
    const struct gate_mix *mix;           /* or NULL */
    const struct gate_resample *resample; /* or NULL */
    struct gate_str type;                 /* of the values, for errors */
    struct pending pending[PENDING_MOST];
    uint32_t pending_count;
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

/* The entry of a record's stack, made when it is new; NULL on an error. `is_borrowed`: the stack has to be copied. */
static struct gate_stack *joiner_find(struct joiner *joiner, const struct pending *record, bool is_borrowed,
                                      struct gate_error *err) {
    if (!joiner_reserve(joiner, err))
        return NULL;
    GATE_ASSERT(joiner->slots != NULL && joiner->items != NULL);
    struct gate_stack_ref ref = record->ref;
    size_t mask = joiner->slot_count - 1;
    size_t at = record->tag & mask;
    for (; joiner->slots[at].entry != 0; at = (at + 1) & mask) {
        struct gate_stack *stack = &joiner->items[joiner->slots[at].entry - 1];
        if (joiner->slots[at].tag == record->tag && stack->ref.len == ref.len &&
            (ref.len == 0 || memcmp(stack->ref.ids, ref.ids, ref.len) == 0))
            return stack;
    }
    if (is_borrowed) {
        struct gate_str copy = gate_str_copy(joiner->arena, (struct gate_str){(const char *)ref.ids, ref.len});
        if (copy.ptr == NULL) {
            (void)gate_arena_error(joiner->arena, err);
            return NULL;
        }
        ref.ids = (const uint8_t *)copy.ptr;
    }
    joiner->slots[at] = (struct slot){record->tag, ++joiner->out->count};
    joiner->items[joiner->out->count - 1] = (struct gate_stack){.ref = ref};
    return &joiner->items[joiner->out->count - 1];
}

static bool overflow(const struct joiner *joiner, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_OVERFLOW,
                          "the values of sample type '%.*s' add up to more than 64 bits can hold",
                          GATE_STR_ARG(joiner->type));
}

/* The entry that a record's slot names, as far as it goes without a look at the entry; or NULL. A guess: the table may
 * have moved on. */
static const struct gate_stack *joiner_guess(const struct joiner *joiner, const struct pending *record) {
    const struct slot *slot = joiner->slots == NULL ? NULL : &joiner->slots[record->tag & (joiner->slot_count - 1)];
    return slot != NULL && slot->entry != 0 && slot->tag == record->tag ? &joiner->items[slot->entry - 1] : NULL;
}

/* Join what is pending, in its order. `is_borrowed`: the last of it lies in the cursor. */
static bool joiner_flush(struct joiner *joiner, bool is_borrowed, struct gate_error *err) {
    const uint32_t count = joiner->pending_count;
    const struct gate_stack *guesses[PENDING_MOST];
    for (uint32_t i = 0; i < count; i++) {
        guesses[i] = joiner_guess(joiner, &joiner->pending[i]);
        if (guesses[i] != NULL)
            __builtin_prefetch(guesses[i], 1);
    }
    for (uint32_t i = 0; i < count; i++)
        if (guesses[i] != NULL)
            __builtin_prefetch(guesses[i]->ref.ids);
    for (uint32_t i = 0; i < count; i++) {
        const struct pending *record = &joiner->pending[i];
        struct gate_stack *stack = joiner_find(joiner, record, is_borrowed && i + 1 == count, err);
        if (stack == NULL)
            return false;
        stack->weight_sq += record->weight_sq;
        if (__builtin_add_overflow(stack->value, record->value, &stack->value))
            return overflow(joiner, err);
    }
    joiner->pending_count = 0;
    return true;
}

static bool joiner_push(struct joiner *joiner, const struct gate_sample_cursor *cursor, struct gate_stack_ref ref,
                        int64_t value, double weight_sq, struct gate_error *err) {
    uint32_t tag = (uint32_t)gate_hash_bytes(ref.ids, ref.len, joiner->secret);
    bool is_borrowed = gate_stack_is_borrowed(cursor, ref);
    joiner->pending[joiner->pending_count++] = (struct pending){ref, tag, value, weight_sq};
    if (joiner->slots != NULL)
        __builtin_prefetch(&joiner->slots[tag & (joiner->slot_count - 1)], 1);
    return (!is_borrowed && joiner->pending_count < PENDING_MOST) || joiner_flush(joiner, is_borrowed, err);
}

/* A number in [0, 1) that the record's place gives it: the same in every run of the program, and no pattern of records
 * has one like it. */
static double mix_dither(uint64_t record) {
    return (double)(gate_hash_mix(record + 1) >> 11) * 0x1p-53;
}

/* What a value counts for in the mix. Values are whole, so what is left of one is rounded up or down by chance, in
 * proportion: right in the mean for every frame, and the chance is variance, as that of drawing samples is. */
static int64_t mix_value(double *weight_sq, int64_t value, double factor, uint64_t record) {
    double exact = (double)value * factor, whole = floor(exact), part = exact - whole;
    *weight_sq *= factor * factor;
    if (!(fabs(exact) < 9.2e18))
        return value;
    *weight_sq += part * (1.0 - part);
    return (int64_t)whole + (mix_dither(record) < part);
}

static bool record_add(struct joiner *joiner, const struct gate_counts_model *model,
                       const struct gate_sample_cursor *cursor, const struct gate_sample *sample, uint64_t record,
                       struct gate_error *err) {
    struct gate_stacks *out = joiner->out;
    int64_t value = sample->values[model->value_column];
    double events = 0, weight_sq = 0;
    /* Before joining: the events of a sum are not the sum of the events where sizes differ. */
    gate_counts_of(model, sample->values, &events, &weight_sq);
    if (joiner->resample != NULL && !gate_resample_record(&value, &events, &weight_sq, joiner->resample, record))
        return true;
    if (joiner->mix != NULL) {
        double factor = 1.0;
        bool is_mixed = gate_mix_find(&factor, joiner->mix, cursor, sample);
        value = mix_value(&weight_sq, value, factor, out->record_count);
        out->mixed += is_mixed ? (double)value : 0.0;
    }
    if (value == 0 && model->kind == GATE_COUNTS_COLUMN)
        out->valueless += fabs((double)sample->values[model->count_column]);
    out->record_count++;
    out->events += events;
    out->weight_sq += weight_sq;
    out->has_negative |= value < 0;
    if (__builtin_add_overflow(out->total, value, &out->total))
        return overflow(joiner, err);
    return joiner_push(joiner, cursor, sample->stack, value, weight_sq, err);
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
                         const struct gate_mix *mix, const struct gate_resample *resample, struct gate_arena *arena,
                         struct gate_error *err) {
    struct gate_stacks collected = {0};
    struct joiner joiner = {.out = &collected, .arena = arena, .mix = mix, .resample = resample};
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    bool ok = true;
    GATE_ASSERT(model->value_column < profile->sample_type_count);
    joiner.secret = gate_hash_secret();
    joiner.type = profile->sample_types[model->value_column].type;
    gate_sample_begin(&cursor, profile);
    for (uint64_t record = 0; ok && gate_sample_next(&cursor, &sample, err); record++)
        if (gate_where_passes(where, &cursor, &sample))
            ok = record_add(&joiner, model, &cursor, &sample, record, err);
    gate_sample_end(&cursor);
    ok = ok && err->code == GATE_OK && joiner_flush(&joiner, false, err);
    joiner_drop_slots(&joiner);
    if (!ok)
        return false;
    joiner_fit(&joiner);
    *out = collected;
    return true;
}
