/* SPDX-License-Identifier: Apache-2.0 */
/* Growing output buffer for reports, a sink that writes to a buffer, and wrapping of lines. */
#include "gate/base/buf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- sink that writes to a buffer -------------------------------------------------------------------------------- */

static bool buf_take(void *context, struct gate_str bytes, struct gate_error *err) {
    struct gate_buf *buf = context;
    gate_buf_str(buf, bytes);
    return gate_buf_check(buf, err);
}

struct gate_sink gate_sink_of_buf(struct gate_buf *buf) {
    return (struct gate_sink){buf_take, buf};
}

/* ---- growing buffer ---------------------------------------------------------------------------------------------- */

/* The program never calls setlocale, so printf's decimal point is '.'. */

enum { PRINTF_ROOM = 256, FIRST_BYTES = 4096 };

/* Keeps rare code with a large stack frame out of its callers' frames. */
#ifdef __GNUC__
#define GATE_APART __attribute__((noinline))
#else
#define GATE_APART
#endif

/* Below this limit, the error of a double times a power of ten is far less than ROUNDING_DOUBT. */
static const double FAST_LIMIT = 1e9;

static const double ROUNDING_DOUBT = 1e-5;

static const double powers[] = {1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13};

enum { FIXED_DECIMALS = 6 };

void gate_buf_free(struct gate_buf *buf) {
    if (!buf->is_lent) {
        free(buf->ptr);
        gate_arena_pool_give(buf->pool, buf->capacity);
    }
    *buf = (struct gate_buf){0};
}

struct gate_str gate_buf_keep(struct gate_buf *buf, struct gate_arena *arena) {
    struct gate_str text = {NULL, 0};
    if (!buf->failed)
        text = gate_str_copy(arena, gate_buf_view(buf));
    else if (arena->pool != NULL)
        arena->pool->is_short = true;
    gate_buf_free(buf);
    return text;
}

bool gate_buf_keep_into(struct gate_str *out, struct gate_buf *buf, struct gate_arena *arena, struct gate_error *err) {
    bool ok = gate_buf_check(buf, err);
    if (ok) {
        *out = gate_str_copy(arena, gate_buf_view(buf));
        ok = out->ptr != NULL || gate_arena_error(arena, err);
    }
    gate_buf_free(buf);
    return ok;
}

void gate_buf_free_part(struct gate_buf *whole, struct gate_buf *part) {
    whole->failed = whole->failed || part->failed;
    gate_buf_free(part);
}

bool gate_buf_reserve(struct gate_buf *buf, size_t more) {
    if (buf->failed)
        return false;
    if (buf->capacity - buf->len >= more)
        return true;
    bool is_much = buf->len >= GATE_BUF_DRAIN_BYTES || more > GATE_BUF_DRAIN_BYTES - buf->len;
    if (buf->drain != NULL && buf->len > 0 && is_much) {
        buf->failed = !buf->drain(buf->taker, gate_buf_view(buf));
        buf->len = 0;
        return gate_buf_reserve(buf, more);
    }
    if (buf->is_lent) {
        buf->failed = true;
        return false;
    }
    size_t least = buf->drain != NULL ? GATE_BUF_DRAIN_BYTES : FIRST_BYTES;
    size_t wanted = buf->capacity < least ? least : buf->capacity;
    while (wanted - buf->len < more) {
        if (wanted > SIZE_MAX / 2) {
            buf->failed = true;
            return false;
        }
        wanted *= 2;
    }
    size_t added = wanted - buf->capacity;
    buf->is_refused = !gate_arena_pool_take(buf->pool, added);
    char *grown = buf->is_refused ? NULL : realloc(buf->ptr, wanted);
    if (grown == NULL) {
        gate_arena_pool_give(buf->is_refused ? NULL : buf->pool, added);
        buf->failed = true;
        return false;
    }
    buf->ptr = grown;
    buf->capacity = wanted;
    return true;
}

