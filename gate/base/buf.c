/* SPDX-License-Identifier: Apache-2.0 */
/* Growing output buffer (see buf.h). The program never calls setlocale, so printf's point is '.'. */
#include "gate/base/buf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { PRINTF_ROOM = 256 };

/* Up to here a double times a power of ten is off by far less than what ROUNDING_DOUBT allows. */
static const double FAST_LIMIT = 1e9;
static const double ROUNDING_DOUBT = 1e-5;

void gate_buf_free(struct gate_buf *buf) {
    if (!buf->is_lent) {
        free(buf->ptr);
        gate_arena_pool_give(buf->pool, buf->capacity);
    }
    *buf = (struct gate_buf){0};
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
    if (buf->is_lent) {
        buf->failed = true;
        return false;
    }
    size_t wanted = buf->capacity < 4096 ? 4096 : buf->capacity;
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
    if ((size_t)len >= room) { /* once more, now that the length is known */
        if (!gate_buf_reserve(buf, (size_t)len + 1))
            return;
        va_start(args, format);
        (void)vsnprintf(buf->ptr + buf->len, (size_t)len + 1, format, args);
        va_end(args);
    }
    buf->len += (size_t)len;
}

/* Digits of `value`, the last `decimals` of them behind a point. */
static void buf_digits(struct gate_buf *buf, bool is_negative, uint64_t value, int decimals) {
    char text[32];
    size_t at = sizeof text;
    for (int written = 0; value != 0 || written <= decimals; written++) {
        if (written == decimals && decimals != 0)
            text[--at] = '.';
        text[--at] = (char)('0' + value % 10);
        value /= 10;
    }
    if (is_negative)
        text[--at] = '-';
    gate_buf_bytes(buf, text + at, sizeof text - at);
}

/* Numbers of ordinary size that are not close to a tie, where only printf's exact arithmetic knows the last digit. */
static bool buf_fixed_fast(struct gate_buf *buf, double value, int decimals) {
    static const double powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    if (decimals < 0 || decimals >= (int)(sizeof powers / sizeof *powers))
        return false;
    double scaled = fabs(value) * powers[decimals];
    if (!(scaled < FAST_LIMIT))
        return false;
    double whole = floor(scaled), rest = scaled - whole;
    if (fabs(rest - 0.5) < ROUNDING_DOUBT)
        return false;
    uint64_t digits = (uint64_t)whole + (rest > 0.5);
    buf_digits(buf, value < 0 && digits != 0, digits, decimals);
    return true;
}

void gate_buf_fixed(struct gate_buf *buf, double value, int decimals) {
    if (!isfinite(value)) {
        gate_buf_text(buf, "null");
        return;
    }
    if (buf_fixed_fast(buf, value, decimals))
        return;
    char text[400];
    (void)snprintf(text, sizeof text, "%.*f", decimals, value);
    /* "-0.00" would claim a direction that the digits do not show. */
    const char *start = text;
    if (text[0] == '-' && strspn(text + 1, "0.") == strlen(text + 1))
        start++;
    gate_buf_text(buf, start);
}

void gate_buf_integer(struct gate_buf *buf, int64_t value) {
    buf_digits(buf, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 0);
}

/* The double that is nearest to a number of at most ten digits, six of them behind the point: those digits. */
static bool buf_number_fast(struct gate_buf *buf, double value) {
    double size = fabs(value), digits = round(size * 1e6);
    if (!(size >= 1e-4 && digits < 1e10) || digits / 1e6 != size)
        return false;
    buf_digits(buf, value < 0, (uint64_t)digits, 6);
    while (!buf->failed && buf->ptr[buf->len - 1] == '0')
        buf->len--;
    return true;
}

void gate_buf_number(struct gate_buf *buf, double value) {
    if (!isfinite(value))
        gate_buf_text(buf, "null");
    else if (value == 0)
        gate_buf_char(buf, '0');
    else if (fabs(value) < 1e15 - 1 &&
             (value == floor(value) || fabs(value) >= 1e10)) /* ten digits reach no fraction there */
        buf_digits(buf, value < 0, (uint64_t)round(fabs(value)), 0);
    else if (!buf_number_fast(buf, value))
        gate_buf_printf(buf, "%.10g", value);
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
