/* SPDX-License-Identifier: Apache-2.0 */
/* Locations packed in place (see location_packing.h). Locations that stand one behind the other become one field that
 * readers skip, in which each is a head and the numbers that it names; or, where it has inlined calls, its message as
 * it was. Neither is longer than the field that it stands for. */
#include "gate/profile/location_packing.h"

#include "gate/profile/byte_gap.h"

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

/* A region begins with the first location that has room for its head too. */
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
    if (region_goes_on(packing, from)) { /* no longer than its field, so that there is room in front of what follows */
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
