/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of time that a store is asked for: read, cut into slices, shown.
 * Pipeline: --window, --from, --to, the address of a store -> capture/window.h -> capture/store_query.h */
#ifndef GATE_CAPTURE_WINDOW_H
#define GATE_CAPTURE_WINDOW_H

#include "gate/base/str.h"

/** What happened at `from_ms` or later and before `to_ms`: Unix time, from_ms < to_ms. */
struct gate_window {
    int64_t from_ms, to_ms;
};

/** A shorter slice holds no profile of most agents, which send one in 10 to 15 seconds. */
enum { GATE_WINDOW_SLICE_MS_MIN = 1000, GATE_WINDOW_SLICES_MAX = 1000 };

/**
 * Read a moment: "now", "-1h", "now-1w-30m", "2026-11-22T06:30:00Z" (RFC 3339; a day alone begins at midnight UTC), or
 * Unix seconds (up to 11 digits) or milliseconds (12 to 14). Units are s, m, h, d and w.
 *
 * err  GATE_ERR_USAGE what is expected and what was found
 */
GATE_MUST_CHECK
bool gate_window_moment(int64_t *out_ms, struct gate_str text, int64_t now_ms, struct gate_error *err);

/** Read a length of time such as "30m" or "1w12h", above zero. err: GATE_ERR_USAGE. */
GATE_MUST_CHECK bool gate_window_length(int64_t *out_ms, struct gate_str text, struct gate_error *err);

/** Read "last 30m", or two moments as "-1h..now". err: GATE_ERR_USAGE, also what gate_window_check says. */
GATE_MUST_CHECK
bool gate_window_read(struct gate_window *out, struct gate_str text, int64_t now_ms, struct gate_error *err);

/** err: GATE_ERR_USAGE it ends before it begins, or after now, when nothing has been stored yet. */
GATE_MUST_CHECK bool gate_window_check(const struct gate_window *window, int64_t now_ms, struct gate_error *err);

/** err: GATE_ERR_USAGE none, more than GATE_WINDOW_SLICES_MAX, or each shorter than GATE_WINDOW_SLICE_MS_MIN. */
GATE_MUST_CHECK
bool gate_window_check_slices(const struct gate_window *window, uint32_t count, struct gate_error *err);

/** Slice `index` of `count` equal ones: together they are the window, and no two have a moment in common. */
struct gate_window gate_window_slice(const struct gate_window *window, uint32_t index, uint32_t count);

/** Whether they have a moment in common. */
bool gate_window_overlaps(const struct gate_window *a, const struct gate_window *b);

/** "2026-11-22T06:30:00Z", with milliseconds where there are any. `.ptr` is NULL when the arena is full. */
struct gate_str gate_window_show(int64_t moment_ms, struct gate_arena *arena);

#endif
