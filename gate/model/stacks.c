/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/model/stacks.h"

#include "gate/base/arena.h"
#include "gate/base/hash.h"
#include "gate/model/effective_samples.h"
#include "gate/model/labels.h"
#include "gate/model/sample.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- traffic mix ------------------------------------------------------------------------------------------------- */

/**
 * Set `factor` to the weight of the cursor's sample. Returns false and sets 1 if the mix has no part for it.
 * O(labels * parts).
 */
static bool mix_find(double *factor, const struct gate_mix *mix, const struct gate_sample_cursor *cursor,
                     const struct gate_sample *sample) {
    struct gate_label_walk walk = gate_labels_of(cursor);
    struct gate_label label;
    *factor = 1.0;
    while (sample->label_count > 0 && gate_labels_next(&walk, &label)) {
        if (label.text.ptr == NULL || !gate_str_equal(label.key, mix->key))
            continue;
        for (uint32_t i = 0; i < mix->count; i++)
            if (gate_str_equal(mix->parts[i].value, label.text)) {
                *factor = mix->parts[i].factor;
                return true;
            }
    }
    return false;
}

/* ---- resampling -------------------------------------------------------------------------------------------------- */

/* Means from here on use a normal approximation of the Poisson distribution, which is accurate enough and O(1). */
static const double NORMAL_FROM = 30.0;

double gate_resample_uniform(uint64_t seed, uint64_t index) {
    return ((double)(gate_hash_number(index, seed) >> 11) + 0.5) * 0x1p-53;
}

double gate_resample_normal(uint64_t seed, uint64_t index) {
    const double whole_turn = 6.283185307179586;
    double radius = sqrt(-2.0 * log(gate_resample_uniform(seed, 2 * index)));
    return radius * cos(whole_turn * gate_resample_uniform(seed, 2 * index + 1));
}

/* Return the quantile `u` of a Poisson distribution: the smallest count whose cumulative probability is >= u. */
static double poisson_quantile(double mean, double u) {
    double k = 0.0, p = exp(-mean), below = p;
    while (below < u && p > 0.0) {
        p *= mean / ++k;
        below += p;
    }
    return k;
}

double gate_resample_events(const struct gate_resample *resample, uint64_t record, double events) {
    double mean = record < resample->record_count ? events * (double)resample->factors[record] : 0.0;
    if (!(mean > 0.0))
        return 0.0;
    if (mean < NORMAL_FROM)
        return poisson_quantile(mean, gate_resample_uniform(resample->seed, record));
    double drawn = mean + sqrt(mean) * gate_resample_normal(resample->seed, record);
    return drawn > 0.0 ? floor(drawn + 0.5) : 0.0;
}

bool gate_resample_record(int64_t *value, double *events, double *weight_sq, const struct gate_resample *resample,
                          uint64_t record) {
    if (!(*events > 0.0))
        return false;
    double part = gate_resample_events(resample, record, *events) / *events;
    double drawn = (double)*value * part;
    if (!(part > 0.0) || !(fabs(drawn) < 9.2e18))
        return false;
    *value = (int64_t)floor(drawn + 0.5);
    *events *= part;
    *weight_sq *= part;
    return true;
}

/* ---- joining --------------------------------------------------------------------------------------------------------
 *
 * Hash the location bytes, compare, sum. The table, the entries and the stacks are accessed in random order and
 * exceed any cache. Records are therefore joined in batches, which prefetch for each other. */

/* A slot of the hash table. It keeps half of the hash: a probe rarely compares stacks, and growing needs no hashing. */
struct slot {
    uint32_t tag;
    uint32_t entry; /* index + 1, 0: free */
};

/* A record that is not joined yet. */
struct pending {
    struct gate_stack_ref ref;
    uint32_t tag;
    int64_t value;
    double weight_sq;
};

enum { PENDING_MOST = 32 };

