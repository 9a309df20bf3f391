/* SPDX-License-Identifier: Apache-2.0 */
/* Writing protobuf's wire format (see wire.h). */
#include "gate/profile/wire.h"

void gate_wire_put_varint(struct gate_buf *out, uint64_t value) {
    char bytes[10];
    size_t len = 0;
    while (value >= 0x80) {
        bytes[len++] = (char)(0x80 | (value & 0x7F));
        value >>= 7;
    }
    bytes[len++] = (char)value;
    gate_buf_bytes(out, bytes, len);
}

void gate_wire_put_number(struct gate_buf *out, uint32_t field, uint64_t value) {
    if (value == 0)
        return;
    gate_wire_put_varint(out, (uint64_t)field << 3 | GATE_WIRE_VARINT);
    gate_wire_put_varint(out, value);
}

void gate_wire_put_bytes(struct gate_buf *out, uint32_t field, struct gate_str bytes) {
    gate_wire_put_varint(out, (uint64_t)field << 3 | GATE_WIRE_BYTES);
    gate_wire_put_varint(out, bytes.len);
    gate_buf_str(out, bytes);
}