void gate_buf_repeat(struct gate_buf *buf, char c, size_t count) {
    if (count == 0 || !gate_buf_reserve(buf, count))
        return;
    memset(buf->ptr + buf->len, c, count);
    buf->len += count;
}

void gate_buf_printf(struct gate_buf *buf, const char *format, ...) {
    va_list args;
    if (!gate_buf_reserve(buf, PRINTF_ROOM))
        return;
    size_t room = buf->capacity - buf->len;
    va_start(args, format);
    int len = vsnprintf(buf->ptr + buf->len, room, format, args);
    va_end(args);
    if (len < 0) {
        buf->failed = true;
        return;
    }
    if ((size_t)len >= room) { /* print again, now that the length is known */
        if (!gate_buf_reserve(buf, (size_t)len + 1))
            return;
        va_start(args, format);
        (void)vsnprintf(buf->ptr + buf->len, (size_t)len + 1, format, args);
        va_end(args);
    }
    buf->len += (size_t)len;
}

static const char pairs[] = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243"
                            "4445464748495051525354555657585960616263646566676869707172737475767778798081828384858687"
                            "888990919293949596979899";

enum { SHORT_DIGITS = 4, SHORT_END = 10000 };

static inline size_t digits_count(uint64_t value) {
    size_t count = 1;
    for (; value >= 10000; value /= 10000)
        count += 4;
    return count + (value >= 10) + (value >= 100) + (value >= 1000);
}

/* Write the last `count` digits of `value` before `end`, two at a time, with leading zeros. */
static inline void digits_put(char *end, uint64_t value, size_t count) {
    for (; count >= 2; count -= 2, value /= 100)
        memcpy(end -= 2, pairs + 2 * (value % 100), 2);
    if (count > 0)
        end[-1] = (char)('0' + value % 10);
}

static inline char *pair_put(char *at, unsigned value) {
    memcpy(at, pairs + (size_t)2 * value, 2);
    return at + 2;
}

/* Write the digits of a number below 100, or below SHORT_END in short_put. Return where they end. */
static inline char *two_put(char *at, unsigned value) {
    if (value >= 10)
        return pair_put(at, value);
    *at = (char)('0' + value);
    return at + 1;
}

static inline char *short_put(char *at, unsigned value) {
    return value < 100 ? two_put(at, value) : pair_put(two_put(at, value / 100), value % 100);
}

static inline bool buf_has_room(const struct gate_buf *buf, size_t len) {
    return !buf->failed && buf->capacity - buf->len >= len;
}

/* Append the digits of `value`, with the last `decimals` of them after a point. */
static inline void buf_digits(struct gate_buf *buf, bool is_negative, uint64_t value, int decimals) {
    size_t count = digits_count(value), behind = decimals > 0 ? (size_t)decimals : 0;
    if (count <= behind)
        count = behind + 1;
    size_t len = is_negative + count + (behind > 0);
    bool fits = !buf->failed && buf->capacity - buf->len >= len;
    if (!fits && !gate_buf_reserve(buf, len))
        return;
    char *text = buf->ptr + buf->len;
    buf->len += len;
    text[0] = '-';
    digits_put(text + is_negative + count, value, count);
    if (behind == 0)
        return;
    char *point = text + len - behind - 1;
    for (char *at = text + len - 1; at > point; at--)
        *at = at[-1];
    *point = '.';
}

/* Append a number below SHORT_END, as most numbers of a page are. Return false if it is larger or the buffer has no
 * room. */
static inline bool buf_small(struct gate_buf *buf, uint64_t value) {
    if (value >= SHORT_END || !buf_has_room(buf, SHORT_DIGITS))
        return false;
    buf->len = (size_t)(short_put(buf->ptr + buf->len, (unsigned)value) - buf->ptr);
    return true;
}

