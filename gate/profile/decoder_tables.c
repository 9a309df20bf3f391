/* SPDX-License-Identifier: Apache-2.0 */
/* Types and mappings of a pprof profile: one message at a time through protobuf-c into a small arena, then into the
 * model's arrays. Unpacking the whole file at once would cost seven times its size. Functions and locations, which are
 * many, are read in place. */
#include "gate/profile/decoder_tables.h"

#include "gate/profile/location.h"
#include "gate/profile/pprof.pb-c.h"
#include "gate/profile/sample.h"

static bool message_refused(struct gate_decoder *decoder, const char *what, uint32_t index, struct gate_error *err) {
    bool is_full = decoder->scratch.used_bytes > decoder->scratch.limit_bytes / 2;
    gate_arena_free(&decoder->scratch);
    return gate_error_set(err, is_full ? GATE_ERR_LIMIT : GATE_ERR_FORMAT, "%s number %u %s", what, index + 1,
                          is_full ? "is too large to be real" : "is malformed");
}

/* Arena blocks stay for the next message: a profile has hundreds of thousands. */
static void scratch_empty(struct gate_decoder *decoder) {
    if (decoder->scratch.used_bytes > 64 * 1024)
        gate_arena_free(&decoder->scratch);
}

static bool value_type_read(struct gate_value_type *out, struct gate_decoder *decoder, struct gate_wire bytes,
                            uint32_t index, struct gate_error *err) {
    Gate__Pb__ValueType *message = gate__pb__value_type__unpack(&decoder->allocator, gate_wire_left(&bytes), bytes.at);
    if (message == NULL)
        return message_refused(decoder, "sample type", index, err);
    bool ok = gate_decoder_string(&out->type, decoder, (uint64_t)message->type, "the name of a sample type", err) &&
              gate_decoder_string(&out->unit, decoder, (uint64_t)message->unit, "the unit of a sample type", err);
    scratch_empty(decoder);
    return ok;
}

static bool mapping_read(struct gate_decoder *decoder, struct gate_wire bytes, struct gate_error *err) {
    uint32_t index = decoder->out->mapping_count;
    Gate__Pb__Mapping *message = gate__pb__mapping__unpack(&decoder->allocator, gate_wire_left(&bytes), bytes.at);
    if (message == NULL)
        return message_refused(decoder, "mapping", index, err);
    struct gate_mapping *mapping = &decoder->out->mappings[index];
    *mapping = (struct gate_mapping){
        .start = message->memory_start, .limit = message->memory_limit, .offset = message->file_offset};
    decoder->mapping_ids[index] = message->id;
    bool ok = gate_decoder_string(&mapping->file, decoder, (uint64_t)message->filename, "the file of a mapping", err) &&
              gate_decoder_string(&mapping->build_id, decoder, (uint64_t)message->build_id, "a build id", err);
    decoder->out->mapping_count++;
    scratch_empty(decoder);
    return ok;
}

/* Read in place: a large profile has more functions than all but locations. */
static bool function_read(struct gate_decoder *decoder, struct gate_wire bytes, struct gate_error *err) {
    enum { ID = 1, NAME, SYSTEM_NAME, FILE_NAME, START_LINE };
    uint32_t index = decoder->out->function_count;
    struct gate_function *function = &decoder->out->functions[index];
    struct gate_wire_field field;
    uint64_t values[START_LINE + 1] = {0};
    while (bytes.at < bytes.end) {
        if (!gate_wire_next(&bytes, &field) || (field.number <= START_LINE && field.type != GATE_WIRE_VARINT))
            return message_refused(decoder, "function", index, err);
        if (field.number <= START_LINE)
            values[field.number] = field.value;
    }
    function->start_line = (int64_t)values[START_LINE];
    decoder->function_ids[index] = values[ID];
    bool ok = gate_decoder_string(&function->name, decoder, values[NAME], "the name of a function", err) &&
              gate_decoder_string(&function->system_name, decoder, values[SYSTEM_NAME], "a system name", err) &&
              gate_decoder_string(&function->file, decoder, values[FILE_NAME], "the file of a function", err);
    decoder->out->function_count++;
    return ok;
}

