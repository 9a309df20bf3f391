/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/formats/pprof.h"

#include "gate/base/buf.h"
#include "gate/base/figures.h"
#include "gate/formats/builder.h"
#include "gate/formats/deflate.h"
#include "gate/formats/pprof.pb-c.h"
#include "gate/model/limits.h"
#include "gate/model/location.h"
#include "gate/model/profile.h"
#include "gate/model/sample.h"
#include "gate/model/wire.h"

#include <protobuf-c/protobuf-c.h>

/* ---- state of the decoder ---------------------------------------------------------------------------------------- */

/** Numbers of the top-level fields (pprof.proto). */
enum gate_pprof_field {
    GATE_PPROF_SAMPLE_TYPE = 1,
    GATE_PPROF_SAMPLE = 2,
    GATE_PPROF_MAPPING = 3,
    GATE_PPROF_LOCATION = 4,
    GATE_PPROF_FUNCTION = 5,
    GATE_PPROF_STRING = 6,
    GATE_PPROF_DROP_FRAMES = 7,
    GATE_PPROF_KEEP_FRAMES = 8,
    GATE_PPROF_TIME = 9,
    GATE_PPROF_DURATION = 10,
    GATE_PPROF_PERIOD_TYPE = 11,
    GATE_PPROF_PERIOD = 12,
    GATE_PPROF_COMMENT = 13,
    GATE_PPROF_DEFAULT_TYPE = 14,
    GATE_PPROF_DOC_URL = 15
};

/** A range of the file with fields other than samples. It may contain a few samples. */
struct gate_decoder_run {
    struct gate_wire wire;
    uint32_t numbers; /* bit set of its field numbers, without samples */
};

/** State of one decoding. `scratch` is emptied after each message and freed at the end. */
struct gate_decoder {
    struct gate_profile *out;
    const struct gate_limits *limits;
    struct gate_arena *arena;
    struct gate_arena tables;  /* ids, until they are indexed */
    struct gate_arena scratch; /* one message, as unpacked by protobuf-c */
    ProtobufCAllocator allocator;
    struct gate_decoder_run *runs; /* ranges of fields that are not samples; short gaps of samples are included */
    size_t run_count;
    size_t run_capacity;
    uint32_t counts[GATE_PPROF_DOC_URL + 1];
    uint64_t *mapping_ids;
    uint64_t *function_ids;
    uint64_t *location_ids; /* NULL: the ids so far are 1, 2, 3, … */
    size_t held_capacity, line_capacity;
};

/** Iterator over all fields with some numbers. */
struct gate_decoder_walk {
    const struct gate_decoder *decoder;
    uint32_t numbers; /* bit set of field numbers */
    uint64_t left;
    size_t run;
    struct gate_wire wire;
};

/** Read the next field. Returns false at the end. The bytes were checked, so nothing is malformed here. */
static inline bool decoder_next(struct gate_decoder_walk *walk, struct gate_wire_field *field) {
    const struct gate_decoder *decoder = walk->decoder;
    if (walk->left == 0)
        return false;
    do {
        while (walk->wire.at == walk->wire.end) {
            GATE_ASSERT(walk->run < decoder->run_count); /* the number of fields is known, so there is another range */
            const struct gate_decoder_run *run = &decoder->runs[walk->run++];
            if ((run->numbers & walk->numbers) != 0)
                walk->wire = run->wire;
        }
        if (!gate_wire_next(&walk->wire, field))
            return false;
    } while (field->number > GATE_PPROF_DOC_URL || (walk->numbers >> field->number & 1) == 0);
    walk->left--;
    return true;
}

/** Get the string at `index`. `what` describes it for the error message. */
static bool decoder_string(struct gate_str *out, const struct gate_decoder *decoder, uint64_t index, const char *what,
                           struct gate_error *err) {
    if (index >= decoder->out->string_count)
        return gate_error_set(err, GATE_ERR_FORMAT, "%s is string %lld, but the string table has only %u", what,
                              (long long)index, decoder->out->string_count);
    *out = decoder->out->strings[index];
    return true;
}

/** Start an iterator over fields other than samples. */
static struct gate_decoder_walk decoder_walk_of(const struct gate_decoder *decoder, uint32_t numbers) {
    struct gate_decoder_walk walk = {.decoder = decoder, .numbers = numbers};
    for (int number = 1; number <= GATE_PPROF_DOC_URL; number++)
        walk.left += numbers >> number & 1 ? decoder->counts[number] : 0;
    return walk;
}

/* ---- samples: each is checked once, so that later walks need not check ------------------------------------------- */

/* Usually costs one division per record, as the divisor is found after a few records. */
static void spread_add(struct gate_value_spread *spread, int64_t value) {
    uint64_t size = gate_divisor_size(value);
    if (size == 0)
        return;
    if (spread->divisor != 1)
        spread->divisor = gate_divisor_common(size, spread->divisor);
    spread->total += (double)size;
    uint32_t *records = &spread->sizes[63 - __builtin_clzll(size)];
    *records += *records != UINT32_MAX;
}