/* Append a number with one or two decimals and few digits before the point. Return false for other numbers. */
static inline bool buf_small_fixed(struct gate_buf *buf, bool is_negative, uint64_t value, int decimals) {
    unsigned base = decimals == 1 ? 10 : 100;
    if (decimals < 1 || decimals > 2 || value >= (uint64_t)SHORT_END * base || !buf_has_room(buf, SHORT_DIGITS + 4))
        return false;
    unsigned digits = (unsigned)value, rest;
    char *at = buf->ptr + buf->len;
    *at = '-';
    if (decimals == 1) {
        at = short_put(at + is_negative, digits / 10);
        rest = digits % 10;
    } else {
        at = short_put(at + is_negative, digits / 100);
        rest = digits % 100;
    }
    *at = '.';
    at = decimals == 1 ? two_put(at + 1, rest) : pair_put(at + 1, rest);
    buf->len = (size_t)(at - buf->ptr);
    return true;
}

/* Like buf_digits, without zeros at the end of the decimals and without a point if no decimals are left. */
static void buf_digits_short(struct gate_buf *buf, bool is_negative, uint64_t value, int decimals) {
    for (; decimals > 0 && value % 10 == 0; decimals--)
        value /= 10;
    if (decimals == 0 && !is_negative && buf_small(buf, value))
        return;
    if (buf_small_fixed(buf, is_negative, value, decimals))
        return;
    buf_digits(buf, is_negative, value, decimals);
}

/* Append a number of ordinary size. Return false close to a tie, where only printf's exact arithmetic gives the
 * right last digit. */
static bool buf_fixed_fast(struct gate_buf *buf, double value, int decimals) {
    if (decimals < 0 || decimals > FIXED_DECIMALS)
        return false;
    double scaled = fabs(value) * powers[decimals];
    if (!(scaled < FAST_LIMIT))
        return false;
    int64_t whole = (int64_t)scaled;
    double rest = scaled - (double)whole;
    if (fabs(rest - 0.5) < ROUNDING_DOUBT)
        return false;
    uint64_t digits = (uint64_t)whole + (rest > 0.5);
    bool is_negative = value < 0 && digits != 0;
    if (!buf_small_fixed(buf, is_negative, digits, decimals))
        buf_digits(buf, is_negative, digits, decimals);
    return true;
}

/* Append a number with printf, which needs a large local buffer. Few numbers need it. */
static GATE_APART void buf_fixed_exact(struct gate_buf *buf, double value, int decimals) {
    char text[400];
    (void)snprintf(text, sizeof text, "%.*f", decimals, value);
    /* Do not print "-0.00": the sign would show a direction that the digits do not. */
    const char *start = text;
    if (text[0] == '-' && strspn(text + 1, "0.") == strlen(text + 1))
        start++;
    gate_buf_text(buf, start);
}

void gate_buf_fixed(struct gate_buf *buf, double value, int decimals) {
    if (!isfinite(value))
        gate_buf_text(buf, "null");
    else if (!buf_fixed_fast(buf, value, decimals))
        buf_fixed_exact(buf, value, decimals);
}

void gate_buf_integer(struct gate_buf *buf, int64_t value) {
    if (buf_small(buf, (uint64_t)value))
        return;
    buf_digits(buf, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 0);
}

/* Append a number with ten digits if it needs no exponent. Return false close to a tie. */
static bool buf_number_fast(struct gate_buf *buf, double value) {
    double size = fabs(value);
    if (!(size >= 1e-4 && size < 1e9))
        return false;
    int decimals = 1;
    while (size * powers[decimals] < 1e9)
        decimals++;
    double scaled = size * powers[decimals];
    uint64_t whole = (uint64_t)(int64_t)scaled;
    double rest = scaled - (double)whole;
    whole += rest > 0.5;
    if (fabs(rest - 0.5) < ROUNDING_DOUBT || whole >= 10000000000)
        return false;
    buf_digits_short(buf, value < 0, whole, decimals);
    return true;
}

void gate_buf_number(struct gate_buf *buf, double value) {
    if (!isfinite(value))
        gate_buf_text(buf, "null");
    else if (value == 0)
        gate_buf_char(buf, '0');
    else if (fabs(value) < 1e15 - 1 &&
             (value == (double)(int64_t)value || fabs(value) >= 1e10)) /* ten digits contain no fraction there */
        buf_digits(buf, value < 0, (uint64_t)round(fabs(value)), 0);
    else if (!buf_number_fast(buf, value))
        gate_buf_printf(buf, "%.10g", value);
}