struct joiner {
    struct gate_stacks *out; /* its lists are separate arena blocks, which grow without copying */
    struct gate_arena *arena;
    size_t capacity;
    uint32_t times_most; /* largest `times` of a small stack; 0: no unit chosen yet */
    bool is_wide;        /* some stack has no compact form: all use `items` */
    bool is_packed;      /* all equal stacks have the same address, and are stored with their length before */
    struct slot *slots;
    size_t slot_count, slotted;
    uint64_t secret;
    const struct gate_mix *mix;           /* or NULL */
    const struct gate_resample *resample; /* or NULL */
    struct gate_str type;                 /* type of the values, for errors */
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

/* Make room for one more entry. */
static bool joiner_reserve_entry(struct joiner *joiner, struct gate_error *err) {
    struct gate_stacks *out = joiner->out;
    if (out->count >= GATE_NO_INDEX - 1)
        return gate_error_set(err, GATE_ERR_LIMIT, "more than %u distinct stacks", GATE_NO_INDEX - 1);
    return (joiner->is_wide ? GATE_REGROW(joiner->arena, out->items, out->count, joiner->capacity)
                            : GATE_REGROW(joiner->arena, out->small, out->count, joiner->capacity)) ||
           gate_arena_error(joiner->arena, err);
}

/* Convert all entries from the compact to the full form. */
static bool joiner_go_wide(struct joiner *joiner, struct gate_error *err) {
    struct gate_stacks *out = joiner->out;
    struct gate_small_stack *small = out->small;
    size_t capacity = joiner->capacity < 8 ? 8 : joiner->capacity;
    struct gate_stack *items = gate_arena_resize(joiner->arena, NULL, 0, capacity * sizeof *items);
    if (items == NULL)
        return gate_arena_error(joiner->arena, err);
    for (uint32_t i = 0; i < out->count; i++)
        items[i] = gate_stacks_at(out, i);
    (void)gate_arena_resize(joiner->arena, small, joiner->capacity * sizeof *small, 0);
    out->small = NULL;
    out->items = items;
    joiner->capacity = capacity;
    joiner->is_wide = true;
    return true;
}

/* Choose the units from the first record with a value: the value of one event if that is a whole number, else the
 * record's value. Multiples of the weight are exact as long as they fit into the 53 bits of a double. */
static void joiner_choose_unit(struct joiner *joiner, int64_t value, double events, double weight_sq) {
    double whole = (double)value / events;
    bool is_whole = events >= 1.0 && whole >= 1.0 && whole < 0x1p53 && whole == floor(whole) && events < 0x1p53;
    int bits = 0, ignored = 0;
    joiner->out->unit = is_whole ? (int64_t)whole : value;
    joiner->out->unit_sq = is_whole ? weight_sq / events : weight_sq;
    uint64_t digits = (uint64_t)ldexp(frexp(joiner->out->unit_sq, &ignored), 53);
    for (digits >>= digits == 0 ? 0 : __builtin_ctzll(digits); digits != 0; digits >>= 1)
        bits++;
    joiner->times_most = bits <= 53 - 32 ? UINT32_MAX : (UINT32_C(1) << (53 - bits)) - 1;
    joiner->times_most += joiner->times_most == 0;
}

/* Compute how many units a record has. Returns false if that is not a whole number or too large. */
static bool times_of(uint32_t *times, const struct joiner *joiner, int64_t value, double weight_sq) {
    const struct gate_stacks *out = joiner->out;
    int64_t many = value == 0 ? 0 : value == out->unit ? 1 : value / out->unit;
    *times = (uint32_t)many;
    return many >= 0 && many <= joiner->times_most && many * out->unit == value &&
           (double)many * out->unit_sq == weight_sq;
}

static bool is_small_place(const struct joiner *joiner, struct gate_stack_ref ref) {
    uintptr_t from = (uintptr_t)joiner->out->bytes, at = (uintptr_t)ref.ids;
    return at >= from && at - from <= joiner->out->bytes_len && (uint64_t)(at - from) >> 40 == 0 && ref.len >> 24 == 0;
}

/* Append an entry with value 0. If `is_borrowed`, copy the stack. */
static bool entry_add(struct joiner *joiner, struct gate_stack_ref ref, bool is_borrowed, struct gate_error *err) {
    struct gate_stacks *out = joiner->out;
    if (!joiner_reserve_entry(joiner, err))
        return false;
    if (!joiner->is_wide && (is_borrowed || !is_small_place(joiner, ref)) && !joiner_go_wide(joiner, err))
        return false;
    if (!joiner->is_wide) {
        uint64_t place = (uint64_t)(ref.ids - out->bytes);
        out->small[out->count++] =
            (struct gate_small_stack){(uint32_t)place, ref.len << 8 | (uint32_t)(place >> 32), 0};
        return true;
    }
    if (is_borrowed) {
        struct gate_str copy = gate_str_copy(joiner->arena, (struct gate_str){(const char *)ref.ids, ref.len});
        if (copy.ptr == NULL)
            return gate_arena_error(joiner->arena, err);
        ref.ids = (const uint8_t *)copy.ptr;
    }
    out->items[out->count++] = (struct gate_stack){.ref = ref};
    return true;
}

/* Find the entry of a stack in the hash table, or append a new one. */
static bool joiner_find(uint32_t *entry, struct joiner *joiner, const struct pending *record, bool is_borrowed,
                        struct gate_error *err) {
    if (joiner->slotted * 4 >= joiner->slot_count * 3 && !joiner_widen(joiner, err))
        return false;
    GATE_ASSERT(joiner->slots != NULL);
    struct gate_stack_ref ref = record->ref;
    size_t mask = joiner->slot_count - 1;
    size_t at = record->tag & mask;
    for (; joiner->slots[at].entry != 0; at = (at + 1) & mask) {
        if (joiner->slots[at].tag != record->tag)
            continue;
        *entry = joiner->slots[at].entry - 1;
        struct gate_stack_ref known = gate_stacks_ref_at(joiner->out, *entry);
        if (known.len == ref.len && (known.ids == ref.ids || ref.len == 0 || memcmp(known.ids, ref.ids, ref.len) == 0))
            return true;
    }
    if (!entry_add(joiner, ref, is_borrowed, err))
        return false;
    *entry = joiner->out->count - 1;
    joiner->slots[at] = (struct slot){record->tag, joiner->out->count};
    joiner->slotted++;
    return true;
}

static bool overflow(const struct joiner *joiner, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_OVERFLOW,
                          "the values of sample type '%.*s' add up to more than 64 bits can hold",
                          GATE_STR_ARG(joiner->type));
}