/* `from`: where the field begins. */
static bool table_field_read(struct gate_decoder *decoder, const struct gate_wire_field *field, const uint8_t *from,
                             struct gate_error *err) {
    struct gate_profile *out = decoder->out;
    switch (field->number) {
    case GATE_PPROF_SAMPLE_TYPE:
        out->sample_type_count++;
        return value_type_read(&out->sample_types[out->sample_type_count - 1], decoder, field->bytes,
                               out->sample_type_count - 1, err);
    case GATE_PPROF_PERIOD_TYPE:
        return value_type_read(&out->period_type, decoder, field->bytes, 0, err);
    case GATE_PPROF_MAPPING:
        return mapping_read(decoder, field->bytes, err);
    case GATE_PPROF_FUNCTION:
        gate_location_packing_drop(&decoder->packing, from, field->bytes);
        return function_read(decoder, field->bytes, err);
    default:
        return true;
    }
}

static bool index_fault(struct gate_decoder *decoder, enum gate_id_fault fault, const char *kind, uint64_t id,
                        struct gate_error *err) {
    if (fault == GATE_ID_FINE)
        return true;
    if (fault == GATE_ID_ZERO)
        return gate_error_set(err, GATE_ERR_FORMAT, "a %s has the reserved id 0", kind);
    if (fault == GATE_ID_TWICE)
        return gate_error_set(err, GATE_ERR_FORMAT, "two %ss have the id %llu (two profiles concatenated?)", kind,
                              (unsigned long long)id);
    return gate_arena_error(decoder->arena, err);
}

static bool tables_reserve(struct gate_decoder *decoder) {
    struct gate_profile *out = decoder->out;
    const uint32_t *counts = decoder->counts;
    struct gate_arena *arena = decoder->arena;
    out->sample_types = GATE_NEW_ARRAY(arena, struct gate_value_type, counts[GATE_PPROF_SAMPLE_TYPE]);
    out->mappings = gate_arena_alloc(arena, counts[GATE_PPROF_MAPPING] * sizeof *out->mappings);
    out->functions = gate_arena_alloc(arena, counts[GATE_PPROF_FUNCTION] * sizeof *out->functions);
    out->location_places = gate_arena_alloc(arena, (size_t)counts[GATE_PPROF_LOCATION] * GATE_LOCATION_PLACE_BYTES);
    decoder->mapping_ids = gate_arena_alloc(&decoder->tables, counts[GATE_PPROF_MAPPING] * sizeof(uint64_t));
    decoder->function_ids = gate_arena_alloc(&decoder->tables, counts[GATE_PPROF_FUNCTION] * sizeof(uint64_t));
    return out->sample_types != NULL && out->mappings != NULL && out->functions != NULL &&
           out->location_places != NULL && decoder->mapping_ids != NULL && decoder->function_ids != NULL;
}

bool gate_decoder_tables_read(struct gate_decoder *decoder, struct gate_error *err) {
    const uint32_t numbers =
        1 << GATE_PPROF_SAMPLE_TYPE | 1 << GATE_PPROF_PERIOD_TYPE | 1 << GATE_PPROF_MAPPING | 1 << GATE_PPROF_FUNCTION;
    struct gate_decoder_walk walk = gate_decoder_walk_of(decoder, numbers);
    struct gate_wire_field field;
    if (decoder->counts[GATE_PPROF_SAMPLE_TYPE] > GATE_VALUES_MAX)
        return gate_error_set(err, GATE_ERR_FORMAT, "%u sample types, but at most %d can be read",
                              decoder->counts[GATE_PPROF_SAMPLE_TYPE], GATE_VALUES_MAX);
    if (!tables_reserve(decoder))
        return gate_arena_error(decoder->arena, err);
    gate_location_packing_begin(&decoder->packing, decoder->out, decoder->own);
    while (gate_decoder_next(&walk, &field))
        if (!table_field_read(decoder, &field, walk.from, err))
            return false;
    gate_location_packing_end(&decoder->packing);
    uint64_t id = 0;
    enum gate_id_fault fault = gate_id_index_build(&decoder->out->mapping_index, decoder->mapping_ids, sizeof(uint64_t),
                                                   decoder->out->mapping_count, decoder->arena, &id);
    if (!index_fault(decoder, fault, "mapping", id, err))
        return false;
    fault = gate_id_index_build(&decoder->out->function_index, decoder->function_ids, sizeof(uint64_t),
                                decoder->out->function_count, decoder->arena, &id);
    return index_fault(decoder, fault, "function", id, err);
}

