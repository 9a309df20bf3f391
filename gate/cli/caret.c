/* SPDX-License-Identifier: Apache-2.0 */
/* The source line of a place with a caret under it (see caret.h). */
#include "gate/cli/caret.h"

#include "gate/base/escape.h"

enum { CARET_BEFORE = 60, CARET_AFTER = 40 };

static struct gate_str line_at(struct gate_str text, uint32_t line) {
    size_t at = 0;
    for (uint32_t i = 1; i < line; i++) {
        at = gate_str_find(text, GATE_STR("\n"), at);
        if (at == SIZE_MAX)
            return (struct gate_str){NULL, 0};
        at++;
    }
    size_t end = gate_str_find(text, GATE_STR("\n"), at);
    struct gate_str found = gate_str_slice(text, at, end == SIZE_MAX ? text.len : end);
    if (found.len > 0 && found.ptr[found.len - 1] == '\r')
        found.len--;
    return found;
}

/* Byte offset of the `column`th character, at most the line's length. */
static size_t offset_of(struct gate_str line, uint32_t column) {
    size_t at = 0;
    uint32_t ignored = 0;
    for (uint32_t i = 1; i < column && at < line.len; i++) {
        size_t step = gate_utf8_decode(line, at, &ignored);
        at += step == 0 ? 1 : step;
    }
    return at;
}

/* The number of the character that begins at byte `at`; the inverse of offset_of. */
static uint32_t character_at(struct gate_str line, size_t at) {
    uint32_t column = 1;
    uint32_t ignored = 0;
    for (size_t i = 0; i < at; column++) {
        size_t step = gate_utf8_decode(line, i, &ignored);
        i += step == 0 ? 1 : step;
    }
    return column;
}

/* A tab is as wide as a space here. Cuts are between characters. */
static void show_part(struct gate_buf *out, struct gate_str part) {
    struct gate_buf plain = {0};
    for (size_t at = 0; at < part.len; at++)
        gate_buf_char(&plain, part.ptr[at] == '\t' ? ' ' : part.ptr[at]);
    gate_escape_terminal(out, gate_buf_view(&plain));
    out->failed = out->failed || plain.failed;
    gate_buf_free(&plain);
}

void gate_caret_print(struct gate_buf *out, struct gate_str text, uint32_t line, uint32_t column) {
    struct gate_str source = line == 0 ? (struct gate_str){NULL, 0} : line_at(text, line);
    struct gate_buf before = {0};
    if (source.ptr == NULL)
        return;
    size_t at = offset_of(source, column);
    column = character_at(source, at); /* a place past the end is the end */
    uint32_t first = column > CARET_BEFORE ? column - CARET_BEFORE : 1;
    size_t from = offset_of(source, first);
    size_t to = offset_of(source, column + CARET_AFTER);
    show_part(&before, gate_str_slice(source, from, at));
    gate_buf_printf(out, "%6u | %s", (unsigned)line, first > 1 ? "..." : "");
    show_part(out, gate_str_slice(source, from, to)); /* as a whole: two parts may be a command together */
    gate_buf_text(out, to < source.len ? "...\n       | " : "\n       | ");
    gate_buf_repeat(out, ' ', gate_str_columns(gate_buf_view(&before)) + (first > 1 ? 3 : 0));
    gate_buf_text(out, "^\n");
    gate_buf_free_part(out, &before);
}