static bool entry_count(struct joiner *joiner, uint32_t entry, const struct pending *record, struct gate_error *err) {
    uint32_t times = 0;
    if (!joiner->is_wide) {
        uint32_t *sum = &joiner->out->small[entry].times;
        if (times_of(&times, joiner, record->value, record->weight_sq) && times <= joiner->times_most - *sum) {
            *sum += times;
            return true;
        }
        if (!joiner_go_wide(joiner, err))
            return false;
    }
    struct gate_stack *stack = &joiner->out->items[entry];
    stack->weight_sq += record->weight_sq;
    return !__builtin_add_overflow(stack->value, record->value, &stack->value) || overflow(joiner, err);
}

/* Guess the entry of a record for prefetching, without reading the entry. Returns GATE_NO_INDEX if there is no
 * guess. It may be wrong, because the table may change. */
static uint32_t joiner_guess(const struct joiner *joiner, const struct pending *record) {
    if (joiner->slots == NULL)
        return GATE_NO_INDEX;
    const struct slot *slot = &joiner->slots[record->tag & (joiner->slot_count - 1)];
    return slot->entry != 0 && slot->tag == record->tag ? slot->entry - 1 : GATE_NO_INDEX;
}

static void entry_prefetch(const struct joiner *joiner, uint32_t entry) {
    const struct gate_stacks *out = joiner->out;
    __builtin_prefetch(joiner->is_wide ? (const void *)&out->items[entry] : (const void *)&out->small[entry], 1);
}

/* Join the pending records in order. If `is_borrowed`, the stack of the last one is in the cursor's buffer. */
static bool joiner_flush(struct joiner *joiner, bool is_borrowed, struct gate_error *err) {
    const uint32_t count = joiner->pending_count;
    uint32_t guesses[PENDING_MOST];
    for (uint32_t i = 0; i < count; i++) {
        guesses[i] = joiner_guess(joiner, &joiner->pending[i]);
        if (guesses[i] != GATE_NO_INDEX)
            entry_prefetch(joiner, guesses[i]);
    }
    for (uint32_t i = 0; i < count && !joiner->is_packed; i++)
        if (guesses[i] != GATE_NO_INDEX)
            __builtin_prefetch(gate_stacks_ref_at(joiner->out, guesses[i]).ids);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t entry = 0;
        if (!joiner_find(&entry, joiner, &joiner->pending[i], is_borrowed && i + 1 == count, err) ||
            !entry_count(joiner, entry, &joiner->pending[i], err))
            return false;
    }
    joiner->pending_count = 0;
    return true;
}

