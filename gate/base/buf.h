/* SPDX-License-Identifier: Apache-2.0 */
/* Growing output buffer for reports, a sink that writes to a buffer or to a file in parts, and wrapping of lines. */
#ifndef GATE_BASE_BUF_H
#define GATE_BASE_BUF_H

#include "gate/base/str.h"

/* ---- growing buffer ---------------------------------------------------------------------------------------------- */

/**
 * An output buffer. Zero-initialise it; free it with gate_buf_free. After a failed allocation `failed` stays set and
 * writes do nothing.
 */
struct gate_buf {
    char *ptr; /* bytes that are not drained yet */
    size_t len;
    size_t capacity;
    bool failed;
    bool is_refused;              /* the pool's limit was reached */
    bool is_lent;                 /* the caller owns `ptr`: it is neither grown nor freed */
    struct gate_arena_pool *pool; /* pool of the run that counts this memory; may be NULL */
    /* Called instead of growing beyond GATE_BUF_DRAIN_BYTES; takes all bytes written so far. If it returns false,
     * the buffer fails. If NULL, the buffer keeps everything. */
    bool (*drain)(void *taker, struct gate_str written);
    void *taker;
};

/** Size up to which a buffer with `drain` grows. It grows further only for a single larger write. */
enum { GATE_BUF_DRAIN_BYTES = 64 * 1024 };

/** Free the buffer's memory, unless the caller owns it, and zero-initialise it. */
void gate_buf_free(struct gate_buf *buf);

/**
 * Copy the content into `arena` and free the buffer. `.ptr` NULL: the buffer has failed, which gate_arena_check
 * reports, or the arena is full.
 */
struct gate_str gate_buf_keep(struct gate_buf *buf, struct gate_arena *arena);

/** Like gate_buf_keep, but sets `err` if the buffer has failed or the arena is full. */
GATE_MUST_CHECK bool gate_buf_keep_into(struct gate_str *out, struct gate_buf *buf, struct gate_arena *arena,
                                        struct gate_error *err);

/** Return a buffer that writes into `room` and allocates nothing. A write that does not fit makes it fail. */
static inline struct gate_buf gate_buf_lent(char *room, size_t size) {
    return (struct gate_buf){.ptr = room, .capacity = size, .is_lent = true};
}

/** Free `part`, whose bytes were already copied to `whole`. If `part` failed, `whole` fails too. */
void gate_buf_free_part(struct gate_buf *whole, struct gate_buf *part);

/**
 * Make room for `more` bytes after those written so far. Returns false, and the buffer fails, if there is no memory.
 */
GATE_MUST_CHECK bool gate_buf_reserve(struct gate_buf *buf, size_t more);

/* A report makes hundreds of thousands of these calls, so they are inline. They call a function only if the buffer
 * is full. */

static inline void gate_buf_bytes(struct gate_buf *buf, const void *bytes, size_t len) {
    bool fits = !buf->failed && buf->capacity - buf->len >= len;
    if (len == 0 || !(fits || gate_buf_reserve(buf, len)))
        return;
#ifdef __GNUC__
    if (buf->ptr == NULL) /* tells gcc's analyzer that there is room; emits no code */
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

/** Append `count` copies of `c`. */
void gate_buf_repeat(struct gate_buf *buf, char c, size_t count);

/** Append formatted text, as printf does. */
void gate_buf_printf(struct gate_buf *buf, const char *format, ...) GATE_PRINTF(2, 3);

/**
 * Append `value` with exactly `decimals` (0 to 17) decimals and a point, in any locale. NaN and infinities become
 * "null".
 */
void gate_buf_fixed(struct gate_buf *buf, double value, int decimals);

/** Append `value` in decimal digits. */
void gate_buf_integer(struct gate_buf *buf, int64_t value);

/**
 * Append `value` for JSON in its shortest form with at most 10 significant digits. Values below 1e15 have no exponent.
 * NaN and infinities become "null".
 */
void gate_buf_number(struct gate_buf *buf, double value);

/** Append `value` rounded to `decimals` (0 to 4) decimals, halves away from zero, in the form of gate_buf_number. */
void gate_buf_rounded(struct gate_buf *buf, double value, int decimals);

/**
 * Set `*out` to `value` in units of its last decimal: `value * 10^decimals`, rounded as gate_buf_rounded does. Returns
 * false if that has more than 10 digits.
 */
GATE_MUST_CHECK bool gate_buf_scaled(int64_t *out, double value, int decimals);

/** Append `count` numbers from gate_buf_scaled, separated by commas. With 0 `decimals` they are integers. */
void gate_buf_joined(struct gate_buf *buf, const int64_t *scaled, size_t count, int decimals);

/** Return everything written so far that is not drained. The view is valid until the next write. */
static inline struct gate_str gate_buf_view(const struct gate_buf *buf) {
    return (struct gate_str){buf->ptr == NULL ? "" : buf->ptr, buf->len};
}

/** Return whether all writes succeeded. err: GATE_ERR_LIMIT if the pool's limit was reached; GATE_ERR_MEMORY if a write
 * failed otherwise. */
GATE_MUST_CHECK bool gate_buf_check(const struct gate_buf *buf, struct gate_error *err);

/* ---- sink: output in parts --------------------------------------------------------------------------------------- */

/* A sink takes output one part at a time, so that nothing holds all of it. It writes to a buffer, or to a file
 * (base/file.h). formats/pprof.h writes to sinks. */

/** Write `bytes`. The caller may reuse them afterwards. err: the error of the destination. */
typedef bool gate_sink_take(void *context, struct gate_str bytes, struct gate_error *err);

struct gate_sink {
    gate_sink_take *take;
    void *context;
};

/** Return a sink that appends everything to `buf`. `buf` must outlive it. */
struct gate_sink gate_sink_of_buf(struct gate_buf *buf);

/* ---- wrapping of lines ------------------------------------------------------------------------------------------- */

enum { GATE_WRAP_COLUMNS = 80 };

/**
 * Break the text that was written to `buf` since the offset `from`, the start of a line, into lines of at most
 * `columns`.
 *
 * Lines break at spaces. A name that is longer than a line, "ns::Type<ns::Other>::run", breaks behind "::", '<' or ',',
 * too, unless it is quoted with '. Only other words longer than `columns` make longer lines. New lines start with
 * `indent` spaces.
 * Existing spaces and newlines stay. A number stays with its unit, and an interval stays on one line.
 *
 * The text must already be escaped (gate_escape_terminal). No line that is started here begins with "::", which CI
 * runners would execute even after white space. O(len - from) lines of `columns`.
 *
 * columns  0: break nothing
 */
void gate_wrap_since(struct gate_buf *buf, size_t from, size_t indent, size_t columns);

#endif
