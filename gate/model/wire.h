/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf wire format: a bounds-checked reader that allocates nothing, and a writer. */
#ifndef GATE_MODEL_WIRE_H
#define GATE_MODEL_WIRE_H

#include "gate/base/buf.h"

enum { GATE_WIRE_VARINT = 0, GATE_WIRE_FIXED64 = 1, GATE_WIRE_BYTES = 2, GATE_WIRE_FIXED32 = 5 };

/** The unread part of a message; `at` <= `end`. */
struct gate_wire {
    const uint8_t *at;
    const uint8_t *end;
};

/** One field. `value` is set for varints and fixed words, `bytes` for GATE_WIRE_BYTES. */
struct gate_wire_field {
    uint32_t number;
    uint32_t type;
    uint64_t value;
    struct gate_wire bytes;
};

/** Start reading `bytes` as a message. */
static inline struct gate_wire gate_wire_of(struct gate_str bytes) {
    const uint8_t *at = (const uint8_t *)bytes.ptr;
    return (struct gate_wire){at, bytes.len == 0 ? at : at + bytes.len};
}

/** Return the number of unread bytes. */
static inline size_t gate_wire_left(const struct gate_wire *wire) {
    return (size_t)(wire->end - wire->at);
}

/** Read a varint of at most 10 bytes. Returns false if it is truncated or longer. Bits above the 64th are dropped. */
GATE_MUST_CHECK static inline bool gate_wire_varint(struct gate_wire *wire, uint64_t *value) {
    const uint8_t *at = wire->at;
    if (at < wire->end && *at < 0x80) {
        *value = *at;
        wire->at = at + 1;
        return true;
    }
    /* Fast path: most ids, lengths and values have at most three bytes. */
    if (wire->end - at >= 3 && (at[1] < 0x80 || at[2] < 0x80)) {
        uint64_t low = (at[0] & 0x7Fu) | (uint64_t)(at[1] & 0x7Fu) << 7;
        bool is_short = at[1] < 0x80;
        *value = is_short ? low : low | (uint64_t)at[2] << 14;
        wire->at = at + (is_short ? 2 : 3);
        return true;
    }
    uint64_t result = 0;
    for (unsigned shift = 0; at < wire->end && shift < 70; shift += 7) {
        uint8_t byte = *at++;
        result |= (uint64_t)(byte & 0x7Fu) << shift;
        if (byte < 0x80) {
            *value = result;
            wire->at = at;
            return true;
        }
    }
    return false;
}

/**
 * Read a varint of at most 4 bytes. Four bytes from `at` must be readable. Returns its length, or 0 if it is longer.
 * For long lists of small numbers, such as the ids of a stack.
 */
static inline unsigned gate_wire_short(uint32_t *value, const uint8_t *at) {
    uint32_t word = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    uint32_t id = word & 0x7F;
    unsigned len = 1;
    if (word & 0x80) {
        id |= word >> 1 & 0x3F80;
        len = 2;
        if (word & 0x8000) {
            id |= word >> 2 & 0x1FC000;
            len = 3;
            if (word & 0x800000) {
                id |= word >> 3 & 0xFE00000;
                len = word & 0x80000000 ? 0 : 4;
            }
        }
    }
    *value = id;
    return len;
}

/** A number and the position after it. If `at` is NULL, use gate_wire_varint. */
struct gate_wire_number {
    uint64_t value;
    const uint8_t *at;
};

/**
 * Join the 7-bit digits of a varint in the 8 bytes of `word`, first digit in the lowest byte. `ends` has bit 7 set
 * in each byte that ends a varint.
 */
static inline uint64_t gate_wire_digits(uint64_t word, uint64_t ends) {
    word &= (ends ^ (ends - 1)) & UINT64_C(0x7F7F7F7F7F7F7F7F);
    word = (word & UINT64_C(0x007F007F007F007F)) | (word & UINT64_C(0x7F007F007F007F00)) >> 1;
    word = (word & UINT64_C(0x00003FFF00003FFF)) | (word & UINT64_C(0x3FFF00003FFF0000)) >> 2;
    return (word & UINT64_C(0x0FFFFFFF)) | (word & UINT64_C(0x0FFFFFFF00000000)) >> 4;
}

