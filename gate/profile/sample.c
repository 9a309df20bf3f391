/* SPDX-License-Identifier: Apache-2.0 */
/* The in-place walk over samples (see sample.h). Every producer's spelling is read: packed and unpacked fields, in any
 * order, in several pieces. */
#include "gate/profile/sample.h"

#include "gate/profile/wire.h"

#include <stdlib.h>

enum { PROFILE_SAMPLE = 2, SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { TAG_LOCATION = 0x0A, TAG_ONE_VALUE = 0x10, TAG_VALUE = 0x12, TAG_LABEL = 0x1A };
enum { LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3, LABEL_UNIT = 4 };

void gate_sample_begin(struct gate_sample_cursor *cursor, const struct gate_profile *profile) {
    GATE_ASSERT(!gate_profile_is_spent(profile));
    *cursor = (struct gate_sample_cursor){.profile = profile};
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

/* As many as there are bytes that end a varint. */
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

/* Append raw varints to the cursor's scratch. A repacked stack is never longer than its message. */
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
        /* The id's own bytes stand at the field's end, behind the tag. */
        ids = (struct gate_wire){field_end - 1, field_end};
        while (ids.at[-1] & 0x80u)
            ids.at--;
        /* A tag spelled in several bytes ends below 0x80 too, so the loop stops at it. */
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

/* A stack that stands elsewhere; the message goes on with its other fields. */
static struct gate_stack_ref stack_refer(struct gate_sample_cursor *cursor) {
    struct gate_str bytes = cursor->profile->bytes, message = cursor->message;
    uint32_t place = 0, len = 0;
    GATE_ASSERT(message.len >= GATE_SAMPLE_REFERENCE_BYTES);
    memcpy(&place, message.ptr + 1, sizeof place);
    memcpy(&len, message.ptr + 1 + sizeof place, sizeof len);
    GATE_ASSERT(place <= bytes.len && len <= bytes.len - place);
    cursor->message = gate_str_slice(message, GATE_SAMPLE_REFERENCE_BYTES, message.len);
    return (struct gate_stack_ref){(const uint8_t *)bytes.ptr + place, len};
}

/* The value at `at`, and what stands behind it; NULL: there are more than can be, or it is not plain. */
static inline const uint8_t *value_read(struct gate_sample *sample, const uint8_t *at, const uint8_t *end,
                                        const uint8_t *limit) {
    const struct gate_wire_number value = gate_wire_number_at(at, end, limit);
    if (value.at == NULL || sample->value_count == GATE_VALUES_MAX)
        return NULL;
    sample->values[sample->value_count++] = (int64_t)value.value;
    return value.at;
}

/* The field of bytes at `at`, as sample_read_plain reads it, and what stands behind it. */
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

/* Nearly every sample is its ids in one field, its values, in one field or, as Go's runtime writes them, in one each,
 * and labels: false where it is another one, which who knows every spelling has to read. `limit`: up to there bytes can
 * be read. */
static bool sample_read_plain(struct gate_sample *sample, struct gate_wire message, const uint8_t *limit) {
    const uint8_t *at = message.at;
    while (at != NULL && at < message.end)
        at = *at == TAG_ONE_VALUE ? value_read(sample, at + 1, message.end, limit)
                                  : part_read(sample, at, message.end, limit);
    return at != NULL;
}

/* Every spelling; `stack`: what a reference said, or empty. */
static bool sample_read_any(struct gate_sample_cursor *cursor, struct gate_sample *sample, struct gate_stack_ref stack,
                            struct gate_error *err) {
    struct gate_wire_field field;
    struct gate_wire wire = gate_wire_of(cursor->message);
    sample->stack = stack;
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
    if (cursor->profile->has_shared_stacks && cursor->message.len != 0 && cursor->message.ptr[0] == 0)
        sample->stack = stack_refer(cursor);
    const struct gate_stack_ref stack = sample->stack;
    sample->value_count = sample->label_count = 0;
    sample->label_bytes = (struct gate_str){NULL, 0};
    return sample_read_plain(sample, gate_wire_of(cursor->message), (const uint8_t *)bytes.ptr + bytes.len) ||
           sample_read_any(cursor, sample, stack, err);
}

/* The next field, of whatever it is: nearly all are of bytes, with a tag of one. False: malformed. */
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

bool gate_sample_next(struct gate_sample_cursor *cursor, struct gate_sample *sample, struct gate_error *err) {
    const struct gate_str bytes = cursor->profile->bytes;
    const uint8_t *first = (const uint8_t *)bytes.ptr;
    struct gate_wire wire = {first + cursor->at, first + bytes.len};
    struct gate_wire_field field;
    while (cursor->left != 0 && wire.at < wire.end) {
        cursor->from = (size_t)(wire.at - first);
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
