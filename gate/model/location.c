/* SPDX-License-Identifier: Apache-2.0 */
/* Locations of a profile: addresses, inlined lines, and names that are addresses. */
#include "gate/model/location.h"

#include "gate/base/heap.h"
#include "gate/base/str.h"
#include "gate/model/profile.h"
#include "gate/model/wire.h"

/* ---- reading in place. The decoder checked every field, so nothing is malformed here and all functions exist ----- */

/* A place has an offset, the number of lines, and the flags PACKED and HELD (an index of the table instead). */
enum { PLACE_BITS = 34, LINES_BITS = 4, LINES_MOST = (1 << LINES_BITS) - 1, BYTES_MOST = 96 };

#define PLACE_END (UINT64_C(1) << PLACE_BITS)

#define PACKED (UINT64_C(1) << (PLACE_BITS + LINES_BITS))

#define HELD (PACKED << 1)

/* Head of a packed location: the numbers that follow, in this order. RAW: a length byte and the message follow. */
enum {
    HEAD_ID = 1, /* if not set, the id is index + 1 */
    HEAD_MAPPING = 2,
    HEAD_FIRST_MAPPING = 4, /* the mapping's id is 1 */
    HEAD_ADDRESS = 8,
    HEAD_FUNCTION = 16,
    HEAD_LINE = 32,
    HEAD_COLUMN = 64,
    HEAD_RAW = 128
};

static void place_put(struct gate_profile *profile, uint32_t index, uint64_t place) {
    uint8_t *at = profile->location_places + (size_t)index * GATE_LOCATION_PLACE_BYTES;
    for (int i = 0; i < GATE_LOCATION_PLACE_BYTES; i++, place >>= 8)
        at[i] = (uint8_t)place;
}

static uint64_t place_of(const struct gate_profile *profile, uint32_t index) {
    const uint8_t *at = profile->location_places + (size_t)index * GATE_LOCATION_PLACE_BYTES;
    return at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 | (uint64_t)at[4] << 32;
}

bool gate_location_is_short(const struct gate_profile *profile, uint32_t lines, size_t len) {
    return lines <= LINES_MOST && len <= BYTES_MOST && (uint64_t)profile->bytes.len <= PLACE_END;
}

void gate_location_put(struct gate_profile *profile, uint32_t index, uint64_t place, uint32_t lines, bool is_packed) {
    place_put(profile, index, place | (uint64_t)lines << PLACE_BITS | (is_packed ? PACKED : 0));
}

void gate_location_put_held(struct gate_profile *profile, uint32_t index, uint32_t held) {
    place_put(profile, index, HELD | held);
}

/* ---- packed locations -------------------------------------------------------------------------------------------- */

static uint8_t *number_pack(uint8_t *to, uint8_t *head, uint8_t flag, uint64_t value) {
    *head |= flag;
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(0x80 | (value & 0x7F));
    *to++ = (uint8_t)value;
    return to;
}

/* Pack the short location `index` into `to`, in fewer bytes than its field had. Returns the number of bytes. */
static size_t location_pack(uint8_t *to, uint32_t index, const struct gate_location_numbers *numbers,
                            const uint8_t *message, size_t len) {
    uint8_t *head = to++;
    *head = 0;
    if (numbers->lines > 1) {
        *head = HEAD_RAW;
        *to++ = (uint8_t)len;
        memmove(to, message, len);
        return (size_t)(to + len - head);
    }
    if (numbers->id != (uint64_t)index + 1)
        to = number_pack(to, head, HEAD_ID, numbers->id);
    if (numbers->mapping == 1)
        *head |= HEAD_FIRST_MAPPING;
    else if (numbers->mapping != 0)
        to = number_pack(to, head, HEAD_MAPPING, numbers->mapping);
    if (numbers->address != 0)
        to = number_pack(to, head, HEAD_ADDRESS, numbers->address);
    if (numbers->lines != 0)
        to = number_pack(to, head, HEAD_FUNCTION, numbers->function);
    if (numbers->lines != 0 && numbers->line != 0)
        to = number_pack(to, head, HEAD_LINE, numbers->line);
    if (numbers->lines != 0 && numbers->column != 0)
        to = number_pack(to, head, HEAD_COLUMN, numbers->column);
    return (size_t)(to - head);
}

