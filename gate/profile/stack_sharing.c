/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of a stack once (see stack_sharing.h). A sample whose stack was there before becomes a message that begins with a
 * tag of 0, which no checked message does, and with the place and the length of the ids; its other fields follow. What
 * is left of a run of samples then is a field that readers skip. Like joining (profile/stacks.c) it is done a batch at
 * a time, as the table and the stacks that are compared are in no cache. */
#include "gate/profile/stack_sharing.h"

#include "gate/base/hash.h"
#include "gate/profile/byte_gap.h"
#include "gate/profile/wire.h"

enum { TAG_SAMPLE = 0x12, TAG_IDS = 0x0A, SLOTS_FIRST = 1024 };

void gate_stack_sharing_begin(struct gate_stack_sharing *sharing, struct gate_profile *profile, uint8_t *own,
                              struct gate_arena *arena) {
    bool is_wanted = own != NULL && profile->bytes.len <= UINT32_MAX;
    *sharing = (struct gate_stack_sharing){.profile = is_wanted ? profile : NULL, .bytes = own, .arena = arena};
    sharing->is_complete = is_wanted;
    sharing->to = sharing->run_end = own;
    sharing->secret = is_wanted ? gate_hash_secret() : 0;
}

static size_t slots_size(const struct gate_stack_sharing *sharing) {
    return sharing->slot_count * sizeof *sharing->slots;
}

static bool slots_widen(struct gate_stack_sharing *sharing) {
    size_t wanted = sharing->slot_count == 0 ? SLOTS_FIRST : sharing->slot_count * 2, mask = wanted - 1;
    struct gate_stack_sharing_slot *slots = gate_arena_resize(sharing->arena, NULL, 0, wanted * sizeof *slots);
    if (slots == NULL)
        return false;
    memset(slots, 0, wanted * sizeof *slots);
    for (size_t i = 0; i < sharing->slot_count; i++) {
        size_t at = sharing->slots[i].tag & mask;
        if (sharing->slots[i].place == 0)
            continue;
        while (slots[at].place != 0)
            at = (at + 1) & mask;
        slots[at] = sharing->slots[i];
    }
    (void)gate_arena_resize(sharing->arena, sharing->slots, slots_size(sharing), 0);
    sharing->slots = slots;
    sharing->slot_count = wanted;
    return true;
}

/* The ids whose field stands at `place`. */
static struct gate_stack_ref stack_of(const struct gate_stack_sharing *sharing, uint32_t place) {
    const uint8_t *at = sharing->bytes + place + 1;
    uint32_t len = *at & 0x7F;
    for (unsigned shift = 7; *at++ >= 0x80; shift += 7)
        len |= (uint32_t)(*at & 0x7F) << shift;
    return (struct gate_stack_ref){at, len};
}

/* Where an equal stack stands, or where this one is to be noted. */
static struct gate_stack_sharing_slot *slot_find(const struct gate_stack_sharing *sharing,
                                                 const struct gate_stack_sharing_sample *sample) {
    size_t mask = sharing->slot_count - 1, at = sample->tag & mask;
    for (; sharing->slots[at].place != 0; at = (at + 1) & mask) {
        if (sharing->slots[at].tag != sample->tag)
            continue;
        struct gate_stack_ref known = stack_of(sharing, sharing->slots[at].place);
        if (known.len == sample->stack.len && memcmp(known.ids, sample->stack.ids, known.len) == 0)
            break;
    }
    return &sharing->slots[at];
}

static uint8_t *varint_write(uint8_t *to, size_t value) {
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(0x80 | (value & 0x7F));
    *to++ = (uint8_t)value;
    return to;
}

/* Shorter than what it stands for, whose ids are long enough for that. */
static void sample_refer(struct gate_stack_sharing *sharing, const struct gate_stack_sharing_sample *sample,
                         struct gate_stack_ref known) {
    const uint8_t *rest = sample->stack.ids + sample->stack.len;
    size_t rest_len = (size_t)(sample->end - rest);
    uint32_t place = (uint32_t)(known.ids - sharing->bytes);
    uint8_t *to = sharing->to;
    *to++ = TAG_SAMPLE;
    to = varint_write(to, GATE_SAMPLE_REFERENCE_BYTES + rest_len);
    *to++ = 0;
    memcpy(to, &place, sizeof place);
    memcpy(to + sizeof place, &known.len, sizeof known.len);
    to += GATE_SAMPLE_REFERENCE_BYTES - 1;
    memmove(to, rest, rest_len);
    sharing->to = to + rest_len;
}