static bool joiner_push(struct joiner *joiner, const struct gate_sample_cursor *cursor, struct gate_stack_ref ref,
                        int64_t value, double weight_sq, struct gate_error *err) {
    struct pending *record = &joiner->pending[joiner->pending_count++];
    *record = (struct pending){.ref = ref, .value = value, .weight_sq = weight_sq};
    bool is_borrowed = gate_stack_is_borrowed(cursor, ref);
    record->tag = (uint32_t)(joiner->is_packed ? gate_hash_number((uintptr_t)ref.ids, joiner->secret)
                                               : gate_hash_bytes(ref.ids, ref.len, joiner->secret));
    if (joiner->slots != NULL)
        __builtin_prefetch(&joiner->slots[record->tag & (joiner->slot_count - 1)], 1);
    return (!is_borrowed && joiner->pending_count < PENDING_MOST) || joiner_flush(joiner, is_borrowed, err);
}

/* Return a number in [0, 1) that depends only on the record's number: the same in every run, and not correlated with
 * patterns of records. */
static double mix_dither(uint64_t record) {
    return (double)(gate_hash_mix(record + 1) >> 11) * 0x1p-53;
}

/* Return the weighted value. The fraction is rounded up or down at random in proportion, which is unbiased for every
 * frame. The rounding adds variance to `weight_sq`. */
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
    /* Count events before joining: where sizes differ, the events of a sum are not the sum of the events. */
    gate_counts_of(model, sample->values, &events, &weight_sq);
    if (joiner->resample != NULL && !gate_resample_record(&value, &events, &weight_sq, joiner->resample, record))
        return true;
    if (joiner->mix != NULL) {
        double factor = 1.0;
        bool is_mixed = mix_find(&factor, joiner->mix, cursor, sample);
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
    if (joiner->times_most == 0 && value > 0)
        joiner_choose_unit(joiner, value, events, weight_sq);
    return joiner_push(joiner, cursor, sample->stack, value, weight_sq, err);
}

/* Return unused capacity to the arena. */
static void joiner_fit(struct joiner *joiner) {
    struct gate_stacks *out = joiner->out;
    size_t item_size = joiner->is_wide ? sizeof *out->items : sizeof *out->small;
    void *list = joiner->is_wide ? (void *)out->items : out->small;
    void *fitted = gate_arena_resize(joiner->arena, list, joiner->capacity * item_size, out->count * item_size);
    list = fitted == NULL && out->count != 0 ? list : fitted;
    out->items = joiner->is_wide ? list : NULL;
    out->small = joiner->is_wide ? NULL : list;
}

/* Write the packed form of the stacks. */
static void stacks_write(struct gate_buf *out, const struct gate_stacks *stacks) {
    for (uint32_t i = 0; i < stacks->count; i++) {
        struct gate_stack stack = gate_stacks_at(stacks, i);
        const uint8_t *at = stack.ref.ids - 1; /* its length has one byte per 7 bits */
        for (uint32_t len = stack.ref.len >> 7; len != 0; len >>= 7)
            at--;
        gate_wire_put_varint(out, (uint64_t)(at - stacks->bytes));
        gate_wire_put_varint(out, stacks->small != NULL ? stacks->small[i].times : (uint64_t)stack.value);
        if (stacks->small == NULL)
            gate_buf_str(out, (struct gate_str){(const char *)&stack.weight_sq, sizeof stack.weight_sq});
    }
}

