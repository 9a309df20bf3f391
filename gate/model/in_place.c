/* SPDX-License-Identifier: Apache-2.0 */
/* Reduces memory: rewrites a profile's own bytes in place, so that a large file needs no second copy. See
 * docs/performance.md. */
#include "gate/model/in_place.h"

#include "gate/base/error.h"
#include "gate/base/hash.h"
#include "gate/base/heap.h"
#include "gate/model/location.h"
#include "gate/model/profile.h"
#include "gate/model/sample.h"
#include "gate/model/wire.h"

#include <stdint.h>

/* ---- gaps. The length is always written as a varint of 5 bytes, so that all heads have the same size ------------- */

enum { TAG_GAP = 0x7A };

void gate_byte_gap_make(uint8_t *from, uint8_t *end, uint8_t *unused) {
    size_t left = (size_t)(end - from);
    GATE_ASSERT(left >= GATE_BYTE_GAP_LEAST && unused >= from + GATE_BYTE_GAP_LEAST && unused <= end);
    left -= GATE_BYTE_GAP_LEAST;
    GATE_ASSERT((uint64_t)left >> 35 == 0);
    *from++ = TAG_GAP;
    for (int i = 0; i < GATE_BYTE_GAP_LEAST - 2; i++, left >>= 7)
        *from++ = (uint8_t)(0x80 | (left & 0x7F));
    *from = (uint8_t)left;
    gate_heap_forget(unused, (size_t)(end - unused));
}

/* ---- release of a profile's bytes -------------------------------------------------------------------------------- */

/* Return true if the string is in the profile's bytes. Repaired strings are elsewhere. */
static bool is_among(const struct gate_own_bytes *own, struct gate_str text) {
    uintptr_t at = (uintptr_t)text.ptr, first = (uintptr_t)own->bytes;
    return at >= first && at - first <= own->len;
}

bool gate_own_bytes_note(struct gate_profile *profile, uint8_t *own, struct gate_arena *arena) {
    struct gate_own_bytes *noted = GATE_NEW_ARRAY(arena, struct gate_own_bytes, 1);
    if (noted == NULL)
        return false;
    *noted = (struct gate_own_bytes){.bytes = own, .len = profile->bytes.len, .strings_from = profile->bytes.len};
    for (uint32_t i = 0; i < profile->string_count; i++) {
        const struct gate_str text = profile->strings[i];
        if (!is_among(noted, text))
            continue;
        size_t from = (size_t)((const uint8_t *)text.ptr - own);
        noted->strings_from = from < noted->strings_from ? from : noted->strings_from;
        noted->strings_end = from + text.len > noted->strings_end ? from + text.len : noted->strings_end;
    }
    profile->own = noted;
    return true;
}

void gate_own_bytes_spend(const struct gate_profile *profile) {
    struct gate_own_bytes *own = profile->own;
    if (own == NULL || own->are_spent)
        return;
    own->are_spent = true;
    gate_heap_forget(own->bytes, own->strings_from);
    if (own->strings_end > own->strings_from)
        gate_heap_forget(own->bytes + own->strings_end, own->len - own->strings_end);
    if (profile->location_places != NULL)
        gate_heap_forget(profile->location_places, (size_t)profile->location_count * GATE_LOCATION_PLACE_BYTES);
}

/* ---- packing of locations -------------------------------------------------------------------------------------------
 *
 * A run of adjacent locations becomes one field that readers skip. It contains per location a head byte and the
 * numbers that the head lists or, for inlined calls, the unchanged message. Neither is longer than the original
 * field. */

void gate_location_packing_begin(struct gate_location_packing *packing, struct gate_profile *profile, uint8_t *own) {
    *packing = (struct gate_location_packing){.profile = own == NULL ? NULL : profile, .bytes = own};
}

static void region_end(struct gate_location_packing *packing) {
    if (packing->region != NULL)
        gate_byte_gap_make(packing->region, packing->region_end, packing->to);
    packing->region = NULL;
}

static bool region_goes_on(const struct gate_location_packing *packing, const uint8_t *from) {
    return packing->region != NULL && from == packing->region_end;
}

static void region_lengthen(struct gate_location_packing *packing, const uint8_t *end) {
    packing->region_end = packing->bytes + (end - packing->bytes);
}

/* Start a run at the first location that leaves room for the head of the gap. */
static bool region_begin(struct gate_location_packing *packing, const uint8_t *from, const uint8_t *end, size_t size) {
    region_end(packing);
    if ((size_t)(end - from) < GATE_BYTE_GAP_LEAST + size)
        return false;
    packing->region = packing->bytes + (from - packing->bytes);
    packing->to = packing->region + GATE_BYTE_GAP_LEAST;
    region_lengthen(packing, end);
    return true;
}

static void record_put(struct gate_location_packing *packing, uint32_t index, size_t size, uint32_t lines) {
    GATE_ASSERT(size <= (size_t)(packing->region_end - packing->to));
    gate_location_put(packing->profile, index, (uint64_t)(packing->to - packing->bytes), lines, true);
    packing->to += size;
}

bool gate_location_packing_add(struct gate_location_packing *packing, uint32_t index, const uint8_t *from,
                               struct gate_wire message, const struct gate_location_numbers *numbers) {
    uint8_t record[GATE_LOCATION_PACKED_MOST];
    if (packing->profile == NULL)
        return false;
    /* a packed location is not longer than its field, so what follows is not overwritten */
    if (region_goes_on(packing, from)) {
        region_lengthen(packing, message.end);
        size_t size = gate_location_pack(packing->to, index, numbers, message.at, gate_wire_left(&message));
        record_put(packing, index, size, numbers->lines);
        return true;
    }
    size_t size = gate_location_pack(record, index, numbers, message.at, gate_wire_left(&message));
    if (!region_begin(packing, from, message.end, size))
        return false;
    memcpy(packing->to, record, size);
    record_put(packing, index, size, numbers->lines);
    return true;
}

void gate_location_packing_drop(struct gate_location_packing *packing, const uint8_t *from, struct gate_wire message) {
    if (packing->profile == NULL)
        return;
    if (region_goes_on(packing, from))
        region_lengthen(packing, message.end);
    else
        (void)region_begin(packing, from, message.end, 0);
}

void gate_location_packing_end(struct gate_location_packing *packing) {
    region_end(packing);
}

/* ---- sharing of stacks ----------------------------------------------------------------------------------------------
 *
 * A sample with a known stack becomes a message that starts with a 0 byte, which is no valid tag. The offset and
 * length of the ids follow, then the other fields. The bytes left over of a run of samples become a field that
 * readers skip. Samples are handled in batches, as in model/stacks.c, to prefetch the table and the ids. */

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

/* Return the ids of the field at offset `place`. */
static struct gate_stack_ref stack_of(const struct gate_stack_sharing *sharing, uint32_t place) {
    const uint8_t *at = sharing->bytes + place + 1;
    uint32_t len = *at & 0x7F;
    for (unsigned shift = 7; *at++ >= 0x80; shift += 7)
        len |= (uint32_t)(*at & 0x7F) << shift;
    return (struct gate_stack_ref){at, len};
}

/* Return the slot of an equal stack, or the free slot for this one. */
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

/* Write a sample that refers to a known stack. It is shorter than the original, as the ids are long enough. */
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

/* Turn the bytes between the output and the end of the run into a gap. */
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
        is_listed = sharing->is_complete = false; /* without memory for the table, samples stay unchanged */
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

/* Return true if the message starts with all of the ids, in one field whose length is a minimal varint. */
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
