/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/json_io.h"

#include "gate/base/arena.h"
#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/base/str.h"

#include <inttypes.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- parser: JSON text to jansson's values ----------------------------------------------------------------------- */

/* A list holds the containers that are not closed yet, so that nesting uses no stack. Each container is added to its
 * parent when it opens, so that freeing the root frees everything. */

struct reading {
    struct gate_str text;
    size_t at;
    unsigned flags;
    const char *what; /* the error; NULL with a return value of false: out of memory */
    struct gate_buf key, word;
    size_t depth;
    json_t *open[GATE_JSON_TEXT_DEPTH];
};

static bool refuse(struct reading *in, const char *what) {
    in->what = what;
    return false;
}

/* Return the next byte, or -1 at the end of the text. */
static int peek(const struct reading *in) {
    return in->at < in->text.len ? (unsigned char)in->text.ptr[in->at] : -1;
}

static int after_blanks(struct reading *in) {
    while (in->at < in->text.len && (in->text.ptr[in->at] == ' ' || in->text.ptr[in->at] == '\n' ||
                                     in->text.ptr[in->at] == '\t' || in->text.ptr[in->at] == '\r'))
        in->at++;
    return peek(in);
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

static bool hex_digits(uint32_t *out, struct reading *in) {
    *out = 0;
    for (int i = 0; i < 4; i++, in->at++) {
        int c = peek(in);
        int digit = gate_hex_value(c);
        if (digit < 0)
            return refuse(in, "expected four hexadecimal digits behind '\\u'");
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

static void put_utf8(struct gate_buf *out, uint32_t c) {
    if (c < 0x80) {
        gate_buf_char(out, (char)c);
        return;
    }
    if (c < 0x800) {
        gate_buf_char(out, (char)(0xC0 | c >> 6));
    } else {
        if (c < 0x10000) {
            gate_buf_char(out, (char)(0xE0 | c >> 12));
        } else {
            gate_buf_char(out, (char)(0xF0 | c >> 18));
            gate_buf_char(out, (char)(0x80 | (c >> 12 & 0x3F)));
        }
        gate_buf_char(out, (char)(0x80 | (c >> 6 & 0x3F)));
    }
    gate_buf_char(out, (char)(0x80 | (c & 0x3F)));
}

/* Read a code point after "\u", from one escape or from the two of a surrogate pair. */
static bool read_code_point(struct gate_buf *out, struct reading *in, bool takes_zero) {
    static const char half[] = "found half of a pair of surrogates";
    uint32_t c = 0, low = 0;
    if (!hex_digits(&c, in))
        return false;
    if (c >= 0xD800 && c < 0xDC00) {
        if (!gate_str_starts(gate_str_slice(in->text, in->at, in->text.len), GATE_STR("\\u")))
            return refuse(in, half);
        in->at += 2;
        if (!hex_digits(&low, in))
            return false;
        if (low < 0xDC00 || low > 0xDFFF)
            return refuse(in, half);
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    } else if (c >= 0xDC00 && c < 0xE000) {
        return refuse(in, half);
    }
    if (c == 0 && !takes_zero)
        return refuse(in, "found a zero byte in a text");
    put_utf8(out, c);
    return true;
}

static bool read_escape(struct gate_buf *out, struct reading *in, bool takes_zero) {
    static const char named[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    in->at++;
    int c = peek(in);
    if (c == 'u') {
        in->at++;
        return read_code_point(out, in, takes_zero);
    }
    const char *found = c <= 0 ? NULL : strchr(named, c);
    if (found == NULL)
        return refuse(in, "found an escape that JSON does not have");
    in->at++;
    gate_buf_char(out, meant[found - named]);
    return true;
}

/* Find the end of the bytes from `at` on that need no decoding. Return false if they are not UTF-8. */
static bool plain_end(size_t *end, struct reading *in) {
    uint32_t ignored = 0;
    size_t at = in->at;
    while (at < in->text.len) {
        unsigned char c = (unsigned char)in->text.ptr[at];
        if (c == '"' || c == '\\' || c < ' ')
            break;
        size_t step = c < 0x80 ? 1 : gate_utf8_decode(in->text, at, &ignored);
        if (step == 0) {
            in->at = at;
            return refuse(in, "found bytes that are not UTF-8");
        }
        at += step;
    }
    *end = at;
    return true;
}

/* Read the string whose opening quote is at `at`. `*out` is a part of the document if the string has no escapes;
 * otherwise it is in `room`. */
static bool read_text(struct gate_str *out, struct reading *in, struct gate_buf *room, bool takes_zero) {
    bool is_plain = true;
    room->len = 0;
    for (in->at++;; is_plain = false) {
        size_t from = in->at, end = 0;
        if (!plain_end(&end, in))
            return false;
        in->at = end;
        int c = peek(in);
        struct gate_str plain = gate_str_slice(in->text, from, end);
        if (c == '"' && is_plain) {
            in->at++;
            *out = plain;
            return true;
        }
        gate_buf_str(room, plain);
        if (c == '"') {
            in->at++;
            *out = gate_buf_view(room);
            return !room->failed;
        }
        if (c != '\\')
            return refuse(in, c < 0 ? "the text ends inside of a string" : "found a control character in a string");
        if (!read_escape(room, in, takes_zero))
            return false;
    }
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static bool digits(struct reading *in) {
    if (!gate_is_digit(peek(in)))
        return refuse(in, "expected a digit");
    while (gate_is_digit(peek(in)))
        in->at++;
    return true;
}

/* Return false if the integer exceeds 64 bits. */
static bool integer_of(json_int_t *out, struct gate_str number) {
    bool is_negative = number.ptr[0] == '-';
    *out = 0;
    for (size_t i = is_negative; i < number.len; i++) {
        json_int_t digit = number.ptr[i] - '0';
        if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, is_negative ? -digit : digit, out))
            return false;
    }
    return true;
}

/* strtod needs a NUL at the end and the decimal point of the locale, which the calling program may have set. */
static bool real_of(json_t **out, struct reading *in, struct gate_str number) {
    const char *point = localeconv()->decimal_point;
    in->word.len = 0;
    for (size_t i = 0; i < number.len; i++)
        if (number.ptr[i] == '.')
            gate_buf_text(&in->word, point);
        else
            gate_buf_char(&in->word, number.ptr[i]);
    gate_buf_char(&in->word, '\0');
    if (in->word.failed)
        return false;
    double value = strtod(in->word.ptr, NULL);
    if (isinf(value))
        return refuse(in, "found a number that is too large");
    *out = json_real(value);
    return *out != NULL;
}

static bool read_number(json_t **out, struct reading *in) {
    size_t from = in->at;
    bool is_real = false;
    in->at += peek(in) == '-';
    if (peek(in) == '0')
        in->at++; /* no digit may follow; the caller reports one as unexpected */
    else if (!digits(in))
        return false;
    if (peek(in) == '.') {
        in->at++;
        is_real = true;
        if (!digits(in))
            return false;
    }
    if (peek(in) == 'e' || peek(in) == 'E') {
        in->at++;
        is_real = true;
        in->at += peek(in) == '+' || peek(in) == '-';
        if (!digits(in))
            return false;
    }
    struct gate_str number = gate_str_slice(in->text, from, in->at);
    json_int_t value = 0;
    bool fits = !is_real && integer_of(&value, number);
    if (fits) {
        *out = json_integer(value);
        return *out != NULL;
    }
    if (!is_real && (in->flags & GATE_JSON_TEXT_WIDE) == 0)
        return refuse(in, "found an integer of more than 64 bits");
    return real_of(out, in, number);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool read_word(json_t **out, struct reading *in) {
    static const struct {
        struct gate_str word;
        json_t *(*make)(void);
    } words[] = {{{"true", 4}, json_true}, {{"false", 5}, json_false}, {{"null", 4}, json_null}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!gate_str_starts(gate_str_slice(in->text, in->at, in->text.len), words[i].word))
            continue;
        in->at += words[i].word.len;
        *out = words[i].make();
        return true;
    }
    return refuse(in, in->at == in->text.len ? "the text ends where a value was expected" : "expected a value");
}

/* Read a value. A container is created empty, and only its opening bracket is consumed. */
static bool read_value(json_t **out, struct reading *in) {
    struct gate_str text;
    int c = after_blanks(in);
    if (c == '{' || c == '[') {
        in->at++;
        *out = c == '{' ? json_object() : json_array();
        return *out != NULL;
    }
    if (c == '"') {
        bool is_read = read_text(&text, in, &in->word, (in->flags & GATE_JSON_TEXT_ZEROS) != 0);
        *out = is_read ? json_stringn_nocheck(text.ptr, text.len) : NULL;
        return *out != NULL;
    }
    return c == '-' || gate_is_digit(c) ? read_number(out, in) : read_word(out, in);
}

/* Read a key and its colon. The key is in in->key as a C string. */
static bool read_key(struct reading *in, json_t *map) {
    struct gate_str key;
    if (after_blanks(in) != '"')
        return refuse(in, peek(in) < 0 ? "the text ends inside of a map" : "expected a key in quotes");
    if (!read_text(&key, in, &in->key, false))
        return false;
    if (key.ptr != in->key.ptr)
        gate_buf_str(&in->key, key);
    gate_buf_char(&in->key, '\0');
    if (in->key.failed)
        return false;
    if ((in->flags & GATE_JSON_TEXT_UNIQUE) != 0 && json_object_get(map, in->key.ptr) != NULL)
        return refuse(in, "duplicate key");
    if (after_blanks(in) != ':')
        return refuse(in, "expected ':' behind a key");
    in->at++;
    return true;
}

/* Read one member of the innermost container. If the member is a container, set `*is_open` and make it the
 * innermost. */
static bool read_member(bool *is_open, struct reading *in) {
    json_t *parent = in->open[in->depth - 1], *value = NULL;
    bool is_map = json_is_object(parent);
    if ((is_map && !read_key(in, parent)) || !read_value(&value, in))
        return false;
    *is_open = json_is_object(value) || json_is_array(value);
    /* The parent takes ownership, and frees the value if it cannot add it. */
    if ((is_map ? json_object_set_new_nocheck(parent, in->key.ptr, value) : json_array_append_new(parent, value)) != 0)
        return false;
    if (!*is_open)
        return true;
    if (in->depth == GATE_JSON_TEXT_DEPTH)
        return refuse(in, "nested too deeply");
    in->open[in->depth++] = value;
    return true;
}

/* Read all members of the root, and check that nothing follows. */
static bool read_members(struct reading *in) {
    bool is_first = true;
    while (in->depth > 0) {
        bool is_map = json_is_object(in->open[in->depth - 1]);
        int c = after_blanks(in);
        if (c == (is_map ? '}' : ']')) {
            in->at++;
            in->depth--;
            is_first = false;
            continue;
        }
        if (!is_first && c != ',')
            return refuse(in, is_map ? "expected ',' or '}'" : "expected ',' or ']'");
        in->at += !is_first;
        if (!read_member(&is_first, in))
            return false;
    }
    return after_blanks(in) < 0 || refuse(in, "found more behind the end of the document");
}

static bool read_document(json_t **root, struct reading *in) {
    int c = after_blanks(in);
    if (c != '{' && c != '[')
        return refuse(in, c < 0 ? "found nothing" : "expected '{' or '['");
    if (!read_value(root, in))
        return false;
    in->open[in->depth++] = *root;
    return read_members(in);
}

static void fault_place(struct gate_json_fault *out, const struct reading *in) {
    *out = (struct gate_json_fault){in->what, 1, 1};
    for (size_t i = 0; i < in->at && i < in->text.len; i++) {
        out->line += in->text.ptr[i] == '\n';
        out->column = in->text.ptr[i] == '\n' ? 1 : out->column + 1;
    }
}

json_t *gate_json_text_read(struct gate_json_fault *fault, struct gate_str text, unsigned flags) {
    struct reading in;
    in.text = text;
    in.at = in.depth = 0;
    in.flags = flags;
    in.what = NULL;
    in.key = in.word = (struct gate_buf){0};
    json_t *root = NULL;
    if (!read_document(&root, &in)) {
        fault_place(fault, &in);
        json_decref(root);
        root = NULL;
    }
    gate_buf_free(&in.key);
    gate_buf_free(&in.word);
    return root;
}

/* ---- strict reader for our own JSON files ------------------------------------------------------------------------ */

json_t *gate_json_reader_parse(struct gate_str text, const char *what, enum gate_error_code code,
                               struct gate_error *err) {
    struct gate_json_fault fault = {0};
    json_t *root = gate_json_text_read(&fault, text, GATE_JSON_TEXT_UNIQUE);
    if (root == NULL && fault.what == NULL)
        (void)gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
    else if (root == NULL)
        (void)gate_error_set(err, code, "expected %s in JSON, found in line %zu: %s", what, fault.line, fault.what);
    return root;
}

bool gate_json_reader_refuse(const struct gate_json_reader *reader, const char *key, const char *expected) {
    return gate_error_set(reader->err, reader->code, "%s: expected %s in '%s'", reader->place, expected, key);
}

bool gate_json_reader_keys(const struct gate_json_reader *reader, const char *const *known) {
    const char *key;
    json_t *value;
    if (!json_is_object(reader->map))
        return gate_error_set(reader->err, reader->code, "%s: expected a map", reader->place);
    json_object_foreach(reader->map, key, value) {
        size_t at = 0;
        while (known[at] != NULL && strcmp(known[at], key) != 0)
            at++;
        if (known[at] == NULL)
            return gate_error_set(reader->err, reader->code, "%s: unknown key '%.100s'", reader->place, key);
    }
    return true;
}

bool gate_json_reader_text(struct gate_str *out, const struct gate_json_reader *reader, const char *key,
                           enum gate_json_reader_need need) {
    const json_t *value = json_object_get(reader->map, key);
    *out = GATE_STR("");
    if (value == NULL && need == GATE_JSON_READER_MAY)
        return true;
    if (!json_is_string(value) || (need == GATE_JSON_READER_FILLED && json_string_length(value) == 0))
        return gate_json_reader_refuse(reader, key, "a text");
    *out = gate_str_copy(reader->arena, (struct gate_str){json_string_value(value), json_string_length(value)});
    return out->ptr != NULL || gate_arena_error(reader->arena, reader->err);
}

bool gate_json_reader_integer(int64_t *out, const struct gate_json_reader *reader, const char *key, int64_t least,
                              int64_t most, enum gate_json_reader_need need) {
    const json_t *value = json_object_get(reader->map, key);
    int64_t found = json_integer_value(value);
    if (value == NULL && need == GATE_JSON_READER_MAY)
        return true;
    if (json_is_integer(value) && found >= least && found <= most) {
        *out = found;
        return true;
    }
    if (least == 0 && most == INT64_MAX)
        return gate_json_reader_refuse(reader, key, "a whole number of zero or more");
    return gate_error_set(reader->err, reader->code,
                          "%s: expected a whole number from %" PRId64 " to %" PRId64 " in '%s'", reader->place, least,
                          most, key);
}

bool gate_json_reader_number(double *out, const struct gate_json_reader *reader, const char *key,
                             enum gate_json_reader_need need) {
    const json_t *value = json_object_get(reader->map, key);
    if (value == NULL && need == GATE_JSON_READER_MAY)
        return true;
    if (!json_is_number(value) || !(json_number_value(value) >= 0))
        return gate_json_reader_refuse(reader, key, "a number of zero or more");
    *out = json_number_value(value);
    return true;
}

bool gate_json_reader_list(const json_t **out, const struct gate_json_reader *reader, const char *key, size_t most,
                           enum gate_json_reader_need need) {
    *out = json_object_get(reader->map, key);
    if (*out == NULL && need == GATE_JSON_READER_MAY)
        return true;
    if (!json_is_array(*out))
        return gate_json_reader_refuse(reader, key, "a list");
    return json_array_size(*out) <= most ||
           gate_error_set(reader->err, reader->code, "%s: expected a list of at most %zu in '%s', found %zu",
                          reader->place, most, key, json_array_size(*out));
}

struct gate_json_reader gate_json_reader_item(const struct gate_json_reader *reader, const json_t *list, size_t index,
                                              const char *place) {
    struct gate_json_reader item = *reader;
    item.map = json_array_get(list, index);
    item.place = place;
    return item;
}

bool gate_json_reader_schema(const struct gate_json_reader *reader, const char *schema, const char *advice) {
    const json_t *found = json_object_get(reader->map, "schema");
    if (!json_is_object(reader->map))
        return gate_error_set(reader->err, reader->code, "%s: expected a map with 'schema'", reader->place);
    if (!json_is_string(found))
        return gate_json_reader_refuse(reader, "schema", "a text");
    return strcmp(json_string_value(found), schema) == 0 ||
           gate_error_set(reader->err, reader->code, "expected the schema '%s', found '%.100s'; %s", schema,
                          json_string_value(found), advice);
}

/* ---- writer ------------------------------------------------------------------------------------------------------ */

static void json_line(struct gate_json *json) {
    if (json->indent == 0 || json->flat > 0)
        return;
    gate_buf_char(json->out, '\n');
    gate_buf_repeat(json->out, ' ', (size_t)json->level * json->indent);
}

/* Write the comma and white space before an item. */
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

/* A fast path for columns of numbers, which are most of a page and have no white space. */
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

void gate_json_close_all(struct gate_json *json, const char *brackets) {
    while (*brackets != '\0')
        gate_json_close(json, *brackets++);
}

void gate_json_key_str(struct gate_json *json, struct gate_str key) {
    enum { MARKS = 4 }; /* two quotes, colon and space */
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