static bool location_malformed(uint32_t index, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_FORMAT, "location number %u is malformed", index + 1);
}

static bool location_field_fits(const struct gate_wire_field *field) {
    uint32_t wanted = field->number == GATE_LOCATION_LINE ? GATE_WIRE_BYTES : GATE_WIRE_VARINT;
    return field->number > GATE_LOCATION_LINE || field->type == wanted;
}

/* Its own id, wherever in it that stands: messages name it. */
static uint64_t location_id(struct gate_wire bytes) {
    struct gate_wire_field field;
    uint64_t id = 0;
    while (bytes.at < bytes.end && gate_wire_next(&bytes, &field))
        id = field.number == GATE_LOCATION_ID ? field.value : id;
    return id;
}

static bool lines_refused(const struct gate_decoder *decoder, struct gate_wire location, struct gate_error *err) {
    struct gate_wire_field field;
    uint32_t count = 0;
    while (location.at < location.end) {
        if (!gate_wire_next(&location, &field) || !location_field_fits(&field))
            return location_malformed(decoder->out->location_count, err);
        count += field.number == GATE_LOCATION_LINE;
    }
    return gate_error_set(err, GATE_ERR_LIMIT, "location number %u has %u lines, more than %u; raise --max-lines",
                          decoder->out->location_count + 1, count, decoder->limits->lines);
}

static bool line_check(struct gate_location_numbers *numbers, struct gate_decoder *decoder, struct gate_wire location,
                       struct gate_wire bytes, struct gate_error *err) {
    struct gate_profile *out = decoder->out;
    struct gate_wire_field field;
    uint64_t values[GATE_LINE_COLUMN + 1] = {0};
    while (bytes.at < bytes.end) {
        if (!gate_wire_next(&bytes, &field) || (field.number <= GATE_LINE_COLUMN && field.type != GATE_WIRE_VARINT))
            return location_malformed(out->location_count, err);
        if (field.number <= GATE_LINE_COLUMN)
            values[field.number] = field.value;
    }
    numbers->function = values[GATE_LINE_FUNCTION];
    numbers->line = values[GATE_LINE_NUMBER];
    numbers->column = values[GATE_LINE_COLUMN];
    uint32_t function = gate_id_index_find(&out->function_index, numbers->function);
    if (function == GATE_NO_INDEX)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "location %llu refers to function %llu, which the profile does not have",
                              (unsigned long long)location_id(location), (unsigned long long)numbers->function);
    out->line_name_bytes += out->functions[function].name.len;
    return true;
}

/* Every field of it, once: those who read it in place look no more. */
static bool location_check(struct gate_location_numbers *out, struct gate_decoder *decoder, struct gate_wire bytes,
                           struct gate_error *err) {
    struct gate_wire_field field;
    struct gate_wire rest = bytes;
    uint64_t values[GATE_LOCATION_ADDRESS + 1] = {0};
    *out = (struct gate_location_numbers){0};
    while (rest.at < rest.end) {
        if (!gate_wire_next(&rest, &field) || !location_field_fits(&field))
            return location_malformed(decoder->out->location_count, err);
        if (field.number <= GATE_LOCATION_ADDRESS)
            values[field.number] = field.value;
        if (field.number != GATE_LOCATION_LINE)
            continue;
        if (++out->lines > decoder->limits->lines)
            return lines_refused(decoder, bytes, err);
        if (!line_check(out, decoder, bytes, field.bytes, err))
            return false;
    }
    out->id = values[GATE_LOCATION_ID];
    out->mapping = values[GATE_LOCATION_MAPPING];
    out->address = values[GATE_LOCATION_ADDRESS];
    decoder->out->most_lines = out->lines > decoder->out->most_lines ? out->lines : decoder->out->most_lines;
    return true;
}

