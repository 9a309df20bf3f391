/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that are found at an address, as bytes. */
#include "gate/symbols/symbol_lines.h"

#include "gate/model/wire.h"

/* Protobuf's wire format: one message per address that contains one message per call. */

enum { FIELD_ANSWER = 1, FIELD_CALL = 1, FIELD_NAME = 1, FIELD_SYSTEM, FIELD_FILE, FIELD_LINE, FIELD_START };

static struct gate_str cut(struct gate_str text) {
    return gate_str_slice(text, 0, GATE_SYMBOL_NAME_BYTES);
}

static void call_write(struct gate_buf *out, const struct gate_symbol_line *line) {
    gate_wire_put_bytes(out, FIELD_NAME, cut(line->name));
    gate_wire_put_bytes(out, FIELD_SYSTEM, cut(line->system_name));
    gate_wire_put_bytes(out, FIELD_FILE, cut(line->file));
    gate_wire_put_number(out, FIELD_LINE, (uint64_t)line->line);
    gate_wire_put_number(out, FIELD_START, (uint64_t)line->start_line);
}

void gate_symbol_lines_write(struct gate_buf *out, const struct gate_symbol_line *lines, uint32_t count) {
    struct gate_buf answer = {0}, call = {0};
    for (uint32_t i = 0; i < count; i++) {
        call.len = 0;
        call_write(&call, &lines[i]);
        gate_wire_put_bytes(&answer, FIELD_CALL, gate_buf_view(&call));
    }
    gate_wire_put_bytes(out, FIELD_ANSWER, gate_buf_view(&answer));
    gate_buf_free_part(out, &answer);
    gate_buf_free_part(out, &call);
}

static bool call_read(struct gate_symbol_line *line, struct gate_wire wire, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_wire_field field;
    *line = (struct gate_symbol_line){GATE_STR(""), GATE_STR(""), GATE_STR(""), 0, 0, 0};
    while (wire.at < wire.end && gate_wire_next(&wire, &field)) {
        struct gate_str *text = field.number == FIELD_NAME     ? &line->name
                                : field.number == FIELD_SYSTEM ? &line->system_name
                                : field.number == FIELD_FILE   ? &line->file
                                                               : NULL;
        if (text != NULL) {
            *text = gate_str_repair_utf8(arena, gate_wire_view(field.bytes));
            if (text->ptr == NULL)
                return gate_arena_error(arena, err);
        } else if (field.number == FIELD_LINE) {
            line->line = (int64_t)field.value;
        } else if (field.number == FIELD_START) {
            line->start_line = (int64_t)field.value;
        }
    }
    return true;
}

static bool answer_read(struct gate_symbol_answer *out, struct gate_wire bytes, struct gate_arena *arena,
                        struct gate_error *err) {
    struct gate_wire count = bytes;
    struct gate_wire_field field;
    uint32_t calls = 0;
    while (calls < GATE_SYMBOL_LINES_MAX && count.at < count.end && gate_wire_next(&count, &field))
        calls++;
    struct gate_symbol_line *lines = GATE_NEW_ARRAY(arena, struct gate_symbol_line, calls);
    if (lines == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < calls; i++)
        if (gate_wire_next(&bytes, &field) && !call_read(&lines[i], field.bytes, arena, err))
            return false;
    *out = (struct gate_symbol_answer){lines, calls};
    return true;
}

bool gate_symbol_lines_read(struct gate_symbol_answer *out, size_t count, struct gate_str bytes,
                            struct gate_arena *arena, struct gate_error *err) {
    struct gate_wire wire = gate_wire_of(bytes);
    struct gate_wire_field field;
    for (size_t i = 0; i < count; i++)
        if (!gate_wire_next(&wire, &field) || field.number != FIELD_ANSWER || field.type != GATE_WIRE_BYTES)
            return gate_error_set(err, GATE_ERR_FORMAT, "its names are not whole: %zu of %zu addresses are answered", i,
                                  count);
        else if (!answer_read(&out[i], field.bytes, arena, err))
            return false;
    return true;
}
