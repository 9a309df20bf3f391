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

void gate_json_key(struct gate_json *json, const char *key) {
    json_item(json);
    gate_escape_json(json->out, gate_str_from(key));
    gate_buf_text(json->out, json->indent > 0 ? ": " : ":");
    json->after_key = true;
}

void gate_json_string(struct gate_json *json, struct gate_str text) {
    json_item(json);
    gate_escape_json(json->out, text);
}

void gate_json_text(struct gate_json *json, const char *text) {
    gate_json_string(json, gate_str_from(text));
}

/* ",123" and so on: most of what a page's columns hold. */
static inline bool json_next_small(struct gate_json *json, int64_t value) {
    struct gate_buf *out = json->out;
    bool is_next = json->has_item && json->indent == 0 && !json->after_key && (uint64_t)value < 10000;
    if (!is_next || out->failed || out->capacity - out->len < 5)
        return false;
    char *text = out->ptr + out->len;
    unsigned rest = (unsigned)value;
    size_t count = 1u + (rest >= 10) + (rest >= 100) + (rest >= 1000);
    text[0] = ',';
    for (size_t at = count; at > 0; rest /= 10)
        text[at--] = (char)('0' + rest % 10);
    out->len += count + 1;
    return true;
}

void gate_json_integer(struct gate_json *json, int64_t value) {
    if (json_next_small(json, value))
        return;
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