static bool values_check(struct gate_profile *out, const struct gate_sample *sample, uint64_t number,
                         struct gate_error *err) {
    if (out->sample_type_count == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "the profile has samples but no sample types");
    if (sample->value_count != out->sample_type_count)
        return gate_error_set(err, GATE_ERR_FORMAT, "sample %llu has %u values, but the profile has %u sample types",
                              (unsigned long long)number, sample->value_count, out->sample_type_count);
    for (uint32_t i = 0; i < sample->value_count; i++)
        out->has_negative_values |= sample->values[i] < 0;
    if (out->sample_type_count == 1)
        spread_add(&out->spread, sample->values[0]);
    return true;
}

/* Up to this bound, depth times the largest number of lines is used as the number of frames. Above it, frames are
 * counted. */
enum { FRAMES_UNCOUNTED = 4096 };

/* Check the number of frames of a stack, including inlined calls; `frames` is an upper bound. A few bytes that
 * repeat a location with 1,000 inlined calls make millions of frames. The bound alone would also reject a deep stack
 * beside one such location. */
static bool frames_check(struct gate_decoder *decoder, const struct gate_sample *sample, uint64_t frames,
                         uint64_t number, struct gate_error *err) {
    struct gate_profile *out = decoder->out;
    uint32_t depth_max = decoder->limits->depth;
    if (frames <= out->max_frames)
        return true;
    if (frames > FRAMES_UNCOUNTED || frames > depth_max)
        frames = gate_location_stack_frames(out, sample->stack);
    if (frames > depth_max)
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "sample %llu is %llu frames deep with its inlined calls, more than %u; raise --max-depth",
                              (unsigned long long)number, (unsigned long long)frames, depth_max);
    if (frames > out->max_frames)
        out->max_frames = (uint32_t)frames;
    return true;
}

static bool stack_check(struct gate_decoder *decoder, const struct gate_sample *sample, uint32_t most_lines,
                        uint64_t number, struct gate_error *err) {
    struct gate_profile *out = decoder->out;
    /* If the ids are exactly 1 to count, a range check replaces the lookup. */
    bool is_complete = out->location_index.in_order == out->location_count ||
                       out->location_index.dense_count == (size_t)out->location_count + 1;
    uint32_t depth = 0;
    is_complete = is_complete && gate_stack_ids_are_within(&depth, sample->stack, out->location_count);
    depth = is_complete ? depth : gate_stack_depth(sample->stack);
    if (depth > decoder->limits->depth)
        return gate_error_set(err, GATE_ERR_LIMIT, "sample %llu is %u locations deep, more than %u; raise --max-depth",
                              (unsigned long long)number, depth, decoder->limits->depth);
    if (depth > out->max_depth)
        out->max_depth = depth;
    struct gate_wire ids = {sample->stack.ids, sample->stack.ids + sample->stack.len};
    if (is_complete)
        return frames_check(decoder, sample, (uint64_t)depth * most_lines, number, err);
    while (ids.at < ids.end) {
        uint64_t id = 0;
        if (!gate_wire_varint(&ids, &id))
            return gate_error_set(err, GATE_ERR_FORMAT, "sample %llu has a malformed location id",
                                  (unsigned long long)number);
        if (gate_location_find(out, id) == GATE_NO_INDEX)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "sample %llu refers to location %llu, which the profile does not have",
                                  (unsigned long long)number, (unsigned long long)id);
    }
    return frames_check(decoder, sample, (uint64_t)depth * most_lines, number, err);
}