/* Replace the lists by their packed form. */
static bool joiner_pack(struct joiner *joiner, struct gate_error *err) {
    struct gate_stacks *out = joiner->out;
    struct gate_buf written = {.pool = joiner->arena->pool};
    size_t item_size = joiner->is_wide ? sizeof *out->items : sizeof *out->small;
    stacks_write(&written, out);
    bool ok = gate_buf_check(&written, err);
    uint8_t *packed = ok ? gate_arena_alloc(joiner->arena, written.len + 1) : NULL;
    if (packed != NULL) {
        if (written.len != 0)
            memcpy(packed, written.ptr, written.len);
        (void)gate_arena_resize(joiner->arena, joiner->is_wide ? (void *)out->items : out->small,
                                out->count * item_size, 0);
        out->items = NULL;
        out->small = NULL;
        out->packed = packed;
        out->packed_len = written.len;
        out->packed_is_wide = joiner->is_wide;
    }
    gate_buf_free(&written);
    return packed != NULL || (ok && gate_arena_error(joiner->arena, err));
}

/* Return whether a stack has one of these locations. O(depth). */
static bool stack_waits(const bool *waits, const struct gate_profile *profile, struct gate_stack_ref stack) {
    uint32_t at = 0;
    uint64_t id = 0;
    while (gate_stack_next(stack, &at, &id)) {
        uint32_t index = gate_id_index_find(&profile->location_index, id);
        if (index != GATE_NO_INDEX && waits[index])
            return true;
    }
    return false;
}

bool gate_stacks_collect(struct gate_stacks *out, const struct gate_profile *profile,
                         const struct gate_counts_model *model, const struct gate_label_filter *where,
                         const struct gate_mix *mix, const struct gate_resample *resample, struct gate_arena *arena,
                         struct gate_error *err) {
    struct gate_stacks collected = {
        .bytes = (const uint8_t *)profile->bytes.ptr, .bytes_len = profile->bytes.len, .unit = 1};
    struct joiner joiner = {
        .out = &collected, .is_packed = profile->packed.at != NULL, .arena = arena, .mix = mix, .resample = resample};
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    bool ok = true;
    GATE_ASSERT(model->value_column < profile->sample_type_count);
    bool is_all = where == NULL || where->count == 0;
    joiner.secret = gate_hash_secret();
    joiner.type = profile->sample_types[model->value_column].type;
    gate_sample_begin(&cursor, profile);
    for (uint64_t record = 0; ok && gate_sample_next(&cursor, &sample, err); record++)
        if ((is_all || gate_where_passes(where, &cursor, &sample)) &&
            (model->waits == NULL || !stack_waits(model->waits, profile, sample.stack)))
            ok = record_add(&joiner, model, &cursor, &sample, record, err);
    gate_sample_end(&cursor);
    ok = ok && err->code == GATE_OK && joiner_flush(&joiner, false, err);
    joiner_drop_slots(&joiner);
    if (!ok)
        return false;
    joiner_fit(&joiner);
    if (joiner.is_packed && !joiner_pack(&joiner, err))
        return false;
    *out = collected;
    return true;
}

/* ---- sums of runs ------------------------------------------------------------------------------------------------ */

bool gate_stacks_sum_add(struct gate_stacks_sum *sum, const struct gate_stacks *from, int64_t ratio) {
    struct gate_stacks *out = &sum->stacks;
    struct gate_stacks_walk walk = gate_stacks_begin(from);
    struct gate_stack stack;
    if (sum->numbers == NULL) {
        sum->numbers = GATE_NEW_ARRAY(sum->scratch, uint32_t, from->bytes_len / 2 + 1);
        *out = (struct gate_stacks){.bytes = from->bytes, .bytes_len = from->bytes_len, .unit = 1};
    }
    if (sum->numbers == NULL)
        return false;
    GATE_ASSERT(from->packed != NULL && from->bytes == out->bytes);
    while (gate_stacks_next(&stack, &walk)) {
        /* The ids of two stacks begin at least two bytes apart, because a length is between them. The empty stack is
         * the first, and has no ids. */
        uint32_t *number = &sum->numbers[(size_t)(stack.ref.ids - out->bytes) / 2];
        if (*number == 0) {
            if (!GATE_REGROW(sum->arena, out->items, out->count, sum->capacity))
                return false;
            out->items[out->count++] = (struct gate_stack){.ref = stack.ref};
            *number = out->count;
        }
        out->items[*number - 1].value += stack.value * ratio;
    }
    return true;
}
