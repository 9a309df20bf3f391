/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/model/sample.h"

#include "gate/model/profile.h"
#include "gate/model/wire.h"

#include <stdlib.h>

/* ---- fast id check --------------------------------------------------------------------------------------------------
 *
 * The last byte of a varint is its highest digit and the only byte below 0x80. Whether an id is too large follows
 * from its last byte and the two before it, for 16 bytes at a time. A minimal varint does not end with a 0 byte, and
 * 0 is no valid id. */

enum { LANES = 16, DIGIT_BITS = 7, AHEAD = 2, SHORT = LANES + AHEAD, BLOCKS_COUNTED = 255 };

typedef uint8_t lanes __attribute__((vector_size(LANES)));

typedef int8_t signed_lanes __attribute__((vector_size(LANES)));

/* Digits of the largest id, highest first. The lower ones have the continuation bit set, as in the varint. */
struct largest {
    lanes high;
    signed_lanes second, third;
};

static lanes lanes_at(const uint8_t *at) {
    lanes bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

static bool any(lanes mask) {
    uint64_t halves[2];
    memcpy(halves, &mask, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

/* Set each lane whose byte makes an id invalid: it is 0, makes the id too long, or ends an id that is larger than
 * the largest. As signed numbers, continuation bytes are negative, and their order is that of their digits. */
static inline lanes lanes_refused(const uint8_t *at, const struct largest *most, bool is_long) {
    lanes byte = lanes_at(at);
    signed_lanes before = (signed_lanes)lanes_at(at - 1), first = (signed_lanes)lanes_at(at - 2);
    lanes lower = (lanes)(before > most->second), inner = (lanes)(before < 0);
    if (is_long) {
        lower |= (lanes)(before == most->second) & (lanes)(first > most->third);
        inner &= (lanes)(first < 0);
    }
    return (inner & ((lanes)(byte > most->high) | ((lanes)(byte == most->high) & lower))) | (lanes)(byte == 0);
}

/* Return -1 in each lane whose byte ends an id. */
static lanes lanes_that_end(const uint8_t *at) {
    return (lanes)((signed_lanes)lanes_at(at) >= 0);
}

/* Return the sum of the lanes. */
static uint32_t lanes_sum(lanes counts) {
    uint64_t halves[2], sum = 0;
    memcpy(halves, &counts, sizeof halves);
    for (int i = 0; i < 2; i++) {
        uint64_t pairs = (halves[i] & UINT64_C(0x00FF00FF00FF00FF)) + (halves[i] >> 8 & UINT64_C(0x00FF00FF00FF00FF));
        sum += pairs * UINT64_C(0x0001000100010001) >> 48;
    }
    return (uint32_t)sum;
}

/* Check the ids after the first two bytes. The last block overlaps the one before it. */
static inline bool blocks_check(uint32_t *depth, struct gate_stack_ref stack, const struct largest *most,
                                bool is_long) {
    static const lanes place = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint8_t *at = stack.ids + AHEAD, *end = stack.ids + stack.len;
    lanes refused = {0}, ends = {0};
    for (uint32_t blocks = 1; end - at >= LANES; at += LANES, blocks++) {
        refused |= lanes_refused(at, most, is_long);
        ends -= lanes_that_end(at);
        if (blocks % BLOCKS_COUNTED == 0) {
            *depth += lanes_sum(ends);
            ends = (lanes){0};
        }
    }
    if (at < end) {
        lanes known = (lanes){0} + (uint8_t)(LANES - (end - at));
        refused |= lanes_refused(end - LANES, most, is_long);
        ends -= lanes_that_end(end - LANES) & (lanes)(place >= known);
    }
    *depth += lanes_sum(ends);
    return !any(refused);
}

/* Check the first two bytes, which have no two bytes before them. Two bytes may be a complete id. */
static bool head_check(uint32_t *depth, const uint8_t *ids, uint32_t count, bool is_long) {
    uint32_t pair = (ids[0] & 0x7Fu) | (uint32_t)ids[1] << DIGIT_BITS;
    *depth = (uint32_t)(ids[0] < 0x80) + (ids[1] < 0x80);
    return ids[0] != 0 && ids[1] != 0 && (is_long || ids[0] < 0x80 || pair <= count);
}

static bool short_check(uint32_t *depth, struct gate_stack_ref stack, uint32_t count) {
    struct gate_wire left = {stack.ids, stack.ids + stack.len};
    uint64_t id = 0;
    for (*depth = 0; left.at < left.end; ++*depth)
        if (!gate_wire_varint(&left, &id) || id - 1 >= count)
            return false;
    return true;
}

bool gate_stack_ids_are_within(uint32_t *depth, struct gate_stack_ref stack, uint32_t count) {
    bool is_long = count >> 2 * DIGIT_BITS != 0;
    uint8_t digits[3] = {(uint8_t)(count & 0x7F), (uint8_t)(count >> DIGIT_BITS & 0x7F),
                         (uint8_t)(count >> 2 * DIGIT_BITS & 0x7F)};
    if (count >> DIGIT_BITS == 0 || count >> 3 * DIGIT_BITS != 0)
        return false;
    if (stack.len < SHORT)
        return short_check(depth, stack, count);
    uint8_t high = digits[is_long ? 2 : 1], second = digits[is_long ? 1 : 0];
    struct largest most = {
        .high = (lanes){0} + high,
        .second = (signed_lanes)((lanes){0} + (uint8_t)(second | 0x80)),
        .third = (signed_lanes)((lanes){0} + (uint8_t)(digits[0] | 0x80)),
    };
    return head_check(depth, stack.ids, count, is_long) &&
           (is_long ? blocks_check(depth, stack, &most, true) : blocks_check(depth, stack, &most, false));
}

/* ---- walk over samples ----------------------------------------------------------------------------------------------
 *
 * Accepts what every producer writes: packed and unpacked fields, in any order, in several pieces. */

enum { PROFILE_SAMPLE = 2, SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };

enum { TAG_LOCATION = 0x0A, TAG_ONE_VALUE = 0x10, TAG_VALUE = 0x12, TAG_LABEL = 0x1A };

enum { LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3, LABEL_UNIT = 4 };

void gate_sample_begin(struct gate_sample_cursor *cursor, const struct gate_profile *profile) {
    GATE_ASSERT(!gate_profile_is_spent(profile));
    *cursor = (struct gate_sample_cursor){.profile = profile, .packed = profile->packed.at};
    cursor->left = profile->sample_count == 0 ? UINT64_MAX : profile->sample_count;
}

void gate_sample_end(struct gate_sample_cursor *cursor) {
    free(cursor->scratch);
    *cursor = (struct gate_sample_cursor){0};
}

bool gate_stack_is_borrowed(const struct gate_sample_cursor *cursor, struct gate_stack_ref stack) {
    return stack.len != 0 && stack.ids == cursor->scratch;
}

static bool sample_malformed(const struct gate_sample_cursor *cursor, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_FORMAT, "malformed sample that ends at byte %zu", cursor->at);
}

/* Counts the bytes that end a varint. */
uint32_t gate_stack_depth(struct gate_stack_ref stack) {
    uint32_t count = 0, i = 0;
    for (; stack.len - i >= 8; i += 8) {
        uint64_t word = 0;
        memcpy(&word, stack.ids + i, sizeof word);
        word = ~word >> 7 & UINT64_C(0x0101010101010101);
        count += (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
    }
    for (; i < stack.len; i++)
        count += stack.ids[i] < 0x80;
    return count;
}

/* Append raw varints to the cursor's scratch buffer. A repacked stack is never longer than its message. */
static bool stack_append(struct gate_sample_cursor *cursor, struct gate_stack_ref *stack, const uint8_t *bytes,
                         size_t len, struct gate_error *err) {
    bool in_scratch = gate_stack_is_borrowed(cursor, *stack);
    if (cursor->scratch_size < cursor->message.len) {
        uint8_t *grown = realloc(cursor->scratch, cursor->message.len);
        if (grown == NULL)
            return gate_error_set(err, GATE_ERR_MEMORY, "out of memory while reading a sample");
        cursor->scratch = grown;
        cursor->scratch_size = cursor->message.len;
    }
    if (!in_scratch && stack->len != 0)
        memcpy(cursor->scratch, stack->ids, stack->len);
    stack->ids = cursor->scratch;
    memcpy(cursor->scratch + stack->len, bytes, len);
    stack->len += (uint32_t)len;
    return true;
}

static bool sample_locations(struct gate_sample_cursor *cursor, struct gate_sample *sample,
                             const struct gate_wire_field *field, const uint8_t *field_end, struct gate_error *err) {
    struct gate_wire ids = field->bytes;
    if (field->type == GATE_WIRE_VARINT) {
        /* The bytes of the id are at the end of the field, after the tag. */
        ids = (struct gate_wire){field_end - 1, field_end};
        while (ids.at[-1] & 0x80u)
            ids.at--;
        /* The last byte of a long tag is below 0x80 too, so the loop stops there. */
    } else if (field->type != GATE_WIRE_BYTES) {
        return sample_malformed(cursor, err);
    }
    size_t len = gate_wire_left(&ids);
    if (len == 0)
        return true;
    if (ids.end[-1] & 0x80u)
        return sample_malformed(cursor, err);
    if (sample->stack.len != 0 || field->type == GATE_WIRE_VARINT)
        return stack_append(cursor, &sample->stack, ids.at, len, err);
    sample->stack = (struct gate_stack_ref){ids.at, (uint32_t)len};
    return true;
}

static bool sample_value(struct gate_sample *sample, uint64_t value) {
    if (sample->value_count < GATE_VALUES_MAX)
        sample->values[sample->value_count] = (int64_t)value;
    return sample->value_count++ < GATE_VALUES_MAX;
}

static bool sample_values(const struct gate_sample_cursor *cursor, struct gate_sample *sample,
                          const struct gate_wire_field *field, struct gate_error *err) {
    struct gate_wire values = field->bytes;
    uint64_t value = field->value;
    bool fits = true;
    if (field->type == GATE_WIRE_VARINT)
        fits = sample_value(sample, value);
    else if (field->type != GATE_WIRE_BYTES)
        return sample_malformed(cursor, err);
    while (field->type == GATE_WIRE_BYTES && values.at < values.end && fits) {
        if (!gate_wire_varint(&values, &value))
            return sample_malformed(cursor, err);
        fits = sample_value(sample, value);
    }
    if (!fits)
        return gate_error_set(err, GATE_ERR_FORMAT, "the sample that ends at byte %zu has more than %d values",
                              cursor->at, GATE_VALUES_MAX);
    return true;
}

/* Read the value at `at` and return the position after it. Returns NULL if there are too many values or the number
 * needs the slow path. */
static inline const uint8_t *value_read(struct gate_sample *sample, const uint8_t *at, const uint8_t *end,
                                        const uint8_t *limit) {
    const struct gate_wire_number value = gate_wire_number_at(at, end, limit);
    if (value.at == NULL || sample->value_count == GATE_VALUES_MAX)
        return NULL;
    sample->values[sample->value_count++] = (int64_t)value.value;
    return value.at;
}

/* Read one bytes field at `at` for sample_read_plain and return the position after it, or NULL. */
static inline const uint8_t *part_read(struct gate_sample *sample, const uint8_t *at, const uint8_t *end,
                                       const uint8_t *limit) {
    uint8_t tag = *at;
    struct gate_wire bytes = gate_wire_bytes_at(at, end, tag);
    if (bytes.at == NULL)
        return NULL;
    if (tag == TAG_LABEL) {
        const char *first = sample->label_count++ == 0 ? (const char *)at : sample->label_bytes.ptr;
        sample->label_bytes = (struct gate_str){first, (size_t)((const char *)bytes.end - first)};
    } else if (tag == TAG_LOCATION && bytes.at != bytes.end && bytes.end[-1] < 0x80 && sample->stack.len == 0) {
        sample->stack = (struct gate_stack_ref){bytes.at, (uint32_t)gate_wire_left(&bytes)};
    } else if (tag == TAG_VALUE) {
        while (bytes.at != NULL && bytes.at < bytes.end)
            bytes.at = value_read(sample, bytes.at, bytes.end, limit);
        return bytes.at;
    } else {
        return NULL;
    }
    return bytes.end;
}

/* Read a sample in the usual form: ids in one field, values in one field or, as Go's runtime writes them, one field
 * each, and labels. Returns false for other forms, which sample_read_any reads. Bytes up to `limit` must be
 * readable. */
static bool sample_read_plain(struct gate_sample *sample, struct gate_wire message, const uint8_t *limit) {
    const uint8_t *at = message.at;
    while (at != NULL && at < message.end)
        at = *at == TAG_ONE_VALUE ? value_read(sample, at + 1, message.end, limit)
                                  : part_read(sample, at, message.end, limit);
    return at != NULL;
}

/* Read a sample in any form. */
static bool sample_read_any(struct gate_sample_cursor *cursor, struct gate_sample *sample, struct gate_error *err) {
    struct gate_wire_field field;
    struct gate_wire wire = gate_wire_of(cursor->message);
    sample->stack = (struct gate_stack_ref){(const uint8_t *)cursor->message.ptr, 0};
    sample->value_count = sample->label_count = 0;
    sample->label_bytes = (struct gate_str){NULL, 0};
    while (wire.at < wire.end) {
        const uint8_t *start = wire.at;
        if (!gate_wire_next(&wire, &field))
            return sample_malformed(cursor, err);
        if (field.number == SAMPLE_LOCATION) {
            if (!sample_locations(cursor, sample, &field, wire.at, err))
                return false;
        } else if (field.number == SAMPLE_VALUE) {
            if (!sample_values(cursor, sample, &field, err))
                return false;
        } else if (field.number == SAMPLE_LABEL) {
            if (field.type != GATE_WIRE_BYTES)
                return sample_malformed(cursor, err);
            if (sample->label_count++ == 0)
                sample->label_bytes.ptr = (const char *)start;
            sample->label_bytes.len = (size_t)((const char *)wire.at - sample->label_bytes.ptr);
        }
    }
    return true;
}

static bool sample_read(struct gate_sample_cursor *cursor, struct gate_sample *sample, struct gate_error *err) {
    struct gate_str bytes = cursor->profile->bytes;
    sample->stack = (struct gate_stack_ref){(const uint8_t *)cursor->message.ptr, 0};
    sample->value_count = sample->label_count = 0;
    sample->label_bytes = (struct gate_str){NULL, 0};
    return sample_read_plain(sample, gate_wire_of(cursor->message), (const uint8_t *)bytes.ptr + bytes.len) ||
           sample_read_any(cursor, sample, err);
}

/* Read the next top-level field. Fast path for bytes fields with a one-byte tag. Returns false if it is malformed. */
static inline bool top_next(struct gate_wire *wire, struct gate_wire_field *field) {
    uint8_t tag = *wire->at;
    field->bytes = (tag & 0x87) == GATE_WIRE_BYTES && tag > GATE_WIRE_BYTES
                       ? gate_wire_bytes_at(wire->at, wire->end, tag)
                       : (struct gate_wire){NULL, NULL};
    if (field->bytes.at == NULL)
        return gate_wire_next(wire, field);
    field->number = tag >> 3;
    field->type = GATE_WIRE_BYTES;
    wire->at = field->bytes.end;
    return true;
}

/* Read a varint of packed samples, which are well formed. */
static inline uint64_t packed_number(struct gate_wire *wire) {
    uint64_t number = 0;
    bool ok = gate_wire_varint(wire, &number);
    GATE_ASSERT(ok);
    return number;
}

/* Read the next packed sample (model/profile.h). */
static bool packed_next(struct gate_sample_cursor *cursor, struct gate_sample *sample, struct gate_error *err) {
    const struct gate_profile *profile = cursor->profile;
    struct gate_wire wire = {cursor->packed, profile->packed.end};
    if (wire.at == wire.end) {
        err->code = GATE_OK;
        return false;
    }
    uint64_t head = packed_number(&wire);
    sample->stack = gate_stack_stored((const uint8_t *)profile->bytes.ptr + (head >> 2));
    sample->value_count = profile->sample_type_count;
    sample->values[0] = (int64_t)packed_number(&wire);
    for (uint32_t i = 1; i < sample->value_count; i++)
        sample->values[i] = head & 1 ? (int64_t)packed_number(&wire) : sample->values[0] * profile->packed.ratios[i];
    sample->label_count = head & 2 ? (uint32_t)packed_number(&wire) : 0;
    sample->label_bytes.len = head & 2 ? (size_t)packed_number(&wire) : 0;
    sample->label_bytes.ptr = (const char *)wire.at;
    cursor->message = sample->label_bytes;
    cursor->packed = wire.at + sample->label_bytes.len;
    return true;
}

bool gate_sample_next(struct gate_sample_cursor *cursor, struct gate_sample *sample, struct gate_error *err) {
    const struct gate_str bytes = cursor->profile->bytes;
    const uint8_t *first = (const uint8_t *)bytes.ptr;
    struct gate_wire wire = {first + cursor->at, first + bytes.len};
    struct gate_wire_field field;
    if (cursor->packed != NULL)
        return packed_next(cursor, sample, err);
    while (cursor->left != 0 && wire.at < wire.end) {
        if (!top_next(&wire, &field))
            return gate_error_set(err, GATE_ERR_FORMAT, "malformed field at byte %zu", (size_t)(wire.at - first));
        if (field.number != PROFILE_SAMPLE || field.type != GATE_WIRE_BYTES)
            continue;
        cursor->at = (size_t)(wire.at - first);
        cursor->message = gate_wire_view(field.bytes);
        if (cursor->message.len > UINT32_MAX)
            return gate_error_set(err, GATE_ERR_LIMIT, "the sample that ends at byte %zu is larger than 4 GiB",
                                  cursor->at);
        cursor->left--;
        return sample_read(cursor, sample, err);
    }
    cursor->at = bytes.len;
    err->code = GATE_OK;
    return false;
}

static struct gate_str label_string(const struct gate_profile *profile, uint64_t index) {
    return index < profile->string_count ? profile->strings[index] : GATE_STR("");
}

static struct gate_label label_read(const struct gate_profile *profile, struct gate_wire wire) {
    struct gate_wire_field field;
    uint64_t parts[5] = {0};
    while (wire.at < wire.end && gate_wire_next(&wire, &field))
        if (field.type == GATE_WIRE_VARINT && field.number <= LABEL_UNIT)
            parts[field.number] = field.value;
    struct gate_label label = {.key = label_string(profile, parts[LABEL_KEY])};
    if (parts[LABEL_TEXT] != 0) {
        label.text = label_string(profile, parts[LABEL_TEXT]);
    } else {
        label.number = (int64_t)parts[LABEL_NUMBER];
        label.unit = label_string(profile, parts[LABEL_UNIT]);
    }
    return label;
}

struct gate_label_walk gate_labels_of(const struct gate_sample_cursor *cursor) {
    return (struct gate_label_walk){cursor->profile, cursor->message};
}

bool gate_labels_next(struct gate_label_walk *walk, struct gate_label *label) {
    struct gate_wire wire = gate_wire_of(walk->rest);
    struct gate_wire_field field;
    while (wire.at < wire.end && gate_wire_next(&wire, &field)) {
        if (field.number != SAMPLE_LABEL || field.type != GATE_WIRE_BYTES)
            continue;
        *label = label_read(walk->profile, field.bytes);
        walk->rest = (struct gate_str){(const char *)wire.at, gate_wire_left(&wire)};
        return true;
    }
    walk->rest.len = 0;
    return false;
}
