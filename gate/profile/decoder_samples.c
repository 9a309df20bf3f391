/* SPDX-License-Identifier: Apache-2.0 */
/* Every sample of a pprof profile is walked and checked once, so that later walks need not (see decoder_samples.h). */
#include "gate/profile/decoder_samples.h"

#include "gate/base/divisor.h"
#include "gate/profile/location.h"
#include "gate/profile/stack_ids.h"
#include "gate/profile/stack_sharing.h"

/* Nearly always one division a record: the divisor is found after a few. */
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

/* Up to here a stack's frames are bounded by depth times lines; above, they are counted. */
enum { FRAMES_UNCOUNTED = 4096 };

static uint64_t frames_count(const struct gate_profile *profile, const struct gate_sample *sample) {
    uint64_t frames = 0, id = 0;
    for (uint32_t at = 0; gate_stack_next(sample->stack, &at, &id);)
        frames += gate_location_frames(profile, gate_location_find(profile, id));
    return frames;
}

/* A few bytes that name one location of a thousand inlined calls again and again are millions of frames, and one such
 * location beside one deep stack is not. `frames`: no more than these. */
static bool frames_check(struct gate_decoder *decoder, const struct gate_sample *sample, uint64_t frames,
                         uint64_t number, struct gate_error *err) {
    struct gate_profile *out = decoder->out;
    uint32_t depth_max = decoder->limits->depth;
    if (frames <= out->max_frames)
        return true;
    if (frames > FRAMES_UNCOUNTED || frames > depth_max)
        frames = frames_count(out, sample);
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
    /* Distinct ids of 1 to count are all of them: no look into the index then. */
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
        if (field.number > 4 || field.number == 3) /* 3 is the number itself */
            continue;
        if (!gate_decoder_string(&parts[field.number], decoder, field.value, "a label", err))
            return false;
    }
    /* google/pprof marks the subtracted side of a saved diff like this. */
    if (gate_str_equal(parts[1], GATE_STR("pprof::base")) && gate_str_equal(parts[2], GATE_STR("true")))
        out->is_saved_diff = true;
    out->has_labels = true;
    return true;
}

/* Labels that were checked, by their last byte: most samples have those of another one. Copies, as what stands in front
 * of the cursor may be moved. */
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

bool gate_decoder_samples_check(struct gate_decoder *decoder, struct gate_error *err) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    uint64_t number = 0;
    bool ok = true;
    uint32_t most_lines = decoder->out->most_lines;
    struct gate_stack_sharing sharing;
    struct known_labels known[LABELS_KNOWN] = {{0}};
    gate_stack_sharing_begin(&sharing, decoder->out, decoder->own, &decoder->tables);
    gate_sample_begin(&cursor, decoder->out);
    while (ok && gate_sample_next(&cursor, &sample, err)) {
        number++;
        ok = values_check(decoder->out, &sample, number, err) &&
             stack_check(decoder, &sample, most_lines, number, err) &&
             (sample.label_count == 0 || labels_check(decoder, &sample, known, number, err));
        if (ok)
            gate_stack_sharing_add(&sharing, &cursor, &sample);
    }
    gate_sample_end(&cursor);
    if (!ok || err->code != GATE_OK)
        return false;
    gate_stack_sharing_end(&sharing);
    return true;
}
