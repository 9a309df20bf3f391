/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON parser, a strict reader for the files that this program writes, and a JSON writer. */
#ifndef GATE_BASE_JSON_IO_H
#define GATE_BASE_JSON_IO_H

#include "gate/base/arena.h"
#include "gate/base/escape.h"
#include "gate/base/str.h"

#include <jansson.h>

/* ---- parser: JSON text to jansson's values ----------------------------------------------------------------------- */

/* jansson's own parser ignores failed allocations in strings, which then lack a part. This parser returns complete
 * values or an error. */

/** Options of gate_json_text_read, or-ed. */
enum gate_json_text_flag {
    GATE_JSON_TEXT_UNIQUE = 1, /* refuse a key that occurs twice in a map; otherwise the last one counts */
    GATE_JSON_TEXT_ZEROS = 2,  /* allow \u0000 in strings, but not in keys */
    GATE_JSON_TEXT_WIDE = 4    /* read an integer of more than 64 bits as a double instead of failing */
};

/** Why parsing failed, and where. */
struct gate_json_fault {
    const char *what; /* message such as "expected ':' behind a key"; NULL: out of memory */
    size_t line;      /* counts from 1 */
    size_t column;    /* in bytes, counts from 1 */
};

enum { GATE_JSON_TEXT_DEPTH = 2048 };

/**
 * Parse all of `text` as one map or list (RFC 8259). Free the result with json_decref. O(len).
 *
 * Returns NULL and sets `*fault` if the text is malformed, is not UTF-8 or is nested deeper than GATE_JSON_TEXT_DEPTH.
 * It also fails for integers of more than 64 bits without GATE_JSON_TEXT_WIDE, for numbers larger than any double, and
 * if memory is out.
 *
 * Memory: see gate_json_tree_bytes (formats/json_tree.h).
 */
GATE_MUST_CHECK
json_t *gate_json_text_read(struct gate_json_fault *fault, struct gate_str text, unsigned flags);

/* ---- strict reader for our own JSON files ------------------------------------------------------------------------ */

/* Missing values, values of another kind and unknown keys are errors that name their place. Profiles in JSON have
 * readers of their own. */

/** A map of a document, and its name in messages. */
struct gate_json_reader {
    json_t *map;
    const char *place; /* name of the map in messages, such as "runs[3]" */
    enum gate_error_code code;
    struct gate_arena *arena;
    struct gate_error *err;
};

/** Whether a key is required. */
enum gate_json_reader_need {
    GATE_JSON_READER_MAY,   /* optional */
    GATE_JSON_READER_MUST,  /* required */
    GATE_JSON_READER_FILLED /* required, and its string must not be empty */
};

/**
 * Parse the document in `text`. Free the result with json_decref. Memory: some hundred bytes per value.
 *
 * what  the expected document, for the message: "a ledger"
 * err   `code` if it is not JSON or repeats a key; GATE_ERR_MEMORY
 */
GATE_MUST_CHECK
json_t *gate_json_reader_parse(struct gate_str text, const char *what, enum gate_error_code code,
                               struct gate_error *err);

/** Record an error such as "runs[3]: expected a text in 'kind'". Always returns false. */
bool gate_json_reader_refuse(const struct gate_json_reader *reader, const char *key, const char *expected);

/** Check that the reader's value is a map and that each key is in `known` (NULL-terminated). */
GATE_MUST_CHECK
bool gate_json_reader_keys(const struct gate_json_reader *reader, const char *const *known);

/** Copy the string of `key` into the arena. It is empty if an optional key is missing. */
GATE_MUST_CHECK
bool gate_json_reader_text(struct gate_str *out, const struct gate_json_reader *reader, const char *key,
                           enum gate_json_reader_need need);

/** Read an integer from `least` to `most`. If an optional key is missing, `*out` is unchanged. */
GATE_MUST_CHECK
bool gate_json_reader_integer(int64_t *out, const struct gate_json_reader *reader, const char *key, int64_t least,
                              int64_t most, enum gate_json_reader_need need);

/** Read a number that is at least 0. If an optional key is missing, `*out` is unchanged. */
GATE_MUST_CHECK
bool gate_json_reader_number(double *out, const struct gate_json_reader *reader, const char *key,
                             enum gate_json_reader_need need);

/** Find the list of `key`, which has at most `most` items. `*out` is NULL if an optional key is missing. */
GATE_MUST_CHECK
bool gate_json_reader_list(const json_t **out, const struct gate_json_reader *reader, const char *key, size_t most,
                           enum gate_json_reader_need need);

