/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text to jansson's values (see json_text.h). Containers that are not closed yet are a list, so that depth costs
 * no stack; each stands in the one above it from its first byte on, so that letting the root go is enough. */
#include "gate/base/json_text.h"

#include "gate/base/buf.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

struct reading {
    struct gate_str text;
    size_t at;
    unsigned flags;
    const char *what; /* is wrong; NULL: memory is out, where a function returned false */
    struct gate_buf key, word;
    size_t depth;
    json_t *open[GATE_JSON_TEXT_DEPTH];
};

static bool refuse(struct reading *in, const char *what) {
    in->what = what;
    return false;
}

/* The next byte; -1: the text has ended. */
static int peek(const struct reading *in) {
    return in->at < in->text.len ? (unsigned char)in->text.ptr[in->at] : -1;
}

static int after_blanks(struct reading *in) {
    while (in->at < in->text.len && (in->text.ptr[in->at] == ' ' || in->text.ptr[in->at] == '\n' ||
                                     in->text.ptr[in->at] == '\t' || in->text.ptr[in->at] == '\r'))
        in->at++;
    return peek(in);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static bool hex_digits(uint32_t *out, struct reading *in) {
    *out = 0;
    for (int i = 0; i < 4; i++, in->at++) {
        int c = peek(in);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
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

/* Behind "\u": one code point, of one escape or of the two that are a pair. */
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

/* Bytes from `at` that stand for themselves. False: they are not UTF-8. */
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

/* The text whose quote is at `at`: a part of the document where it has no escape, else what is in `room`. */
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

static bool is_digit(int c) {
    return c >= '0' && c <= '9';
}

static bool digits(struct reading *in) {
    if (!is_digit(peek(in)))
        return refuse(in, "expected a digit");
    while (is_digit(peek(in)))
        in->at++;
    return true;
}

static bool integer_of(json_t **out, struct reading *in, struct gate_str number) {
    bool is_negative = number.ptr[0] == '-';
    json_int_t value = 0;
    for (size_t i = is_negative; i < number.len; i++) {
        json_int_t digit = number.ptr[i] - '0';
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, is_negative ? -digit : digit, &value))
            return refuse(in, "found an integer of more than 64 bits");
    }
    *out = json_integer(value);
    return *out != NULL;
}

/* strtod wants an end, and the point of the locale, which is the calling program's. */
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
        in->at++; /* and no digit may follow, which what comes next finds */
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
    return is_real ? real_of(out, in, number) : integer_of(out, in, number);
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

/* A container is empty still; its bracket is passed. */
static bool read_value(json_t **out, struct reading *in) {
    struct gate_str text;
    int c = after_blanks(in);
    if (c == '{' || c == '[') {
        in->at++;
        *out = c == '{' ? json_object() : json_array();
        return *out != NULL;
    }
    if (c == '"') {
        if (!read_text(&text, in, &in->word, (in->flags & GATE_JSON_TEXT_ZEROS) != 0))
            return false;
        *out = json_stringn_nocheck(text.ptr, text.len);
        return *out != NULL;
    }
    return c == '-' || is_digit(c) ? read_number(out, in) : read_word(out, in);
}

/* A key and the colon behind it, as a C string in in->key. */
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

/* One member of the innermost container. `*is_open`: it is a container itself, and the innermost now. */
static bool read_member(bool *is_open, struct reading *in) {
    json_t *parent = in->open[in->depth - 1], *value = NULL;
    bool is_map = json_is_object(parent);
    if ((is_map && !read_key(in, parent)) || !read_value(&value, in))
        return false;
    *is_open = json_is_object(value) || json_is_array(value);
    /* The parent holds it, and lets it go where it cannot. */
    if ((is_map ? json_object_set_new_nocheck(parent, in->key.ptr, value) : json_array_append_new(parent, value)) != 0)
        return false;
    if (!*is_open)
        return true;
    if (in->depth == GATE_JSON_TEXT_DEPTH)
        return refuse(in, "nested too deeply");
    in->open[in->depth++] = value;
    return true;
}

/* All that is in the root, and its end. */
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