static void sample_move(struct gate_stack_sharing *sharing, const struct gate_stack_sharing_sample *sample) {
    size_t len = (size_t)(sample->end - sample->from);
    if (sharing->to != sample->from)
        memmove(sharing->to, sample->from, len);
    sharing->to += len;
}

/* What is left over between what is written and the end of the run. */
static void run_end(struct gate_stack_sharing *sharing) {
    if (sharing->run_end != sharing->to)
        gate_byte_gap_make(sharing->to, sharing->run_end, sharing->to + GATE_BYTE_GAP_LEAST);
}

static void sample_write(struct gate_stack_sharing *sharing, const struct gate_stack_sharing_sample *sample) {
    if (sample->from != sharing->run_end) {
        run_end(sharing);
        sharing->to = sample->from;
    }
    sharing->run_end = sample->end;
    bool is_listed = sample->is_listed;
    if (is_listed && sharing->count * 4 >= sharing->slot_count * 3 && !slots_widen(sharing))
        is_listed = sharing->is_complete = false; /* without memory for it they stay as they are */
    struct gate_stack_sharing_slot *slot = is_listed ? slot_find(sharing, sample) : NULL;
    if (slot != NULL && slot->place != 0) {
        sample_refer(sharing, sample, stack_of(sharing, slot->place));
        return;
    }
    uint32_t place = (uint32_t)(sharing->to - sharing->bytes) + sample->head;
    sample_move(sharing, sample);
    if (slot == NULL)
        return;
    *slot = (struct gate_stack_sharing_slot){sample->tag, place};
    sharing->count++;
}

static void waiting_write(struct gate_stack_sharing *sharing) {
    const uint32_t count = sharing->waiting_count;
    for (uint32_t i = 0; i < count && sharing->slot_count != 0; i++) {
        const struct gate_stack_sharing_slot *slot =
            &sharing->slots[sharing->waiting[i].tag & (sharing->slot_count - 1)];
        if (slot->tag == sharing->waiting[i].tag)
            __builtin_prefetch(sharing->bytes + slot->place);
    }
    for (uint32_t i = 0; i < count; i++)
        sample_write(sharing, &sharing->waiting[i]);
    sharing->waiting_count = 0;
}

/* Whether the message begins with all of the ids, in a field whose length is written as short as it can be. */
static bool is_plain(const struct gate_sample_cursor *cursor, struct gate_stack_ref stack) {
    const uint8_t *message = (const uint8_t *)cursor->message.ptr;
    uint8_t head[8] = {TAG_IDS};
    size_t len = (size_t)(varint_write(head + 1, stack.len) - head);
    return !gate_stack_is_borrowed(cursor, stack) && stack.ids == message + len && memcmp(message, head, len) == 0;
}

void gate_stack_sharing_add(struct gate_stack_sharing *sharing, const struct gate_sample_cursor *cursor,
                            const struct gate_sample *sample) {
    if (sharing->profile == NULL)
        return;
    struct gate_stack_ref stack = sample->stack;
    bool is_long = stack.len >= GATE_STACK_SHARING_LEAST_BYTES, is_listed = is_long && is_plain(cursor, stack);
    uint8_t *from = sharing->bytes + cursor->from;
    sharing->is_complete = sharing->is_complete && is_listed == is_long;
    sharing->waiting[sharing->waiting_count++] = (struct gate_stack_sharing_sample){
        .from = from,
        .end = sharing->bytes + cursor->at,
        .stack = stack,
        .head = (uint32_t)((const uint8_t *)cursor->message.ptr - from),
        .tag = is_listed ? (uint32_t)gate_hash_bytes(stack.ids, stack.len, sharing->secret) : 0,
        .is_listed = is_listed,
    };
    if (is_listed && sharing->slot_count != 0)
        __builtin_prefetch(
            &sharing->slots[sharing->waiting[sharing->waiting_count - 1].tag & (sharing->slot_count - 1)], 1);
    if (sharing->waiting_count == GATE_STACK_SHARING_BATCH)
        waiting_write(sharing);
}

void gate_stack_sharing_end(struct gate_stack_sharing *sharing) {
    if (sharing->profile == NULL)
        return;
    waiting_write(sharing);
    run_end(sharing);
    (void)gate_arena_resize(sharing->arena, sharing->slots, slots_size(sharing), 0);
    sharing->profile->has_shared_stacks = true;
    sharing->profile->has_unique_stacks = sharing->is_complete;
}