/** Return a reader for item `index` of `list`. `place` is its name in messages. */
struct gate_json_reader gate_json_reader_item(const struct gate_json_reader *reader, const json_t *list, size_t index,
                                              const char *place);

/** Check that the string of 'schema' is `schema`. `advice` ends the message otherwise: what the user should do. */
GATE_MUST_CHECK
bool gate_json_reader_schema(const struct gate_json_reader *reader, const char *schema, const char *advice);

/* ---- writer ------------------------------------------------------------------------------------------------------ */

/* Writes commas, brackets and indentation. Strings are escaped with gate_escape_json. */

/** A writer. Set `out`, and zero-initialise the rest. With `indent` 0 it writes no white space. */
struct gate_json {
    struct gate_buf *out;
    unsigned indent; /* spaces per level */
    unsigned level;
    bool has_item; /* the current bracket has an item, so the next one needs a comma */
    bool after_key;
    unsigned flat; /* > 0: depth inside a bracket that is written on one line */
};

/** Write '{' or '['. */
void gate_json_open(struct gate_json *json, char bracket);

/** Write '{' or '[' and everything up to its closing bracket on one line. */
void gate_json_open_flat(struct gate_json *json, char bracket);

/** Write '}' or ']'. */
void gate_json_close(struct gate_json *json, char bracket);

/** Write several of them, innermost first: "}]". */
void gate_json_close_all(struct gate_json *json, const char *brackets);

/** Write a key without escaping it. Keys are words of this program. */
void gate_json_key_str(struct gate_json *json, struct gate_str key);

static inline void gate_json_key(struct gate_json *json, const char *key) {
    gate_json_key_str(json, (struct gate_str){key, strlen(key)});
}

/** Write `text` as a string in quotes, escaped. */
void gate_json_string(struct gate_json *json, struct gate_str text);

/** Like gate_json_string, for a C string. */
void gate_json_text(struct gate_json *json, const char *text);

void gate_json_integer(struct gate_json *json, int64_t value);

/** Write at most 10 significant digits, or null if `value` is not finite. */
void gate_json_number(struct gate_json *json, double value);

/** Write `value` rounded to `decimals` (0 to 4) decimals, in the form of gate_json_number. */
void gate_json_rounded(struct gate_json *json, double value, int decimals);

void gate_json_bool(struct gate_json *json, bool value);

/* Each of these writes a key and its value, as the function without `put` writes the value. */

static inline void gate_json_put_open(struct gate_json *json, const char *key, char bracket) {
    gate_json_key(json, key);
    gate_json_open(json, bracket);
}

static inline void gate_json_put_open_flat(struct gate_json *json, const char *key, char bracket) {
    gate_json_key(json, key);
    gate_json_open_flat(json, bracket);
}

static inline void gate_json_put_string(struct gate_json *json, const char *key, struct gate_str text) {
    gate_json_key(json, key);
    gate_json_string(json, text);
}

static inline void gate_json_put_text(struct gate_json *json, const char *key, const char *text) {
    gate_json_key(json, key);
    gate_json_text(json, text);
}

static inline void gate_json_put_integer(struct gate_json *json, const char *key, int64_t value) {
    gate_json_key(json, key);
    gate_json_integer(json, value);
}

static inline void gate_json_put_number(struct gate_json *json, const char *key, double value) {
    gate_json_key(json, key);
    gate_json_number(json, value);
}

static inline void gate_json_put_bool(struct gate_json *json, const char *key, bool value) {
    gate_json_key(json, key);
    gate_json_bool(json, value);
}

/**
 * Writer for a key and a long list of numbers, which make up most of a page. It writes several at a time, without white
 * space.
 */
struct gate_json_column {
    struct gate_json *json;
    int decimals;
    uint32_t count; /* number of entries in `values` */
    int64_t values[64];
};

/**
 * Start the list. The writer's `indent` must be 0.
 *
 * decimals  decimals (0 to 4) of the numbers, which are scaled by 10^decimals; trailing zeros are left out
 */
void gate_json_column_begin(struct gate_json_column *column, struct gate_json *json, const char *key, int decimals);

/** Write the numbers that were added so far. */
void gate_json_column_flush(struct gate_json_column *column);

/** Write the remaining numbers and close the list. */
void gate_json_column_end(struct gate_json_column *column);

/** Append a number that is already scaled by 10^decimals; an integer if the column has no decimals. */
static inline void gate_json_column_add(struct gate_json_column *column, int64_t value) {
    column->values[column->count++] = value;
    if (column->count == sizeof column->values / sizeof *column->values)
        gate_json_column_flush(column);
}

/** Round `value` and append it as gate_json_rounded would write it. */
void gate_json_column_round(struct gate_json_column *column, double value);

#endif
