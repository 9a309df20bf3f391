/* SPDX-License-Identifier: Apache-2.0 */
/* Time windows of a profile store, and slices of them. */
#ifndef GATE_CAPTURE_WINDOW_H
#define GATE_CAPTURE_WINDOW_H

#include "gate/base/str.h"

/** The time from `from_ms` up to, but not including, `to_ms`: Unix time, from_ms < to_ms. */
struct gate_window {
    int64_t from_ms, to_ms;
};

/** Read a moment: "now", "-1h", "now-1w-30m", "2026-11-22T06:30:00Z" (RFC 3339; a date alone means midnight UTC), or
 * Unix seconds (up to 11 digits) or milliseconds (12 to 14). Units are s, m, h, d and w. err: GATE_ERR_USAGE what is
 * expected and what was found. */
GATE_MUST_CHECK
bool gate_window_moment(int64_t *out_ms, struct gate_str text, int64_t now_ms, struct gate_error *err);

/** Read a duration above zero such as "30m" or "1w12h". err: GATE_ERR_USAGE. */
GATE_MUST_CHECK bool gate_window_length(int64_t *out_ms, struct gate_str text, struct gate_error *err);

/** Read "last 30m", or two moments such as "-1h..now". err: GATE_ERR_USAGE, also as gate_window_check. */
GATE_MUST_CHECK
bool gate_window_read(struct gate_window *out, struct gate_str text, int64_t now_ms, struct gate_error *err);

/** Check a window. err: GATE_ERR_USAGE it ends before it begins, or after `now_ms`. */
GATE_MUST_CHECK bool gate_window_check(const struct gate_window *window, int64_t now_ms, struct gate_error *err);

/** Check that a window can have `count` slices. err: GATE_ERR_USAGE 0 or more than GATE_WINDOW_SLICES_MAX, or each
 * would be shorter than GATE_WINDOW_SLICE_MS_MIN. */
GATE_MUST_CHECK
bool gate_window_check_slices(const struct gate_window *window, uint32_t count, struct gate_error *err);

/** Return slice `index` of `count`. The slices have equal lengths, cover the window and do not overlap. */
struct gate_window gate_window_slice(const struct gate_window *window, uint32_t index, uint32_t count);

/** Return whether two windows overlap. */
bool gate_window_overlaps(const struct gate_window *a, const struct gate_window *b);

/** Return "2026-11-22T06:30:00Z", with milliseconds if they are not 0. `.ptr` is NULL if `arena` is full. */
struct gate_str gate_window_show(int64_t moment_ms, struct gate_arena *arena);

#endif