/* What is not to be read in place (profile/location.h). */
static bool location_hold(struct gate_decoder *decoder, struct gate_wire bytes, struct gate_error *err) {
    struct gate_profile *out = decoder->out;
    const struct gate_location read = gate_location_read(out, bytes.at, bytes.end);
    struct gate_location location = read;
    struct gate_line_walk walk = gate_location_lines(out, &read);
    struct gate_location *held =
        gate_arena_regrow(decoder->arena, out->locations, out->held_count, &decoder->held_capacity, sizeof *held);
    if (held == NULL)
        return gate_arena_error(decoder->arena, err);
    out->locations = held;
    location.line_first = out->line_count;
    location.lines_in = GATE_LINES_KEPT;
    for (struct gate_line line; gate_line_next(&walk, &line); out->line_count++) {
        struct gate_line *lines =
            gate_arena_regrow(decoder->arena, out->lines, out->line_count, &decoder->line_capacity, sizeof *lines);
        if (lines == NULL || out->line_count == GATE_NO_INDEX - 1)
            return gate_arena_error(decoder->arena, err);
        out->lines = lines;
        lines[out->line_count] = line;
    }
    gate_location_put_held(out, out->location_count, out->held_count);
    held[out->held_count++] = location;
    return true;
}

/* Where its length stands: before the message, and behind the last byte of the tag, which has no high bit. */
static uint64_t location_place(const struct gate_profile *profile, struct gate_wire bytes) {
    const uint8_t *at = bytes.at - 1;
    while (at[-1] >= 0x80)
        at--;
    return (uint64_t)(at - (const uint8_t *)profile->bytes.ptr);
}

/* Ids that count from 1 need no list. */
static bool location_id_note(struct gate_decoder *decoder, uint64_t id) {
    uint32_t index = decoder->out->location_count;
    if (decoder->location_ids == NULL && id == (uint64_t)index + 1)
        return true;
    if (decoder->location_ids == NULL) {
        decoder->location_ids =
            gate_arena_alloc(&decoder->tables, decoder->counts[GATE_PPROF_LOCATION] * sizeof *decoder->location_ids);
        for (uint32_t i = 0; decoder->location_ids != NULL && i < index; i++)
            decoder->location_ids[i] = (uint64_t)i + 1;
    }
    if (decoder->location_ids != NULL)
        decoder->location_ids[index] = id;
    return decoder->location_ids != NULL;
}

/* `from`: where its field begins. */
static bool location_read(struct gate_decoder *decoder, const uint8_t *from, struct gate_wire bytes,
                          struct gate_error *err) {
    struct gate_profile *out = decoder->out;
    uint32_t index = out->location_count;
    struct gate_location_numbers numbers;
    if (!location_check(&numbers, decoder, bytes, err))
        return false;
    if (!location_id_note(decoder, numbers.id))
        return gate_arena_error(&decoder->tables, err);
    if (!gate_location_is_short(out, numbers.lines, gate_wire_left(&bytes))) {
        if (!location_hold(decoder, bytes, err))
            return false;
        gate_location_packing_drop(&decoder->packing, from, bytes);
    } else if (!gate_location_packing_add(&decoder->packing, index, from, bytes, &numbers)) {
        gate_location_put(out, index, location_place(out, bytes), numbers.lines, false);
    }
    out->location_count++;
    return true;
}

bool gate_decoder_tables_locations(struct gate_decoder *decoder, struct gate_error *err) {
    struct gate_decoder_walk walk = gate_decoder_walk_of(decoder, 1 << GATE_PPROF_LOCATION);
    struct gate_wire_field field;
    struct gate_profile *out = decoder->out;
    uint64_t id = 0;
    out->most_lines = 1;
    while (gate_decoder_next(&walk, &field))
        if (!location_read(decoder, walk.from, field.bytes, err))
            return false;
    gate_location_packing_end(&decoder->packing);
    if (decoder->location_ids == NULL) {
        out->location_index.in_order = out->location_count;
        return true;
    }
    enum gate_id_fault fault = gate_id_index_build(&out->location_index, decoder->location_ids, sizeof(uint64_t),
                                                   out->location_count, decoder->arena, &id);
    return index_fault(decoder, fault, "location", id, err);
}
