/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that are given back (see own_bytes.h). */
#include "gate/profile/own_bytes.h"

#include "gate/base/heap.h"
#include "gate/profile/location.h"

/* Some strings are elsewhere, since they had to be repaired. */
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