/* The limit of ten digits matches gate_buf_number. */
bool gate_buf_scaled(int64_t *out, double value, int decimals) {
    GATE_ASSERT(decimals >= 0 && decimals <= 4);
    double size = fabs(value) * powers[decimals];
    if (!(size < 1e10 - 1))
        return false;
    int64_t whole = (int64_t)size;
    whole += size - (double)whole >= 0.5;
    *out = value < 0 ? -whole : whole;
    return true;
}

void gate_buf_rounded(struct gate_buf *buf, double value, int decimals) {
    int64_t scaled;
    if (gate_buf_scaled(&scaled, value, decimals))
        buf_digits_short(buf, scaled < 0, (uint64_t)(scaled < 0 ? -scaled : scaled), decimals);
    else
        gate_buf_number(buf, round(value * powers[decimals]) / powers[decimals] + 0.0);
}

static inline char *whole_put(char *at, uint64_t value) {
    if (value < SHORT_END)
        return short_put(at, (unsigned)value);
    at += digits_count(value);
    digits_put(at, value, digits_count(value));
    return at;
}

/* Write a number whose last `decimals` digits are decimals, without zeros at the end. Return where it ends. */
static inline char *scaled_put(char *at, uint64_t value, int decimals) {
    static const unsigned scales[] = {1, 10, 100, 1000, 10000};
    unsigned rest = (unsigned)(value % scales[decimals]);
    at = whole_put(at, value / scales[decimals]);
    if (rest == 0)
        return at;
    *at = '.';
    digits_put(at + 1 + decimals, rest, (size_t)decimals);
    for (at += 1 + decimals; at[-1] == '0';)
        at--;
    return at;
}

void gate_buf_joined(struct gate_buf *buf, const int64_t *scaled, size_t count, int decimals) {
    enum { NUMBER_ROOM = 24 };
    if (!gate_buf_reserve(buf, count * NUMBER_ROOM))
        return;
    char *at = buf->ptr + buf->len;
    for (size_t i = 0; i < count; i++) {
        int64_t value = scaled[i];
        uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
        *at = ',';
        at += i > 0;
        *at = '-';
        at += value < 0;
        at = decimals == 0 || size == 0 ? whole_put(at, size) : scaled_put(at, size, decimals);
    }
    buf->len = (size_t)(at - buf->ptr);
}

bool gate_buf_check(const struct gate_buf *buf, struct gate_error *err) {
    if (buf->is_refused)
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "a report would need more than %zu bytes of memory; raise --max-memory, or --min-share",
                              buf->pool->limit_bytes);
    if (buf->failed)
        return gate_error_set(err, GATE_ERR_MEMORY, "out of memory while writing a report");
    return true;
}

/* ---- wrapping of lines ------------------------------------------------------------------------------------------- */

#define ZERO_WIDTH_SPACE "\xE2\x80\x8B"

/* Return the end of the run of characters at `at` that are neither blank nor newline. */
static size_t wrap_letters_end(struct gate_str text, size_t at) {
    while (at < text.len && text.ptr[at] != ' ' && text.ptr[at] != '\n')
        at++;
    return at;
}

/* Return whether `word` is "pp", alone or with punctuation after it. It stays with the number before it. */
static bool wrap_is_unit(struct gate_str word) {
    return gate_str_starts(word, GATE_STR("pp")) && (word.len == 2 || strchr(",.;:)", word.ptr[2]) != NULL);
}

/* Return whether `word` is the first half of an interval, such as "[+4.9,". It stays with the second half. */
static bool wrap_is_half_interval(struct gate_str word) {
    return word.len >= 3 && word.ptr[0] == '[' && strchr("+-0123456789", word.ptr[1]) != NULL &&
           word.ptr[word.len - 1] == ',';
}

/* Return where the word at `at` ends and a line may break. A number includes its unit, and an interval both its
 * ends. */