static bool label_check(struct gate_decoder *decoder, struct gate_wire wire, uint64_t number, struct gate_error *err) {
    struct gate_profile *out = decoder->out;
    struct gate_wire_field field;
    struct gate_str parts[5] = {{"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}};
    while (wire.at < wire.end) {
        if (!gate_wire_next(&wire, &field) || (field.number <= 4 && field.type != GATE_WIRE_VARINT))
            return gate_error_set(err, GATE_ERR_FORMAT, "sample %llu has a malformed label",
                                  (unsigned long long)number);
        if (field.number > 4 || field.number == 3) /* field 3 is the number itself */
            continue;
        if (!decoder_string(&parts[field.number], decoder, field.value, "a label", err))
            return false;
    }
    /* google/pprof marks the subtracted side of a saved diff like this. */
    if (gate_str_equal(parts[1], GATE_STR("pprof::base")) && gate_str_equal(parts[2], GATE_STR("true")))
        out->is_saved_diff = true;
    out->has_labels = true;
    return true;
}

/* Labels that were checked, by their last byte: most samples have the same labels as an earlier one. */
enum { LABELS_KNOWN = 64, LABELS_SHORT = 31 };

struct known_labels {
    uint8_t len;
    char bytes[LABELS_SHORT];
};

static bool labels_check(struct gate_decoder *decoder, const struct gate_sample *sample, struct known_labels *all,
                         uint64_t number, struct gate_error *err) {
    const struct gate_str labels = sample->label_bytes;
    struct known_labels *known = &all[(unsigned char)labels.ptr[labels.len - 1] % LABELS_KNOWN];
    if (known->len == labels.len && memcmp(known->bytes, labels.ptr, labels.len) == 0)
        return true;
    struct gate_wire wire = gate_wire_of(labels);
    struct gate_wire_field field;
    if (sample->label_count > decoder->limits->labels)
        return gate_error_set(err, GATE_ERR_LIMIT, "sample %llu has %u labels, more than %u; raise --max-labels",
                              (unsigned long long)number, sample->label_count, decoder->limits->labels);
    if (sample->label_count > decoder->out->max_labels)
        decoder->out->max_labels = sample->label_count;
    while (wire.at < wire.end && gate_wire_next(&wire, &field))
        if (field.number == 3 && !label_check(decoder, field.bytes, number, err))
            return false;
    if (labels.len > LABELS_SHORT)
        return true;
    known->len = (uint8_t)labels.len;
    memcpy(known->bytes, labels.ptr, labels.len);
    return true;
}

/** Check values, stack and labels of every sample, and fill the counters of the profile. */
static bool decoder_samples_check(struct gate_decoder *decoder, struct gate_error *err) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    uint64_t number = 0;
    bool ok = true;
    uint32_t most_lines = decoder->out->most_lines;
    struct known_labels known[LABELS_KNOWN] = {{0}};
    gate_sample_begin(&cursor, decoder->out);
    while (ok && gate_sample_next(&cursor, &sample, err)) {
        number++;
        ok = values_check(decoder->out, &sample, number, err) &&
             stack_check(decoder, &sample, most_lines, number, err) &&
             (sample.label_count == 0 || labels_check(decoder, &sample, known, number, err));
    }
    gate_sample_end(&cursor);
    return ok && err->code == GATE_OK;
}

/* ---- types, mappings, functions and locations -----------------------------------------------------------------------
 *
 * Protobuf-c unpacks one message at a time into a small arena; unpacking the whole file would take 7 times its size.
 * Functions and locations, which are many, are read in place. */

static bool message_refused(struct gate_decoder *decoder, const char *what, uint32_t index, struct gate_error *err) {
    bool is_full = decoder->scratch.used_bytes > decoder->scratch.limit_bytes / 2;
    gate_arena_free(&decoder->scratch);
    return gate_error_set(err, is_full ? GATE_ERR_LIMIT : GATE_ERR_FORMAT, "%s number %u %s", what, index + 1,
                          is_full ? "is too large to be real" : "is malformed");
}

/* Free the arena only if it is large: a profile has hundreds of thousands of messages. */
static void scratch_empty(struct gate_decoder *decoder) {
    if (decoder->scratch.used_bytes > 64 * 1024)
        gate_arena_free(&decoder->scratch);
}

static bool value_type_read(struct gate_value_type *out, struct gate_decoder *decoder, struct gate_wire bytes,
                            uint32_t index, struct gate_error *err) {
    Gate__Pb__ValueType *message = gate__pb__value_type__unpack(&decoder->allocator, gate_wire_left(&bytes), bytes.at);
    if (message == NULL)
        return message_refused(decoder, "sample type", index, err);
    bool ok = decoder_string(&out->type, decoder, (uint64_t)message->type, "the name of a sample type", err) &&
              decoder_string(&out->unit, decoder, (uint64_t)message->unit, "the unit of a sample type", err);
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
    bool ok = decoder_string(&mapping->file, decoder, (uint64_t)message->filename, "the file of a mapping", err) &&
              decoder_string(&mapping->build_id, decoder, (uint64_t)message->build_id, "a build id", err);
    decoder->out->mapping_count++;
    scratch_empty(decoder);
    return ok;
}

/* Read a function in place, as a large profile has many of them. */
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
    bool ok = decoder_string(&function->name, decoder, values[NAME], "the name of a function", err) &&
              decoder_string(&function->system_name, decoder, values[SYSTEM_NAME], "a system name", err) &&
              decoder_string(&function->file, decoder, values[FILE_NAME], "the file of a function", err);
    decoder->out->function_count++;
    return ok;
}

static bool table_field_read(struct gate_decoder *decoder, const struct gate_wire_field *field,
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

/* Check that no two sample types have the same name and unit: budgets select a column by these. */
static bool sample_types_differ(const struct gate_profile *profile, struct gate_error *err) {
    for (uint32_t i = 0; i < profile->sample_type_count; i++)
        for (uint32_t j = 0; j < i; j++) {
            struct gate_value_type a = profile->sample_types[j], b = profile->sample_types[i];
            if (gate_str_equal(a.type, b.type) && gate_str_equal(a.unit, b.unit))
                return gate_error_set(err, GATE_ERR_FORMAT,
                                      "sample types %u and %u are both '%.*s/%.*s', so which of them to compare is not "
                                      "clear; write each type once",
                                      (unsigned)j + 1, (unsigned)i + 1, GATE_STR_ARG(a.type), GATE_STR_ARG(a.unit));
        }
    return true;
}

/** Read types, mappings and functions. The strings were read before. */
static bool decoder_tables_read(struct gate_decoder *decoder, struct gate_error *err) {
    const uint32_t numbers =
        1 << GATE_PPROF_SAMPLE_TYPE | 1 << GATE_PPROF_PERIOD_TYPE | 1 << GATE_PPROF_MAPPING | 1 << GATE_PPROF_FUNCTION;
    struct gate_decoder_walk walk = decoder_walk_of(decoder, numbers);
    struct gate_wire_field field;
    if (decoder->counts[GATE_PPROF_SAMPLE_TYPE] > GATE_VALUES_MAX)
        return gate_error_set(err, GATE_ERR_FORMAT, "%u sample types, but at most %d can be read",
                              decoder->counts[GATE_PPROF_SAMPLE_TYPE], GATE_VALUES_MAX);
    if (!tables_reserve(decoder))
        return gate_arena_error(decoder->arena, err);
    while (decoder_next(&walk, &field))
        if (!table_field_read(decoder, &field, err))
            return false;
    uint64_t id = 0;
    enum gate_id_fault fault = gate_id_index_build(&decoder->out->mapping_index, decoder->mapping_ids, sizeof(uint64_t),
                                                   decoder->out->mapping_count, decoder->arena, &id);
    if (!index_fault(decoder, fault, "mapping", id, err))
        return false;
    fault = gate_id_index_build(&decoder->out->function_index, decoder->function_ids, sizeof(uint64_t),
                                decoder->out->function_count, decoder->arena, &id);
    return index_fault(decoder, fault, "function", id, err) && sample_types_differ(decoder->out, err);
}

static bool location_malformed(uint32_t index, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_FORMAT, "location number %u is malformed", index + 1);
}

