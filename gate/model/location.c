/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/model/location.h"

#include "gate/base/str.h"
#include "gate/model/profile.h"
#include "gate/model/sample.h"
#include "gate/model/wire.h"

/* ---- reading in place. The decoder checked every field, so nothing is malformed here and all functions exist ----- */

/* A place contains the offset and the number of lines of a location. With the flag HELD, it contains an index of the
 * table instead of the offset. */
enum { PLACE_BITS = 34, LINES_BITS = 4, LINES_MOST = (1 << LINES_BITS) - 1, BYTES_MOST = 96 };

#define PLACE_END (UINT64_C(1) << PLACE_BITS)

#define HELD (UINT64_C(1) << (PLACE_BITS + LINES_BITS))

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

void gate_location_put(struct gate_profile *profile, uint32_t index, uint64_t place, uint32_t lines) {
    place_put(profile, index, place | (uint64_t)lines << PLACE_BITS);
}

void gate_location_put_held(struct gate_profile *profile, uint32_t index, uint32_t held) {
    place_put(profile, index, HELD | held);
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
        if (field.number == GATE_LOCATION_MAPPING)
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
    uint64_t len = 0;
    bool ok = gate_wire_varint(&wire, &len);
    GATE_ASSERT(ok && len <= gate_wire_left(&wire));
    return gate_location_read(profile, wire.at, wire.at + len);
}

bool gate_location_one(uint32_t *mapping, struct gate_line *line, const struct gate_profile *profile, uint32_t index) {
    uint64_t place = 0, len = 0, mapping_id = 0;
    if (held_at(profile, index, &place) != NULL || (place >> PLACE_BITS & LINES_MOST) != 1)
        return false;
    struct gate_wire wire = gate_wire_of(profile->bytes);
    struct gate_wire_field field;
    wire.at += place & (PLACE_END - 1);
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

uint64_t gate_location_stack_frames(const struct gate_profile *profile, struct gate_stack_ref stack) {
    uint64_t frames = 0, id = 0;
    for (uint32_t at = 0; gate_stack_next(stack, &at, &id);)
        frames += gate_location_frames(profile, gate_location_find(profile, id));
    return frames;
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

/* ---- replacing lines --------------------------------------------------------------------------------------------- */

/* gate_arena_grow copies a table when its capacity is reached, so the tables of the input stay unchanged. */
bool gate_location_edit_init(struct gate_location_edit *edit, struct gate_profile *profile, struct gate_arena *arena) {
    struct gate_location *locations = GATE_NEW_ARRAY(arena, struct gate_location, profile->location_count);
    if (locations == NULL)
        return false;
    for (uint32_t i = 0; i < profile->location_count; i++)
        locations[i] = gate_location_at(profile, i);
    profile->locations = locations;
    profile->location_places = NULL;
    *edit = (struct gate_location_edit){.profile = profile,
                                        .arena = arena,
                                        .locations = locations,
                                        .function_capacity = profile->function_count,
                                        .line_capacity = profile->line_count};
    return true;
}

uint32_t gate_location_edit_function(struct gate_location_edit *edit, const struct gate_function *function) {
    struct gate_profile *profile = edit->profile;
    if (!GATE_GROW(edit->arena, profile->functions, profile->function_count, edit->function_capacity))
        return GATE_NO_INDEX;
    profile->functions[profile->function_count] = *function;
    return profile->function_count++;
}

void gate_location_edit_begin(struct gate_location_edit *edit, uint32_t index) {
    struct gate_location *location = &edit->locations[index];
    edit->location = index;
    location->line_first = edit->profile->line_count;
    location->line_count = 0;
    location->lines_in = GATE_LINES_KEPT;
}

bool gate_location_edit_line(struct gate_location_edit *edit, const struct gate_line *line) {
    struct gate_profile *profile = edit->profile;
    uint32_t count = ++edit->locations[edit->location].line_count;
    if (profile->line_count == GATE_NO_INDEX - 1 ||
        !GATE_GROW(edit->arena, profile->lines, profile->line_count, edit->line_capacity))
        return false;
    profile->lines[profile->line_count++] = *line;
    profile->most_lines = count > profile->most_lines ? count : profile->most_lines;
    return true;
}

/* ---- names that are addresses ------------------------------------------------------------------------------------ */

/* Prefixes of names that are addresses, and the minimum number of hexadecimal digits after them. No identifier starts
 * with "0x". The other prefixes, which disassemblers use, also occur in function names ("sub_add"), so their digits
 * must contain one of 0 to 9. */
static const struct address_mark {
    const char *text;
    size_t digits;
    bool needs_decimal; /* at least one of the digits must be 0 to 9 */
} marks[] = {
    {"0x", 1, false},  {"0X", 1, false},  {"sub_", 4, true}, {"fun_", 4, true},
    {"FUN_", 4, true}, {"fcn.", 4, true}, {"", 8, true},
};

static bool fits(const struct address_mark *mark, struct gate_str name) {
    size_t first = strlen(mark->text);
    bool has_decimal = false;
    if (!gate_str_starts(name, gate_str_from(mark->text)) || name.len < first + mark->digits)
        return false;
    for (size_t i = first; i < name.len; i++) {
        if (gate_hex_value(name.ptr[i]) < 0)
            return false;
        has_decimal = has_decimal || gate_is_digit(name.ptr[i]);
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
    return gate_hex_value(first) >= 0 && gate_hex_value(second) >= 0; /* this also covers "fcn." */
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

/* ---- the profiler itself, which waits until its profile is complete ---------------------------------------------- */

/* Return whether a function is one of net/http/pprof that waits until the profile is complete. */
static bool is_wait(struct gate_str function) {
    return gate_str_equal(function, GATE_STR("net/http/pprof.sleep")) ||
           gate_str_equal(function, GATE_STR("net/http/pprof.handler.serveDeltaProfile"));
}

static bool is_of_profiler(const struct gate_profile *profile, uint32_t index) {
    const struct gate_location location = gate_location_at(profile, index);
    struct gate_line_walk walk = gate_location_lines(profile, &location);
    struct gate_line line;
    while (gate_line_next(&walk, &line))
        if (line.function != GATE_NO_INDEX && is_wait(profile->functions[line.function].name))
            return true;
    return false;
}

bool gate_location_find_waits(const bool **waits, const struct gate_profile *profile, struct gate_arena *arena,
                              struct gate_error *err) {
    bool *found = GATE_NEW_ARRAY(arena, bool, profile->location_count), has_some = false;
    *waits = NULL;
    if (found == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < profile->location_count; i++) {
        found[i] = is_of_profiler(profile, i);
        has_some = has_some || found[i];
    }
    *waits = has_some ? found : NULL;
    return true;
}