static size_t wrap_word_end(struct gate_str text, size_t at) {
    size_t from = at, end = wrap_letters_end(text, at);
    while (end + 1 < text.len && text.ptr[end] == ' ') {
        size_t next = wrap_letters_end(text, end + 1);
        if (!wrap_is_unit(gate_str_slice(text, end + 1, next)) &&
            !wrap_is_half_interval(gate_str_slice(text, from, end)))
            break;
        from = end + 1;
        end = next;
    }
    return end;
}

/* Return the number of bytes of a too long word that stay on this line: up to the last "::", '<' or ',' within
 * `columns`. Only unquoted names of C++ and Rust are broken. Returns 0 if there is no such place. */
static size_t wrap_break(struct gate_str word, size_t columns) {
    size_t found = 0, used = 0;
    if (word.len > 0 && word.ptr[0] == '\'')
        return 0;
    for (size_t at = 0, counted = 0; at + 1 < word.len; at++) {
        char c = word.ptr[at];
        bool is_place = (c == ':' && at > 0 && word.ptr[at - 1] == ':') || c == '<' || c == ',';
        char next =
            word.ptr[at + 1]; /* must be a letter, '_' or '~', so that no line begins with a command for CI runners */
        if (!is_place || at < 2 || !(gate_is_letter(next) || next == '_' || next == '~'))
            continue;
        used += gate_str_columns(gate_str_slice(word, counted, at + 1));
        counted = at + 1;
        if (used > columns)
            break;
        found = at + 1;
    }
    return gate_str_find(word, GATE_STR("::"), 0) == SIZE_MAX ? 0 : found;
}

/* Append `text` to `buf` with line breaks. The last line of `buf` starts at offset `line`. */
static void wrap_words(struct gate_buf *buf, size_t line, struct gate_str text, size_t indent, size_t columns) {
    bool is_empty = true;
    for (size_t at = 0; at < text.len;) {
        size_t from = at;
        while (from < text.len && text.ptr[from] == ' ')
            from++;
        size_t end = wrap_word_end(text, from);
        struct gate_str word = gate_str_slice(text, from, end);
        size_t used = gate_str_columns(gate_str_slice(gate_buf_view(buf), line, buf->len));
        bool fits = used + (from - at) + gate_str_columns(word) <= columns;
        if (!fits && !is_empty && word.len > 0) {
            gate_buf_char(buf, '\n');
            line = buf->len;
            gate_buf_repeat(buf, ' ', indent);
            gate_buf_text(buf, gate_str_starts(word, GATE_STR("::")) ? ZERO_WIDTH_SPACE : "");
        } else {
            gate_buf_repeat(buf, ' ', from - at);
        }
        used = gate_str_columns(gate_str_slice(gate_buf_view(buf), line, buf->len));
        while (used + gate_str_columns(word) > columns) {
            size_t part = used < columns ? wrap_break(word, columns - used) : 0;
            if (part == 0)
                break;
            gate_buf_str(buf, gate_str_slice(word, 0, part));
            gate_buf_char(buf, '\n');
            line = buf->len;
            gate_buf_repeat(buf, ' ', indent);
            word = gate_str_slice(word, part, word.len);
            used = indent;
        }
        gate_buf_str(buf, word);
        is_empty = is_empty && word.len == 0;
        at = end;
        if (at < text.len && text.ptr[at] == '\n') {
            gate_buf_char(buf, '\n');
            line = buf->len;
            is_empty = true;
            at++;
        }
    }
}

void gate_wrap_since(struct gate_buf *buf, size_t from, size_t indent, size_t columns) {
    struct gate_buf copy = {0};
    if (columns == 0 || buf->failed)
        return;
    gate_buf_str(&copy, gate_str_slice(gate_buf_view(buf), from, buf->len));
    buf->failed = copy.failed;
    if (!copy.failed) {
        buf->len = from;
        wrap_words(buf, from, gate_buf_view(&copy), indent, columns);
    }
    gate_buf_free(&copy);
}