static bool location_field_fits(const struct gate_wire_field *field) {
    uint32_t wanted = field->number == GATE_LOCATION_LINE ? GATE_WIRE_BYTES : GATE_WIRE_VARINT;
    return field->number > GATE_LOCATION_LINE || field->type == wanted;
}

/* Return the id of a location, which may be anywhere in its message. */
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

static bool line_check(struct gate_decoder *decoder, struct gate_wire location, struct gate_wire bytes,
                       struct gate_error *err) {
    struct gate_profile *out = decoder->out;
    struct gate_wire_field field;
    uint64_t id = 0;
    while (bytes.at < bytes.end) {
        if (!gate_wire_next(&bytes, &field) || (field.number <= GATE_LINE_COLUMN && field.type != GATE_WIRE_VARINT))
            return location_malformed(out->location_count, err);
        if (field.number == GATE_LINE_FUNCTION)
            id = field.value;
    }
    uint32_t function = gate_id_index_find(&out->function_index, id);
    if (function == GATE_NO_INDEX)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "location %llu refers to function %llu, which the profile does not have",
                              (unsigned long long)location_id(location), (unsigned long long)id);
    out->line_name_bytes += out->functions[function].name.len;
    return true;
}

/* Check every field of a location once, so that reading it in place needs no checks. */
static bool location_check(uint64_t *id, uint32_t *lines, struct gate_decoder *decoder, struct gate_wire bytes,
                           struct gate_error *err) {
    struct gate_wire_field field;
    struct gate_wire rest = bytes;
    while (rest.at < rest.end) {
        if (!gate_wire_next(&rest, &field) || !location_field_fits(&field))
            return location_malformed(decoder->out->location_count, err);
        if (field.number == GATE_LOCATION_ID)
            *id = field.value;
        if (field.number != GATE_LOCATION_LINE)
            continue;
        if (++*lines > decoder->limits->lines)
            return lines_refused(decoder, bytes, err);
        if (!line_check(decoder, bytes, field.bytes, err))
            return false;
    }
    decoder->out->most_lines = *lines > decoder->out->most_lines ? *lines : decoder->out->most_lines;
    return true;
}

/* Store a location in the table, as it is too long to be read in place (model/location.h). */
static bool location_hold(struct gate_decoder *decoder, struct gate_wire bytes, struct gate_error *err) {
    struct gate_profile *out = decoder->out;
    const struct gate_location read = gate_location_read(out, bytes.at, bytes.end);
    struct gate_location location = read;
    struct gate_line_walk walk = gate_location_lines(out, &read);
    if (!GATE_REGROW(decoder->arena, out->locations, out->held_count, decoder->held_capacity))
        return gate_arena_error(decoder->arena, err);
    location.line_first = out->line_count;
    location.lines_in = GATE_LINES_KEPT;
    for (struct gate_line line; gate_line_next(&walk, &line); out->line_count++) {
        if (!GATE_REGROW(decoder->arena, out->lines, out->line_count, decoder->line_capacity) ||
            out->line_count == GATE_NO_INDEX - 1)
            return gate_arena_error(decoder->arena, err);
        out->lines[out->line_count] = line;
    }
    gate_location_put_held(out, out->location_count, out->held_count);
    out->locations[out->held_count++] = location;
    return true;
}

/* Return the offset of the message's length, which is before the message and after the last byte of the tag. That
 * byte is below 0x80. */
static uint64_t location_place(const struct gate_profile *profile, struct gate_wire bytes) {
    const uint8_t *at = bytes.at - 1;
    while (at[-1] >= 0x80)
        at--;
    return (uint64_t)(at - (const uint8_t *)profile->bytes.ptr);
}

/* Record the id of a location. Ids that count from 1 need no list. */
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

