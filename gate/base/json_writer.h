/* SPDX-License-Identifier: Apache-2.0 */
/* Commas and brackets of JSON, so that who writes some says only what is in it. Strings go through gate_escape_json.
 * Used by report/ and rules/noise_file.c. */
#ifndef GATE_BASE_JSON_WRITER_H
#define GATE_BASE_JSON_WRITER_H

#include "gate/base/escape.h"

/** Zero-initialise but for `out`. `indent` 0 writes no white space at all. */
struct gate_json {
    struct gate_buf *out;
    unsigned indent; /* spaces a level */
    unsigned level;
    bool has_item; /* the open bracket holds something: the next item needs a comma */
    bool after_key;
    unsigned flat; /* > 0: inside a bracket that is written on one line */
};

/** '{' or '['. */
void gate_json_open(struct gate_json *json, char bracket);
/** The same on one line to its end, with everything in it. */
void gate_json_open_flat(struct gate_json *json, char bracket);
/** '}' or ']'. */
void gate_json_close(struct gate_json *json, char bracket);

/** A key stands for itself: it is a word of ours, and nothing of it is escaped. */
void gate_json_key_str(struct gate_json *json, struct gate_str key);
static inline void gate_json_key(struct gate_json *json, const char *key) {
    gate_json_key_str(json, (struct gate_str){key, strlen(key)});
}
void gate_json_string(struct gate_json *json, struct gate_str text);
void gate_json_text(struct gate_json *json, const char *text);
void gate_json_integer(struct gate_json *json, int64_t value);
/** At most 10 significant digits; null for what is not finite. */
void gate_json_number(struct gate_json *json, double value);
/** The same of `value` rounded to `decimals` (0 to 4) digits behind the point. */
void gate_json_rounded(struct gate_json *json, double value, int decimals);
void gate_json_bool(struct gate_json *json, bool value);

/** A key and a list of many numbers behind it, written some at a time: most of what a page holds. Without white space.
 */
struct gate_json_column {
    struct gate_json *json;
    int decimals;
    uint32_t count; /* of those below */
    int64_t values[64];
};

/** `decimals` (0 to 4): of numbers that are added as they are rounded, without zeros at their end. */
void gate_json_column_begin(struct gate_json_column *column, struct gate_json *json, const char *key, int decimals);
void gate_json_column_flush(struct gate_json_column *column);
void gate_json_column_end(struct gate_json_column *column);

/** An integer, of a column without decimals. */
static inline void gate_json_column_add(struct gate_json_column *column, int64_t value) {
    column->values[column->count++] = value;
    if (column->count == sizeof column->values / sizeof *column->values)
        gate_json_column_flush(column);
}

/** What gate_json_rounded writes of `value`. */
void gate_json_column_round(struct gate_json_column *column, double value);

#endif