static uint64_t number_unpack(struct gate_wire *wire, uint8_t head, uint8_t flag) {
    uint64_t value = 0;
    if (head & flag)
        (void)!gate_wire_varint(wire, &value);
    return value;
}

static struct gate_location location_unpack(const struct gate_profile *profile, uint32_t index, struct gate_wire wire) {
    uint8_t head = *wire.at++;
    if (head & HEAD_RAW)
        return gate_location_read(profile, wire.at + 1, wire.at + 1 + *wire.at);
    uint64_t id = number_unpack(&wire, head, HEAD_ID), mapping = number_unpack(&wire, head, HEAD_MAPPING);
    struct gate_location location = {.id = head & HEAD_ID ? id : (uint64_t)index + 1, .lines_in = GATE_LINES_HERE};
    mapping = head & HEAD_FIRST_MAPPING ? 1 : mapping;
    location.mapping = gate_id_index_find(&profile->mapping_index, mapping);
    location.address = number_unpack(&wire, head, HEAD_ADDRESS);
    if (!(head & HEAD_FUNCTION))
        return location;
    location.line_count = 1;
    location.line.function = gate_id_index_find(&profile->function_index, number_unpack(&wire, head, HEAD_FUNCTION));
    location.line.line = (int64_t)number_unpack(&wire, head, HEAD_LINE);
    location.line.column = gate_column_of((int64_t)number_unpack(&wire, head, HEAD_COLUMN));
    return location;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* Read the next field. Fast path for one-byte tags and the types varint and bytes. */
static inline bool field_next(struct gate_wire *wire, struct gate_wire_field *field) {
    uint8_t tag = wire->at < wire->end ? *wire->at : 0x80;
    uint32_t type = tag & 7;
    if (tag >= 0x80 || (type != GATE_WIRE_VARINT && type != GATE_WIRE_BYTES))
        return wire->at < wire->end && gate_wire_next(wire, field);
    struct gate_wire left = {wire->at + 1, wire->end};
    if (!gate_wire_varint(&left, &field->value))
        return false;
    field->number = tag >> 3;
    field->bytes = (struct gate_wire){left.at, left.at};
    if (type == GATE_WIRE_BYTES)
        field->bytes.end = left.at += field->value;
    wire->at = left.at;
    return true;
}

struct gate_location gate_location_read(const struct gate_profile *profile, const uint8_t *at, const uint8_t *end) {
    struct gate_location location = {.lines_in = GATE_LINES_MESSAGE, .lines = at, .lines_end = end};
    struct gate_wire wire = {at, end};
    struct gate_wire_field field;
    uint64_t mapping = 0;
    for (const uint8_t *from = at; field_next(&wire, &field); from = wire.at) {
        if (field.number == GATE_LOCATION_ID)
            location.id = field.value;
        else if (field.number == GATE_LOCATION_MAPPING)
            mapping = field.value;
        else if (field.number == GATE_LOCATION_ADDRESS)
            location.address = field.value;
        else if (field.number == GATE_LOCATION_LINE && location.line_count++ == 0)
            location.lines = from;
    }
    /* A missing mapping is treated as none, like google/pprof: some writers leave out the table. */
    location.mapping = gate_id_index_find(&profile->mapping_index, mapping);
    return location;
}

static struct gate_line line_of(const struct gate_profile *profile, struct gate_wire bytes) {
    struct gate_wire_field field;
    uint64_t id = 0, line = 0, column = 0;
    while (field_next(&bytes, &field)) {
        if (field.number == GATE_LINE_FUNCTION)
            id = field.value;
        else if (field.number == GATE_LINE_NUMBER)
            line = field.value;
        else if (field.number == GATE_LINE_COLUMN)
            column = field.value;
    }
    return (struct gate_line){gate_id_index_find(&profile->function_index, id), gate_column_of((int64_t)column),
                              (int64_t)line};
}

/* Return the location from the table, or NULL and set `place`. */
static const struct gate_location *held_at(const struct gate_profile *profile, uint32_t index, uint64_t *place) {
    if (profile->location_places == NULL)
        return &profile->locations[index];
    *place = place_of(profile, index);
    return *place & HELD ? &profile->locations[*place & ~HELD] : NULL;
}

struct gate_location gate_location_at(const struct gate_profile *profile, uint32_t index) {
    GATE_ASSERT(!gate_profile_is_spent(profile));
    uint64_t place = 0;
    const struct gate_location *held = held_at(profile, index, &place);
    if (held != NULL)
        return *held;
    struct gate_wire wire = gate_wire_of(profile->bytes);
    wire.at += place & (PLACE_END - 1);
    if (place & PACKED)
        return location_unpack(profile, index, wire);
    uint64_t len = 0;
    bool ok = gate_wire_varint(&wire, &len);
    GATE_ASSERT(ok && len <= gate_wire_left(&wire));
    return gate_location_read(profile, wire.at, wire.at + len);
}

/* Read the number at `*at` if `head` lists it, else return 0. Bytes up to `limit` must be readable. */
static inline uint64_t number_next(const uint8_t **at, uint8_t head, uint8_t flag, const uint8_t *limit) {
    if (!(head & flag))
        return 0;
    struct gate_wire_number number = gate_wire_number_at(*at, limit, limit);
    if (number.at != NULL) {
        *at = number.at;
        return number.value;
    }
    struct gate_wire wire = {*at, limit};
    (void)!gate_wire_varint(&wire, &number.value);
    *at = wire.at;
    return number.value;
}

/* Unpack a location with one line; a faster location_unpack. */
static bool one_unpack(uint32_t *mapping, struct gate_line *line, const struct gate_profile *profile,
                       struct gate_wire wire) {
    const uint8_t *at = wire.at, *limit = wire.end;
    uint8_t head = *at++;
    if ((head & (HEAD_RAW | HEAD_FUNCTION)) != HEAD_FUNCTION)
        return false;
    (void)number_next(&at, head, HEAD_ID, limit);
    uint64_t mapping_id = number_next(&at, head, HEAD_MAPPING, limit);
    (void)number_next(&at, head, HEAD_ADDRESS, limit);
    *mapping = gate_id_index_find(&profile->mapping_index, head & HEAD_FIRST_MAPPING ? 1 : mapping_id);
    line->function = gate_id_index_find(&profile->function_index, number_next(&at, head, HEAD_FUNCTION, limit));
    line->line = (int64_t)number_next(&at, head, HEAD_LINE, limit);
    line->column = gate_column_of((int64_t)number_next(&at, head, HEAD_COLUMN, limit));
    return true;
}

bool gate_location_one(uint32_t *mapping, struct gate_line *line, const struct gate_profile *profile, uint32_t index) {
    uint64_t place = 0, len = 0, mapping_id = 0;
    if (held_at(profile, index, &place) != NULL || (place >> PLACE_BITS & LINES_MOST) != 1)
        return false;
    struct gate_wire wire = gate_wire_of(profile->bytes);
    struct gate_wire_field field;
    wire.at += place & (PLACE_END - 1);
    if (place & PACKED)
        return one_unpack(mapping, line, profile, wire);
    bool ok = gate_wire_varint(&wire, &len);
    GATE_ASSERT(ok && len <= gate_wire_left(&wire));
    wire.end = wire.at + len;
    while (field_next(&wire, &field)) {
        if (field.number == GATE_LOCATION_MAPPING)
            mapping_id = field.value;
        else if (field.number == GATE_LOCATION_LINE)
            *line = line_of(profile, field.bytes);
    }
    *mapping = gate_id_index_find(&profile->mapping_index, mapping_id);
    return true;
}

uint32_t gate_location_frames(const struct gate_profile *profile, uint32_t index) {
    uint64_t place = 0;
    const struct gate_location *held = held_at(profile, index, &place);
    uint32_t lines = held != NULL ? held->line_count : (uint32_t)(place >> PLACE_BITS) & LINES_MOST;
    return lines == 0 ? 1 : lines;
}

struct gate_line_walk gate_location_lines(const struct gate_profile *profile, const struct gate_location *location) {
    return (struct gate_line_walk){.profile = profile,
                                   .location = location,
                                   .at = location->lines,
                                   .next = location->line_first,
                                   .count = location->line_count};
}

bool gate_line_next(struct gate_line_walk *walk, struct gate_line *line) {
    if (walk->count == 0)
        return false;
    walk->count--;
    const struct gate_location *location = walk->location;
    if (location->lines_in != GATE_LINES_MESSAGE) {
        *line = location->lines_in == GATE_LINES_HERE ? location->line : walk->profile->lines[walk->next++];
        return true;
    }
    struct gate_wire wire = {walk->at, location->lines_end};
    struct gate_wire_field field = {0};
    while (field_next(&wire, &field) && field.number != GATE_LOCATION_LINE)
        continue;
    *line = line_of(walk->profile, field.bytes);
    walk->at = wire.at;
    return true;
}

struct gate_line gate_location_line(const struct gate_profile *profile, const struct gate_location *location,
                                    uint32_t index) {
    struct gate_line_walk walk = gate_location_lines(profile, location);
    struct gate_line line = {.function = GATE_NO_INDEX};
    GATE_ASSERT(index < location->line_count);
    if (location->lines_in == GATE_LINES_KEPT)
        return profile->lines[location->line_first + index];
    for (uint32_t i = 0; i <= index; i++)
        (void)gate_line_next(&walk, &line);
    return line;
}

uint32_t gate_location_leaf(const struct gate_profile *profile, const struct gate_location *location) {
    return location->line_count == 0 ? GATE_NO_INDEX : gate_location_line(profile, location, 0).function;
}

/* ---- names that are addresses ------------------------------------------------------------------------------------ */

/* Prefixes of addresses, and how many digits must follow. No identifier starts with "0x". The prefixes of
 * disassemblers are words that also occur in function names ("sub_add"), so those need a decimal digit. */
static const struct address_mark {
    const char *text;
    size_t digits;
    bool needs_decimal; /* at least one of the digits must be 0 to 9 */
} marks[] = {
    {"0x", 1, false},  {"0X", 1, false},  {"sub_", 4, true}, {"fun_", 4, true},
    {"FUN_", 4, true}, {"fcn.", 4, true}, {"", 8, true},
};

static bool is_decimal(char c) {
    return c >= '0' && c <= '9';
}

static bool is_hexadecimal(char c) {
    return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool fits(const struct address_mark *mark, struct gate_str name) {
    size_t first = strlen(mark->text);
    bool has_decimal = false;
    if (!gate_str_starts(name, gate_str_from(mark->text)) || name.len < first + mark->digits)
        return false;
    for (size_t i = first; i < name.len; i++) {
        if (!is_hexadecimal(name.ptr[i]))
            return false;
        has_decimal = has_decimal || is_decimal(name.ptr[i]);
    }
    return has_decimal || !mark->needs_decimal;
}

/* Fast check: the first two letters of most names exclude all prefixes. */
static bool may_fit(struct gate_str name) {
    if (name.len < 3)
        return false;
    char first = name.ptr[0], second = name.ptr[1];
    if ((first == '0' && (second == 'x' || second == 'X')) || (first == 'F' && second == 'U'))
        return true;
    if ((first == 's' || first == 'f') && second == 'u')
        return true;
    return is_hexadecimal(first) && is_hexadecimal(second); /* this also covers "fcn." */
}

bool gate_address_name_is(struct gate_str name) {
    if (!may_fit(name))
        return false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (fits(&marks[i], name))
            return true;
    return false;
}

/* ---- locations with and without a name --------------------------------------------------------------------------- */

bool gate_location_name_is_known(const struct gate_profile *profile, const struct gate_location *location) {
    uint32_t function = gate_location_leaf(profile, location);
    if (function == GATE_NO_INDEX)
        return false;
    struct gate_str name = profile->functions[function].name;
    return name.len != 0 && !gate_address_name_is(name);
}

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
        size_t size = location_pack(packing->to, index, numbers, message.at, gate_wire_left(&message));
        record_put(packing, index, size, numbers->lines);
        return true;
    }
    size_t size = location_pack(record, index, numbers, message.at, gate_wire_left(&message));
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