static bool location_read(struct gate_decoder *decoder, struct gate_wire bytes, struct gate_error *err) {
    struct gate_profile *out = decoder->out;
    uint64_t id = 0;
    uint32_t lines = 0;
    if (!location_check(&id, &lines, decoder, bytes, err))
        return false;
    if (!location_id_note(decoder, id))
        return gate_arena_error(&decoder->tables, err);
    if (gate_location_is_short(out, lines, gate_wire_left(&bytes)))
        gate_location_put(out, out->location_count, location_place(out, bytes), lines);
    else if (!location_hold(decoder, bytes, err))
        return false;
    out->location_count++;
    return true;
}

/** Read the locations. Mappings and functions were read before. */
static bool decoder_tables_locations(struct gate_decoder *decoder, struct gate_error *err) {
    struct gate_decoder_walk walk = decoder_walk_of(decoder, 1 << GATE_PPROF_LOCATION);
    struct gate_wire_field field;
    struct gate_profile *out = decoder->out;
    uint64_t id = 0;
    out->most_lines = 1;
    while (decoder_next(&walk, &field))
        if (!location_read(decoder, field.bytes, err))
            return false;
    if (decoder->location_ids == NULL) {
        out->location_index.in_order = out->location_count;
        return true;
    }
    enum gate_id_fault fault = gate_id_index_build(&out->location_index, decoder->location_ids, sizeof(uint64_t),
                                                   out->location_count, decoder->arena, &id);
    return index_fault(decoder, fault, "location", id, err);
}

/* ---- top level ------------------------------------------------------------------------------------------------------
 *
 * One pass counts fields and finds those that are not samples; another reads strings and numbers. Tables and the
 * check of every sample follow. */

enum { SCRATCH_LIMIT_BYTES = 16 * 1024 * 1024, RUN_GAP_BYTES = 4096, RUN_LEAST_BYTES = 1024 };

static size_t offset_of(const struct gate_decoder *decoder, const uint8_t *at) {
    return (size_t)(at - (const uint8_t *)decoder->out->bytes.ptr);
}

/* Set the error for malformed bytes at `wire`: the file is truncated there, or not a profile. */
static bool top_malformed(const struct gate_decoder *decoder, struct gate_wire wire, struct gate_error *err) {
    size_t at = offset_of(decoder, wire.at);
    uint64_t tag = 0, len = 0;
    if (gate_wire_varint(&wire, &tag) && (tag & 7) == GATE_WIRE_BYTES && tag >> 3 >= 1 &&
        tag >> 3 <= GATE_PPROF_DOC_URL && gate_wire_varint(&wire, &len) && len > gate_wire_left(&wire) && at != 0)
        return gate_error_set(
            err, GATE_ERR_FORMAT,
            "the profile is truncated: field %llu at byte %zu needs %llu bytes and %zu are left; fetch it again",
            (unsigned long long)(tag >> 3), at, (unsigned long long)len, gate_wire_left(&wire));
    return gate_error_set(err, GATE_ERR_FORMAT, "not a pprof profile: malformed protobuf at byte %zu", at);
}

static bool wants_bytes(uint32_t number) {
    return (number >= GATE_PPROF_SAMPLE_TYPE && number <= GATE_PPROF_STRING) || number == GATE_PPROF_PERIOD_TYPE;
}

static bool type_unexpected(const struct gate_decoder *decoder, const struct gate_wire_field *field, const uint8_t *at,
                            struct gate_error *err) {
    return gate_error_set(
        err, GATE_ERR_FORMAT, "not a pprof profile: field %u at byte %zu has wire type %u, expected %d", field->number,
        offset_of(decoder, at), field->type, wants_bytes(field->number) ? GATE_WIRE_BYTES : GATE_WIRE_VARINT);
}

/* Return true if a field at `start` extends the last range. A new range starts after many samples. It also starts at
 * the first field of a number after a list of others, such as the first string after functions. */
static bool run_goes_on(const struct gate_decoder *decoder, uint32_t number, const uint8_t *start) {
    if (decoder->run_count == 0)
        return false;
    const struct gate_decoder_run *last = &decoder->runs[decoder->run_count - 1];
    return start - last->wire.end <= RUN_GAP_BYTES &&
           ((last->numbers >> number & 1) != 0 || last->wire.end - last->wire.at < RUN_LEAST_BYTES);
}

/* Extend the last range of fields up to this one, or begin a new range. */
static bool run_add(struct gate_decoder *decoder, uint32_t number, const uint8_t *start, const uint8_t *end,
                    struct gate_error *err) {
    if (!run_goes_on(decoder, number, start)) {
        if (!GATE_GROW(&decoder->tables, decoder->runs, decoder->run_count, decoder->run_capacity))
            return gate_arena_error(&decoder->tables, err);
        decoder->runs[decoder->run_count++] = (struct gate_decoder_run){.wire.at = start};
    }
    struct gate_decoder_run *last = &decoder->runs[decoder->run_count - 1];
    last->wire.end = end;
    last->numbers |= UINT32_C(1) << number;
    return true;
}

static bool top_field(struct gate_decoder *decoder, const struct gate_wire_field *field, const uint8_t *start,
                      const uint8_t *end, struct gate_error *err) {
    if (field->number > GATE_PPROF_DOC_URL)
        return true;
    bool is_list = field->number == GATE_PPROF_COMMENT && field->type == GATE_WIRE_BYTES;
    if (!is_list && field->type != (wants_bytes(field->number) ? GATE_WIRE_BYTES : GATE_WIRE_VARINT))
        return type_unexpected(decoder, field, start, err);
    if (++decoder->counts[field->number] == GATE_NO_INDEX)
        return gate_error_set(err, GATE_ERR_LIMIT, "more than %u entries of field %u", GATE_NO_INDEX - 1,
                              field->number);
    return run_add(decoder, field->number, start, end, err);
}

