/* SPDX-License-Identifier: Apache-2.0 */
/* Growing output buffer: every report writes into one, cli/ writes it to a file or a stream. */
#ifndef GATE_BASE_BUF_H
#define GATE_BASE_BUF_H

#include "gate/base/str.h"

/** Zero-initialise; free with gate_buf_free. After a failed allocation `failed` stays set and writes do nothing. */
struct gate_buf {
    char *ptr; /* of what is not drained yet */
    size_t len;
    size_t capacity;
    bool failed;
    bool is_refused;              /* the pool had no more */
    bool is_lent;                 /* `ptr` is the caller's: it does not grow and is not freed */
    struct gate_arena_pool *pool; /* of the run, that what is written counts as memory of; NULL: of none */
    /* Takes what was written when that is a lot, in place of growing; false: the buffer fails. NULL: it is all kept. */
    bool (*drain)(void *taker, struct gate_str written);
    void *taker;
};

/** With `drain`, a buffer grows to this, or to what is written at once. */
enum { GATE_BUF_DRAIN_BYTES = 64 * 1024 };

void gate_buf_free(struct gate_buf *buf);

/** A buffer in `room`, which takes nothing from the system: what does not fit makes it fail. */
static inline struct gate_buf gate_buf_lent(char *room, size_t size) {
    return (struct gate_buf){.ptr = room, .capacity = size, .is_lent = true};
}

/** The end of what was written apart and is in `whole` by now: `whole` fails where `part` did, and `part` is freed. */
void gate_buf_free_part(struct gate_buf *whole, struct gate_buf *part);

/** Room for `more` bytes behind what was written; false where there is none: then the buffer has failed. */
GATE_MUST_CHECK bool gate_buf_reserve(struct gate_buf *buf, size_t more);

/* A report is hundreds of thousands of these: where there is room, and mostly there is, they call nothing. */

static inline void gate_buf_bytes(struct gate_buf *buf, const void *bytes, size_t len) {
    bool fits = !buf->failed && buf->capacity - buf->len >= len;
    if (len == 0 || !(fits || gate_buf_reserve(buf, len)))
        return;
#ifdef __GNUC__
    if (buf->ptr == NULL) /* there is room: said for gcc's analyzer, and no instruction */
        __builtin_unreachable();
#endif
    memcpy(buf->ptr + buf->len, bytes, len);
    buf->len += len;
}

static inline void gate_buf_str(struct gate_buf *buf, struct gate_str text) {
    gate_buf_bytes(buf, text.ptr, text.len);
}

static inline void gate_buf_text(struct gate_buf *buf, const char *text) {
    gate_buf_bytes(buf, text, strlen(text));
}

static inline void gate_buf_char(struct gate_buf *buf, char c) {
    bool fits = !buf->failed && buf->len < buf->capacity;
    if (fits || gate_buf_reserve(buf, 1))
        buf->ptr[buf->len++] = c;
}

void gate_buf_repeat(struct gate_buf *buf, char c, size_t count);
void gate_buf_printf(struct gate_buf *buf, const char *format, ...) GATE_PRINTF(2, 3);

/** `value` with exactly `decimals` (0 to 17) digits after a point, whatever the locale. NaN and infinities as "null".
 */
void gate_buf_fixed(struct gate_buf *buf, double value, int decimals);

void gate_buf_integer(struct gate_buf *buf, int64_t value);

/** Shortest form of at most 10 significant digits, no exponent below 1e15, for JSON. NaN and infinities as "null". */
void gate_buf_number(struct gate_buf *buf, double value);

/** gate_buf_number of `value` rounded to `decimals` (0 to 4) digits behind the point, away from zero where it is half.
 */
void gate_buf_rounded(struct gate_buf *buf, double value, int decimals);

/** What gate_buf_rounded writes, as a number of the last of its `decimals` digits; false: it is too large for that. */
GATE_MUST_CHECK bool gate_buf_scaled(int64_t *out, double value, int decimals);

/** Such numbers with commas between them; with no decimals, integers. */
void gate_buf_joined(struct gate_buf *buf, const int64_t *scaled, size_t count, int decimals);

/** Everything written so far that is not drained; valid until the next write. */
static inline struct gate_str gate_buf_view(const struct gate_buf *buf) {
    return (struct gate_str){buf->ptr == NULL ? "" : buf->ptr, buf->len};
}

/** False with GATE_ERR_MEMORY when a write failed, with GATE_ERR_LIMIT where the pool refused it. */
GATE_MUST_CHECK bool gate_buf_check(const struct gate_buf *buf, struct gate_error *err);

#endif
