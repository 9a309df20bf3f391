/* SPDX-License-Identifier: Apache-2.0 */
/* The top level of the pprof decoder (see pprof.h): one pass that counts and finds what is not a sample, one that reads
 * strings and numbers; then the tables (decoder_tables.c) and one check of every sample (decoder_samples.c). */
#include "gate/profile/pprof.h"

#include "gate/profile/decoder_samples.h"
#include "gate/profile/decoder_tables.h"
#include "gate/profile/own_bytes.h"

enum { SCRATCH_LIMIT_BYTES = 16 * 1024 * 1024, RUN_GAP_BYTES = 4096, RUN_LEAST_BYTES = 1024 };

static size_t offset_of(const struct gate_decoder *decoder, const uint8_t *at) {
    return (size_t)(at - (const uint8_t *)decoder->out->bytes.ptr);
}

/* Nothing sensible stands at `wire`: say whether the file ends too early there or is not a profile. */
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

/* Whether a field at `start` lengthens the last run: unless many samples lie between, or it is the first of its number
 * behind a list of others, such as strings behind functions. */
static bool run_goes_on(const struct gate_decoder *decoder, uint32_t number, const uint8_t *start) {
    if (decoder->run_count == 0)
        return false;
    const struct gate_decoder_run *last = &decoder->runs[decoder->run_count - 1];
    return start - last->wire.end <= RUN_GAP_BYTES &&
           ((last->numbers >> number & 1) != 0 || last->wire.end - last->wire.at < RUN_LEAST_BYTES);
}

/* Remember the field from `start` to `end`. */
static bool run_add(struct gate_decoder *decoder, uint32_t number, const uint8_t *start, const uint8_t *end,
                    struct gate_error *err) {
    if (!run_goes_on(decoder, number, start)) {
        struct gate_decoder_run *grown =
            gate_arena_grow(&decoder->tables, decoder->runs, decoder->run_count, &decoder->run_capacity, sizeof *grown);
        if (grown == NULL)
            return gate_arena_error(&decoder->tables, err);
        decoder->runs = grown;
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

/* Labels alone are read by index from then on. */
static void strings_end(struct gate_decoder *decoder) {
    struct gate_profile *out = decoder->out;
    if (out->has_labels)
        return;
    (void)gate_arena_resize(decoder->arena, out->strings, strings_size(decoder), 0);
    out->strings = NULL;
    out->string_count = 0;
}

static bool strings_read(struct gate_decoder *decoder, struct gate_error *err) {
    struct gate_decoder_walk walk = gate_decoder_walk_of(decoder, 1 << GATE_PPROF_STRING);
    struct gate_wire_field field;
    struct gate_profile *out = decoder->out;
    out->strings = gate_arena_resize(decoder->arena, NULL, 0, strings_size(decoder));
    if (out->strings == NULL)
        return gate_arena_error(decoder->arena, err);
    while (gate_decoder_next(&walk, &field)) {
        struct gate_str text = gate_wire_view(field.bytes);
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
    if (out->string_count == 0) /* index 0 is "" even where nothing was written */
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
        struct gate_str *grown =
            gate_arena_grow(decoder->arena, out->comments, out->comment_count, capacity, sizeof *out->comments);
        if (grown == NULL)
            return gate_arena_error(decoder->arena, err);
        out->comments = grown;
        if (!gate_decoder_string(&out->comments[out->comment_count], decoder, index, "a comment", err))
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
        return gate_decoder_string(&out->drop_frames, decoder, field->value, "drop_frames", err);
    case GATE_PPROF_KEEP_FRAMES:
        return gate_decoder_string(&out->keep_frames, decoder, field->value, "keep_frames", err);
    case GATE_PPROF_DEFAULT_TYPE:
        return gate_decoder_string(&out->default_sample_type, decoder, field->value, "default_sample_type", err);
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
    struct gate_decoder_walk walk = gate_decoder_walk_of(decoder, numbers);
    struct gate_wire_field field;
    size_t comment_capacity = 0;
    while (gate_decoder_next(&walk, &field)) {
        if (!(field.number == GATE_PPROF_COMMENT ? comments_read(decoder, &field, &comment_capacity, err)
                                                 : scalar_read(decoder, &field, err)))
            return false;
    }
    return true;
}

static void *scratch_alloc(void *context, size_t size) {
    return gate_arena_alloc(context, size);
}

/* protobuf-c frees what it could not finish; the whole scratch goes after each message anyway. */
static void scratch_free(void *context, void *block) {
    (void)context;
    (void)block;
}

static bool decode(struct gate_profile *out, struct gate_str bytes, uint8_t *own, const struct gate_limits *limits,
                   struct gate_arena *arena, struct gate_error *err) {
    struct gate_decoder decoder = {.out = out, .own = own, .limits = limits, .arena = arena};
    *out = (struct gate_profile){.bytes = bytes};
    out->default_sample_type = out->drop_frames = out->keep_frames = GATE_STR("");
    out->period_type = (struct gate_value_type){GATE_STR(""), GATE_STR("")};
    gate_arena_fork(&decoder.tables, arena);
    gate_arena_init(&decoder.scratch, SCRATCH_LIMIT_BYTES);
    decoder.allocator = (ProtobufCAllocator){scratch_alloc, scratch_free, &decoder.scratch};
    if (bytes.len == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "the profile is empty");
    bool ok = top_count(&decoder, err) && limits_check(&decoder, err) && strings_read(&decoder, err) &&
              scalars_read(&decoder, err) && gate_decoder_tables_read(&decoder, err) &&
              gate_decoder_tables_locations(&decoder, err) && gate_decoder_samples_check(&decoder, err);
    if (ok && own != NULL && !gate_own_bytes_note(out, own, arena))
        ok = gate_arena_error(arena, err);
    if (ok)
        strings_end(&decoder);
    gate_arena_free(&decoder.scratch);
    gate_arena_free(&decoder.tables);
    return ok;
}

bool gate_pprof_decode(struct gate_profile *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *arena, struct gate_error *err) {
    return decode(out, bytes, NULL, limits, arena, err);
}

bool gate_pprof_decode_own(struct gate_profile *out, uint8_t *bytes, size_t len, const struct gate_limits *limits,
                           struct gate_arena *arena, struct gate_error *err) {
    return decode(out, (struct gate_str){(const char *)bytes, len}, bytes, limits, arena, err);
}