static bool top_count(struct gate_decoder *decoder, struct gate_error *err) {
    struct gate_wire wire = gate_wire_of(decoder->out->bytes);
    struct gate_wire_field field;
    while (wire.at < wire.end) {
        const uint8_t *start = wire.at;
        if (!gate_wire_next(&wire, &field))
            return top_malformed(decoder, wire, err);
        if (field.number == GATE_PPROF_SAMPLE && field.type == GATE_WIRE_BYTES)
            decoder->out->sample_count++;
        else if (!top_field(decoder, &field, start, wire.at, err))
            return false;
    }
    return true;
}

static bool limits_check(const struct gate_decoder *decoder, struct gate_error *err) {
    const struct gate_limits *limits = decoder->limits;
    if (decoder->out->sample_count > limits->samples)
        return gate_error_set(err, GATE_ERR_LIMIT, "%llu samples, more than %llu; raise --max-samples",
                              (unsigned long long)decoder->out->sample_count, (unsigned long long)limits->samples);
    if (decoder->counts[GATE_PPROF_STRING] > limits->strings)
        return gate_error_set(err, GATE_ERR_LIMIT, "%u strings, more than %u; raise --max-strings",
                              decoder->counts[GATE_PPROF_STRING], limits->strings);
    return true;
}

static bool is_ascii(struct gate_str text) {
    size_t i = 0;
    for (; i + 8 <= text.len; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text.ptr + i, sizeof word);
        if (word & UINT64_C(0x8080808080808080))
            return false;
    }
    for (; i < text.len; i++)
        if ((unsigned char)text.ptr[i] >= 0x80)
            return false;
    return true;
}

static size_t strings_size(const struct gate_decoder *decoder) {
    return ((size_t)decoder->counts[GATE_PPROF_STRING] + 1) * sizeof(struct gate_str);
}

/* Free the string table if no labels need it. */
static void strings_end(struct gate_decoder *decoder) {
    struct gate_profile *out = decoder->out;
    if (out->has_labels)
        return;
    (void)gate_arena_resize(decoder->arena, out->strings, strings_size(decoder), 0);
    out->strings = NULL;
    out->string_count = 0;
}

static bool strings_read(struct gate_decoder *decoder, struct gate_error *err) {
    struct gate_decoder_walk walk = decoder_walk_of(decoder, 1 << GATE_PPROF_STRING);
    struct gate_wire_field field;
    struct gate_profile *out = decoder->out;
    out->strings = gate_arena_resize(decoder->arena, NULL, 0, strings_size(decoder));
    if (out->strings == NULL)
        return gate_arena_error(decoder->arena, err);
    while (decoder_next(&walk, &field)) {
        struct gate_str text = gate_wire_view(field.bytes);
        if (out->string_count == 0)
            out->strings_from = offset_of(decoder, field.bytes.at);
        out->strings_end = offset_of(decoder, field.bytes.end);
        if (out->string_count == 0 && text.len != 0)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "the first string of the table is '%.*s', expected an empty one",
                                  (int)(text.len > 40 ? 40 : text.len), text.ptr);
        if (!is_ascii(text))
            text = gate_str_repair_utf8(decoder->arena, text);
        if (text.ptr == NULL)
            return gate_arena_error(decoder->arena, err);
        out->strings[out->string_count++] = text;
    }
    if (out->string_count == 0) /* index 0 is "" even if the file has no strings */
        out->strings[out->string_count++] = GATE_STR("");
    return true;
}

static bool comments_read(struct gate_decoder *decoder, const struct gate_wire_field *field, size_t *capacity,
                          struct gate_error *err) {
    struct gate_profile *out = decoder->out;
    struct gate_wire wire = field->bytes;
    uint64_t index = field->value;
    do {
        if (field->type == GATE_WIRE_BYTES) {
            if (wire.at == wire.end)
                return true;
            if (!gate_wire_varint(&wire, &index))
                return gate_error_set(err, GATE_ERR_FORMAT, "malformed list of comments");
        }
        if (!GATE_GROW(decoder->arena, out->comments, out->comment_count, *capacity))
            return gate_arena_error(decoder->arena, err);
        if (!decoder_string(&out->comments[out->comment_count], decoder, index, "a comment", err))
            return false;
        out->comment_count++;
    } while (field->type == GATE_WIRE_BYTES);
    return true;
}

static bool time_read(struct gate_profile *out, uint64_t value, struct gate_error *err) {
    if (out->time_ns != 0)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "two profiles were concatenated into one file: give them separately, or join them with "
                              "'pprofgate merge'");
    out->time_ns = (int64_t)value;
    return true;
}

