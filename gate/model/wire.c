/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf wire format: writer. */
#include "gate/model/wire.h"

#include "gate/base/buf.h"

enum { VARINT_BYTES = 10 };

/* Write `value` as a varint and return its length. */
static size_t varint_to(char *at, uint64_t value) {
    size_t len = 0;
    while (value >= 0x80) {
        at[len++] = (char)(0x80 | (value & 0x7F));
        value >>= 7;
    }
    at[len++] = (char)value;
    return len;
}

static bool is_roomy(const struct gate_buf *out, size_t more) {
    return !out->failed && out->capacity - out->len >= more;
}

/* Writes directly into the buffer if the longest varint fits, as it nearly always does. */
void gate_wire_put_varint(struct gate_buf *out, uint64_t value) {
    char bytes[VARINT_BYTES];
    if (is_roomy(out, VARINT_BYTES)) {
        out->len += varint_to(out->ptr + out->len, value);
        return;
    }
    size_t len = varint_to(bytes, value);
    gate_buf_bytes(out, bytes, len);
}

void gate_wire_put_number(struct gate_buf *out, uint32_t field, uint64_t value) {
    if (value == 0)
        return;
    if (field < 16 && is_roomy(out, 1 + VARINT_BYTES)) {
        char *at = out->ptr + out->len;
        *at = (char)(field << 3 | GATE_WIRE_VARINT);
        out->len += 1 + varint_to(at + 1, value);
        return;
    }
    gate_wire_put_varint(out, (uint64_t)field << 3 | GATE_WIRE_VARINT);
    gate_wire_put_varint(out, value);
}

void gate_wire_put_bytes(struct gate_buf *out, uint32_t field, struct gate_str bytes) {
    gate_wire_put_varint(out, (uint64_t)field << 3 | GATE_WIRE_BYTES);
    gate_wire_put_varint(out, bytes.len);
    gate_buf_str(out, bytes);
}
