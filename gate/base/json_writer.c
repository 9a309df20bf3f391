/* SPDX-License-Identifier: Apache-2.0 */
/* JSON writer (see json_writer.h). */
#include "gate/base/json_writer.h"

static void json_line(struct gate_json *json) {
    if (json->indent == 0 || json->flat > 0)
        return;
    gate_buf_char(json->out, '\n');
    gate_buf_repeat(json->out, ' ', (size_t)json->level * json->indent);
}

/* What stands between the last item and the next. */
static void json_item_spaced(struct gate_json *json) {
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->has_item)
        gate_buf_char(json->out, ',');
    if (json->has_item && json->flat > 0 && json->indent > 0)
        gate_buf_char(json->out, ' ');
    if (json->level > 0)
        json_line(json);
    json->has_item = true;
}

/* Columns of numbers are most of a page: they have no white space. */
static inline void json_item(struct gate_json *json) {
    if (json->has_item && json->indent == 0 && !json->after_key)
        gate_buf_char(json->out, ',');
    else
        json_item_spaced(json);
}

void gate_json_open(struct gate_json *json, char bracket) {
    json_item(json);
    gate_buf_char(json->out, bracket);
    json->level++;
    json->has_item = false;
    if (json->flat > 0)
        json->flat++;
}

void gate_json_open_flat(struct gate_json *json, char bracket) {
    gate_json_open(json, bracket);
    if (json->flat == 0)
        json->flat = 1;
}

void gate_json_close(struct gate_json *json, char bracket) {
    json->level--;
    if (json->has_item)
        json_line(json);
    if (json->flat > 0)
        json->flat--;
    gate_buf_char(json->out, bracket);
    json->has_item = true;
    if (json->level == 0 && json->indent > 0)
        gate_buf_char(json->out, '\n');
}

void gate_json_key_str(struct gate_json *json, struct gate_str key) {
    enum { MARKS = 4 }; /* quotes, colon and space */
    json_item(json);
    json->after_key = true;
    if (!gate_buf_reserve(json->out, key.len + MARKS))
        return;
    char *at = json->out->ptr + json->out->len;
    *at++ = '"';
    memcpy(at, key.ptr, key.len);
    at += key.len;
    *at++ = '"';
    *at++ = ':';
    *at = ' ';
    json->out->len += key.len + MARKS - (json->indent == 0);
}

void gate_json_string(struct gate_json *json, struct gate_str text) {
    json_item(json);
    gate_escape_json(json->out, text);
}

void gate_json_text(struct gate_json *json, const char *text) {
    gate_json_string(json, gate_str_from(text));
}

void gate_json_integer(struct gate_json *json, int64_t value) {
    json_item(json);
    gate_buf_integer(json->out, value);
}

void gate_json_number(struct gate_json *json, double value) {
    json_item(json);
    gate_buf_number(json->out, value);
}

void gate_json_rounded(struct gate_json *json, double value, int decimals) {
    json_item(json);
    gate_buf_rounded(json->out, value, decimals);
}

void gate_json_bool(struct gate_json *json, bool value) {
    json_item(json);
    gate_buf_text(json->out, value ? "true" : "false");
}

void gate_json_column_begin(struct gate_json_column *column, struct gate_json *json, const char *key, int decimals) {
    GATE_ASSERT(json->indent == 0);
    gate_json_key(json, key);
    gate_json_open(json, '[');
    column->json = json;
    column->decimals = decimals;
    column->count = 0;
}

void gate_json_column_flush(struct gate_json_column *column) {
    if (column->count == 0)
        return;
    json_item(column->json);
    gate_buf_joined(column->json->out, column->values, column->count, column->decimals);
    column->count = 0;
}

void gate_json_column_round(struct gate_json_column *column, double value) {
    int64_t scaled;
    if (gate_buf_scaled(&scaled, value, column->decimals)) {
        gate_json_column_add(column, scaled);
        return;
    }
    gate_json_column_flush(column);
    gate_json_rounded(column->json, value, column->decimals);
}

void gate_json_column_end(struct gate_json_column *column) {
    gate_json_column_flush(column);
    gate_json_close(column->json, ']');
}