static bool scalar_read(struct gate_decoder *decoder, const struct gate_wire_field *field, struct gate_error *err) {
    struct gate_profile *out = decoder->out;
    switch (field->number) {
    case GATE_PPROF_DROP_FRAMES:
        return decoder_string(&out->drop_frames, decoder, field->value, "drop_frames", err);
    case GATE_PPROF_KEEP_FRAMES:
        return decoder_string(&out->keep_frames, decoder, field->value, "keep_frames", err);
    case GATE_PPROF_DEFAULT_TYPE:
        return decoder_string(&out->default_sample_type, decoder, field->value, "default_sample_type", err);
    case GATE_PPROF_TIME:
        return time_read(out, field->value, err);
    case GATE_PPROF_DURATION:
        out->duration_ns = (int64_t)field->value;
        return true;
    case GATE_PPROF_PERIOD:
        out->period = (int64_t)field->value;
        return true;
    default:
        return true;
    }
}

static bool scalars_read(struct gate_decoder *decoder, struct gate_error *err) {
    const uint32_t numbers = 1 << GATE_PPROF_DROP_FRAMES | 1 << GATE_PPROF_KEEP_FRAMES | 1 << GATE_PPROF_TIME |
                             1 << GATE_PPROF_DURATION | 1 << GATE_PPROF_PERIOD | 1 << GATE_PPROF_COMMENT |
                             1 << GATE_PPROF_DEFAULT_TYPE;
    struct gate_decoder_walk walk = decoder_walk_of(decoder, numbers);
    struct gate_wire_field field;
    size_t comment_capacity = 0;
    while (decoder_next(&walk, &field)) {
        if (!(field.number == GATE_PPROF_COMMENT ? comments_read(decoder, &field, &comment_capacity, err)
                                                 : scalar_read(decoder, &field, err)))
            return false;
    }
    return true;
}

static void *scratch_alloc(void *context, size_t size) {
    return gate_arena_alloc(context, size);
}

/* Does nothing: the whole scratch arena is emptied after each message. */
static void scratch_free(void *context, void *block) {
    (void)context;
    (void)block;
}

bool gate_pprof_decode(struct gate_profile *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *arena, struct gate_error *err) {
    struct gate_decoder decoder = {.out = out, .limits = limits, .arena = arena};
    *out = (struct gate_profile){.bytes = bytes};
    out->default_sample_type = out->drop_frames = out->keep_frames = GATE_STR("");
    out->period_type = (struct gate_value_type){GATE_STR(""), GATE_STR("")};
    gate_arena_fork(&decoder.tables, arena);
    gate_arena_init(&decoder.scratch, SCRATCH_LIMIT_BYTES);
    decoder.allocator = (ProtobufCAllocator){scratch_alloc, scratch_free, &decoder.scratch};
    if (bytes.len == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "the profile is empty");
    bool ok = top_count(&decoder, err) && limits_check(&decoder, err) && strings_read(&decoder, err) &&
              scalars_read(&decoder, err) && decoder_tables_read(&decoder, err) &&
              decoder_tables_locations(&decoder, err) && decoder_samples_check(&decoder, err);
    if (ok)
        strings_end(&decoder);
    gate_arena_free(&decoder.scratch);
    gate_arena_free(&decoder.tables);
    return ok;
}

/* ---- pprof bytes of a builder. Samples come first, as in google/pprof -------------------------------------------- */

/* State of writing. `added` has the strings that only the header needs. */
struct writing {
    struct gate_buf *out;
    struct gate_packing *packing; /* `out` is its plain buffer; NULL: no compression */
    struct gate_error *err;       /* for errors of `packing` */
    bool is_stopped;              /* writing stopped because of such an error */
    const struct gate_builder *builder;
    struct gate_table added;
    struct gate_arena arena;
    struct gate_buf message;
};

static uint64_t writing_string(struct writing *writing, struct gate_str text) {
    return gate_builder_string_index(writing->builder, &writing->added, text, &writing->out->failed);
}

static void message_end(struct writing *writing, uint32_t field) {
    writing->out->failed |= writing->message.failed;
    gate_wire_put_bytes(writing->out, field, gate_buf_view(&writing->message));
    writing->message.len = 0;
    if (writing->packing != NULL && writing->out->len >= writing->packing->part_bytes && !writing->is_stopped)
        writing->is_stopped = !gate_packing_flush(writing->packing, writing->err);
}

static void string_put(struct writing *writing, struct gate_str text) {
    gate_buf_str(&writing->message, text);
    message_end(writing, 6);
}

static void value_type_put(struct writing *writing, uint32_t field, struct gate_value_type type) {
    uint64_t name = writing_string(writing, type.type);
    uint64_t unit = writing_string(writing, type.unit);
    gate_wire_put_number(&writing->message, 1, name);
    gate_wire_put_number(&writing->message, 2, unit);
    message_end(writing, field);
}