/**
 * Read a varint of at most 8 bytes that ends before `end`. Bytes up to `limit` must be readable. Fast path: if the
 * result's `at` is NULL, the number may still be valid.
 */
static inline struct gate_wire_number gate_wire_number_at(const uint8_t *at, const uint8_t *end, const uint8_t *limit) {
    struct gate_wire_number number = {0, NULL};
    if (at < end && *at < 0x80)
        return (struct gate_wire_number){*at, at + 1};
    if (end - at >= 2 && at[1] < 0x80)
        return (struct gate_wire_number){(at[0] & 0x7Fu) | (uint64_t)at[1] << 7, at + 2};
    if (limit - at < 8)
        return number;
    uint64_t word = 0;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    uint64_t ends = ~word & UINT64_C(0x8080808080808080);
    const uint8_t *behind = ends == 0 ? NULL : at + (__builtin_ctzll(ends) >> 3) + 1;
    if (behind != NULL && behind <= end)
        number = (struct gate_wire_number){gate_wire_digits(word, ends), behind};
    return number;
}

/**
 * Return the bytes field at `at` if it has the one-byte `tag` and ends before `end`; else `at` of the result is
 * NULL.
 */
static inline struct gate_wire gate_wire_bytes_at(const uint8_t *at, const uint8_t *end, uint8_t tag) {
    struct gate_wire bytes = {NULL, NULL};
    if (end - at < 2 || *at != tag)
        return bytes;
    const struct gate_wire_number len = gate_wire_number_at(at + 1, end, end);
    if (len.at != NULL && len.value <= (uint64_t)(end - len.at))
        bytes = (struct gate_wire){len.at, len.at + len.value};
    return bytes;
}

/**
 * Read the next field. Returns false if the bytes are malformed or truncated; then `wire` is still at the field's
 * start.
 */
GATE_MUST_CHECK static inline bool gate_wire_next(struct gate_wire *wire, struct gate_wire_field *field) {
    struct gate_wire left = *wire;
    uint64_t tag = 0;
    if (!gate_wire_varint(&left, &tag) || tag >> 3 == 0 || tag > UINT32_MAX)
        return false;
    field->number = (uint32_t)(tag >> 3);
    field->type = (uint32_t)(tag & 7);
    field->bytes = (struct gate_wire){left.at, left.at}; /* a field that is not GATE_WIRE_BYTES has empty `bytes` */
    size_t skip = 0;
    switch (field->type) {
    case GATE_WIRE_VARINT:
        if (!gate_wire_varint(&left, &field->value))
            return false;
        break;
    case GATE_WIRE_BYTES:
        if (!gate_wire_varint(&left, &field->value) || field->value > gate_wire_left(&left))
            return false;
        skip = (size_t)field->value;
        field->bytes = (struct gate_wire){left.at, left.at + skip};
        break;
    case GATE_WIRE_FIXED64:
    case GATE_WIRE_FIXED32:
        skip = field->type == GATE_WIRE_FIXED64 ? 8 : 4;
        if (gate_wire_left(&left) < skip)
            return false;
        field->value = 0;
        for (size_t i = skip; i > 0; i--)
            field->value = field->value << 8 | left.at[i - 1];
        break;
    default:
        return false; /* groups (types 3 and 4) are not used by pprof */
    }
    left.at += skip;
    *wire = left;
    return true;
}

/** Return the unread bytes as a text. */
static inline struct gate_str gate_wire_view(struct gate_wire wire) {
    return (struct gate_str){(const char *)wire.at, gate_wire_left(&wire)};
}

/** Append a varint without a tag. */
void gate_wire_put_varint(struct gate_buf *out, uint64_t value);

/** Append a varint field. Appends nothing if `value` is 0, the default. */
void gate_wire_put_number(struct gate_buf *out, uint32_t field, uint64_t value);

/** Append a bytes field, even if it is empty. */
void gate_wire_put_bytes(struct gate_buf *out, uint32_t field, struct gate_str bytes);

#endif