static void samples_put(struct writing *writing) {
    const struct gate_builder *builder = writing->builder;
    const struct gate_stack_tree *samples = &builder->samples;
    struct gate_buf packed = {0}, key = {0};
    for (uint32_t at = gate_stack_tree_first(samples); at != 0; at = gate_stack_tree_next(samples, at)) {
        bool is_zero = true;
        packed.len = 0;
        for (uint32_t i = 0; i < builder->type_count; i++) {
            if (builder->type_dropped[i])
                continue;
            int64_t value = gate_stack_tree_value(samples, at, i);
            is_zero &= value == 0;
            gate_wire_put_varint(&packed, (uint64_t)value);
        }
        if (is_zero)
            continue;
        gate_stack_tree_put(&writing->message, &key, samples, at);
        gate_wire_put_bytes(&writing->message, 2, gate_buf_view(&packed));
        message_end(writing, 2);
    }
    gate_buf_free_part(writing->out, &packed);
    gate_buf_free_part(writing->out, &key);
}

static void mappings_put(struct writing *writing) {
    const struct gate_builder *builder = writing->builder;
    for (uint32_t i = 0; i < builder->mapping_keys.count; i++) {
        const struct gate_mapping *mapping = &builder->mappings[i].mapping;
        uint64_t file = writing_string(writing, mapping->file);
        uint64_t build_id = writing_string(writing, mapping->build_id);
        gate_wire_put_number(&writing->message, 1, (uint64_t)i + 1);
        gate_wire_put_number(&writing->message, 2, mapping->start);
        gate_wire_put_number(&writing->message, 3, mapping->limit);
        gate_wire_put_number(&writing->message, 4, mapping->offset);
        gate_wire_put_number(&writing->message, 5, file);
        gate_wire_put_number(&writing->message, 6, build_id);
        /* fields has_functions, has_filenames and has_line_numbers: pprof then does not look for symbols */
        for (uint32_t flag = 7; flag <= 9; flag++)
            gate_wire_put_number(&writing->message, flag, builder->mappings[i].has_lines);
        message_end(writing, 3);
    }
}

static void numbered_put(struct writing *writing, uint32_t field, const struct gate_table *table) {
    for (uint32_t i = 0; i < table->count; i++) {
        gate_wire_put_number(&writing->message, 1, (uint64_t)i + 1);
        gate_buf_str(&writing->message, table->keys[i]);
        message_end(writing, field);
    }
}

static void header_put(struct writing *writing) {
    const struct gate_builder_header *header = &writing->builder->header;
    uint64_t drop = writing_string(writing, header->drop_frames);
    uint64_t keep = writing_string(writing, header->keep_frames);
    uint64_t default_type = writing_string(writing, header->default_sample_type);
    gate_wire_put_number(writing->out, 7, drop);
    gate_wire_put_number(writing->out, 8, keep);
    gate_wire_put_number(writing->out, 9, (uint64_t)header->time_ns);
    gate_wire_put_number(writing->out, 10, (uint64_t)header->duration_ns);
    if (header->period_type.type.len != 0 || header->period_type.unit.len != 0)
        value_type_put(writing, 11, header->period_type);
    gate_wire_put_number(writing->out, 12, (uint64_t)header->period);
    for (uint32_t i = 0; i < writing->builder->comments.count; i++) {
        gate_wire_put_varint(writing->out, 13 << 3 | GATE_WIRE_VARINT);
        gate_wire_put_varint(writing->out, writing_string(writing, writing->builder->comments.keys[i]));
    }
    gate_wire_put_number(writing->out, 14, default_type);
}

static bool builder_put(struct writing *writing, struct gate_error *err) {
    const struct gate_builder *builder = writing->builder;
    GATE_ASSERT(builder->is_full || builder->samples.walk_count == 0);
    if (builder->is_full)
        return gate_arena_error(builder->arena, err);
    gate_arena_fork(&writing->arena, builder->arena);
    gate_table_init(&writing->added, &writing->arena);
    /* the order of fields is free, but strings are indexed by their order */
    const uint32_t first = builder->header.is_marked ? 2 : 0;
    for (uint32_t i = 0; i < first; i++)
        string_put(writing, builder->strings.keys[i]);
    for (uint32_t i = 0; i < builder->type_count; i++)
        if (!builder->type_dropped[i])
            value_type_put(writing, 1, builder->types[i]);
    samples_put(writing);
    mappings_put(writing);
    numbered_put(writing, 4, &builder->locations);
    numbered_put(writing, 5, &builder->functions);
    header_put(writing);
    for (uint32_t i = first; i < builder->strings.count; i++)
        string_put(writing, builder->strings.keys[i]);
    for (uint32_t i = 0; i < writing->added.count; i++)
        string_put(writing, writing->added.keys[i]);
    gate_buf_free(&writing->message);
    bool ok = !writing->is_stopped &&
              (writing->arena.is_refused ? gate_arena_error(&writing->arena, err) : gate_buf_check(writing->out, err));
    gate_arena_free(&writing->arena);
    return ok;
}

bool gate_builder_write(struct gate_buf *out, const struct gate_builder *builder, struct gate_error *err) {
    struct writing writing = {.out = out, .builder = builder};
    return builder_put(&writing, err);
}

bool gate_builder_pack(struct gate_sink to, const struct gate_builder *builder, enum gate_container container,
                       struct gate_error *err) {
    struct gate_packing packing;
    gate_packing_begin(&packing, container, to);
    struct writing writing = {.out = &packing.plain, .packing = &packing, .err = err, .builder = builder};
    bool ok = builder_put(&writing, err) && gate_packing_end(&packing, err);
    gate_packing_free(&packing);
    return ok;
}
