/* SPDX-License-Identifier: Apache-2.0 */
/* Time windows of a profile store. */
#include "gate/capture/window.h"

#include "gate/base/str.h"

/** Most agents send a profile every 10 to 15 s, so a shorter slice would usually have none. */
enum { GATE_WINDOW_SLICE_MS_MIN = 1000, GATE_WINDOW_SLICES_MAX = 1000 };

enum {
    SECOND_MS = 1000,
    MINUTE_S = 60,
    HOUR_S = 3600,
    DAY_S = 86400,
    WEEK_S = 604800,
    SECONDS_DIGITS = 11,
    MILLISECONDS_DIGITS = 14,
    SHOWN_BYTES = 80
};

/* 100 years. A longer time is a typing error, and sums stay far below INT64_MAX. */
static const int64_t length_most_ms = INT64_C(36525) * DAY_S * SECOND_MS;

/* Read 1 to `most` digits from `*at` on. */
static bool take_digits(int64_t *out, struct gate_str text, size_t *at, size_t most) {
    size_t from = *at;
    *out = 0;
    while (*at < text.len && *at - from < most && gate_is_digit(text.ptr[*at]))
        *out = *out * 10 + (text.ptr[(*at)++] - '0');
    return *at > from;
}

/* ---- durations --------------------------------------------------------------------------------------------------- */

/* Read one number with its unit, such as "30m", from `*at` on. */
static bool take_length(int64_t *out_ms, struct gate_str text, size_t *at) {
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', MINUTE_S}, {'h', HOUR_S}, {'d', DAY_S}, {'w', WEEK_S}};
    int64_t number = 0;
    if (!take_digits(&number, text, at, 9))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (gate_str_take(text, at, units[i].unit)) {
            *out_ms = number * units[i].seconds * SECOND_MS;
            return *out_ms <= length_most_ms;
        }
    return false;
}

bool gate_window_length(int64_t *out_ms, struct gate_str text, struct gate_error *err) {
    int64_t sum_ms = 0;
    size_t at = 0;
    bool ok = text.len > 0;
    while (ok && at < text.len) {
        int64_t part_ms = 0;
        ok = take_length(&part_ms, text, &at);
        sum_ms += part_ms;
        ok = ok && sum_ms <= length_most_ms;
    }
    *out_ms = sum_ms;
    return (ok && sum_ms > 0) ||
           gate_error_set(err, GATE_ERR_USAGE,
                          "expected a length of time such as 30m, 1h30m or 1w (s, m, h, d, w), found '%.*s'",
                          GATE_STR_ARG(gate_str_slice(text, 0, SHOWN_BYTES)));
}

/* ---- moments ----------------------------------------------------------------------------------------------------- */

/* Read the rest of a relative moment: "", "-1h", "+5m-1w". */
static bool take_terms(int64_t *moment_ms, struct gate_str text, size_t at) {
    int64_t sum_ms = 0;
    while (at < text.len) {
        int64_t part_ms = 0;
        bool is_minus = gate_str_take(text, &at, '-');
        if ((!is_minus && !gate_str_take(text, &at, '+')) || !take_length(&part_ms, text, &at))
            return false;
        sum_ms += is_minus ? -part_ms : part_ms;
        if (sum_ms > length_most_ms || sum_ms < -length_most_ms)
            return false;
    }
    *moment_ms += sum_ms;
    return true;
}

/* Return the days from 1970-01-01 to a date of the Gregorian calendar. Years are counted from March, so that the leap
 * day is a year's last day. */
static int64_t days_from_date(int64_t year, int64_t month, int64_t day) {
    int64_t y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;
    return y * 365 + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

static void date_from_days(int64_t days, int64_t *year, int64_t *month, int64_t *day) {
    *year = 1970 + days / 366;
    while (days_from_date(*year + 1, 1, 1) <= days)
        (*year)++;
    *month = 1;
    while (*month < 12 && days_from_date(*year, *month + 1, 1) <= days)
        (*month)++;
    *day = days - days_from_date(*year, *month, 1) + 1;
}

/* Read the time zone: "Z" or "+01:00". */
static bool take_zone(int64_t *offset_s, struct gate_str text, size_t *at) {
    int64_t hours = 0, minutes = 0;
    *offset_s = 0;
    if (gate_str_take(text, at, 'Z'))
        return true;
    bool is_minus = gate_str_take(text, at, '-');
    if (!is_minus && !gate_str_take(text, at, '+'))
        return false;
    size_t from = *at;
    if (!take_digits(&hours, text, at, 2) || !gate_str_take(text, at, ':') || !take_digits(&minutes, text, at, 2) ||
        *at != from + 5 || hours > 23 || minutes > 59)
        return false;
    *offset_s = (hours * HOUR_S + minutes * MINUTE_S) * (is_minus ? -1 : 1);
    return true;
}

/* Read a fraction such as ".5" as milliseconds; without one, 0. */
static bool take_fraction(int64_t *out_ms, struct gate_str text, size_t *at) {
    size_t from = *at + 1;
    *out_ms = 0;
    if (!gate_str_take(text, at, '.'))
        return true;
    for (int64_t unit = 100; *at < text.len && gate_is_digit(text.ptr[*at]); unit /= 10)
        *out_ms += unit * (text.ptr[(*at)++] - '0');
    return *at > from && *at - from <= 9;
}

/* Read "2026-11-22", "2026-11-22T06:30Z" or "2026-11-22T06:30:00.5+01:00". */
static bool read_date(int64_t *out_ms, struct gate_str text) {
    int64_t year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, fraction_ms = 0, offset_s = 0;
    size_t at = 0;
    if (!take_digits(&year, text, &at, 4) || !gate_str_take(text, &at, '-') || !take_digits(&month, text, &at, 2) ||
        !gate_str_take(text, &at, '-') || !take_digits(&day, text, &at, 2) || at != 10)
        return false;
    if (year < 1970 || month < 1 || month > 12 || day < 1 ||
        day > days_from_date(month == 12 ? year + 1 : year, month % 12 + 1, 1) - days_from_date(year, month, 1))
        return false;
    *out_ms = days_from_date(year, month, day) * DAY_S * SECOND_MS;
    if (at == text.len)
        return true;
    if (!gate_str_take(text, &at, 'T') || !take_digits(&hour, text, &at, 2) || !gate_str_take(text, &at, ':') ||
        !take_digits(&minute, text, &at, 2) || at != 16)
        return false;
    if (gate_str_take(text, &at, ':') &&
        (!take_digits(&second, text, &at, 2) || at != 19 || !take_fraction(&fraction_ms, text, &at)))
        return false;
    if (!take_zone(&offset_s, text, &at) || at != text.len || hour > 23 || minute > 59 || second > 59)
        return false;
    *out_ms += (hour * HOUR_S + minute * MINUTE_S + second - offset_s) * SECOND_MS + fraction_ms;
    return *out_ms >= 0;
}

/* Read Unix seconds or milliseconds. */
static bool read_unix(int64_t *out_ms, struct gate_str text) {
    size_t at = 0;
    if (!take_digits(out_ms, text, &at, MILLISECONDS_DIGITS) || at != text.len)
        return false;
    *out_ms *= at <= SECONDS_DIGITS ? SECOND_MS : 1;
    return true;
}

bool gate_window_moment(int64_t *out_ms, struct gate_str text, int64_t now_ms, struct gate_error *err) {
    bool is_now = gate_str_starts(text, GATE_STR("now"));
    bool is_relative = is_now || (text.len > 0 && text.ptr[0] == '-');
    *out_ms = now_ms;
    if (is_relative ? take_terms(out_ms, text, is_now ? 3 : 0) && *out_ms >= 0
                    : read_unix(out_ms, text) || read_date(out_ms, text))
        return true;
    return gate_error_set(err, GATE_ERR_USAGE,
                          "expected a time such as now, -30m, now-1w-30m, 2026-11-22T06:30:00Z or Unix seconds, found "
                          "'%.*s'",
                          GATE_STR_ARG(gate_str_slice(text, 0, SHOWN_BYTES)));
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

bool gate_window_read(struct gate_window *out, struct gate_str text, int64_t now_ms, struct gate_error *err) {
    static const struct gate_str last = {"last ", 5};
    size_t dots = gate_str_find(text, GATE_STR(".."), 0);
    int64_t length_ms = 0;
    if (gate_str_starts(text, last)) {
        if (!gate_window_length(&length_ms, gate_str_trim(gate_str_slice(text, last.len, text.len)), err))
            return false;
        *out = (struct gate_window){now_ms - length_ms, now_ms};
        return gate_window_check(out, now_ms, err);
    }
    if (dots == SIZE_MAX)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "expected a window such as 'last 30m', -1h..now or "
                              "2026-11-22T06:00:00Z..2026-11-22T07:00:00Z, found '%.*s'",
                              GATE_STR_ARG(gate_str_slice(text, 0, SHOWN_BYTES)));
    return gate_window_moment(&out->from_ms, gate_str_trim(gate_str_slice(text, 0, dots)), now_ms, err) &&
           gate_window_moment(&out->to_ms, gate_str_trim(gate_str_slice(text, dots + 2, text.len)), now_ms, err) &&
           gate_window_check(out, now_ms, err);
}

bool gate_window_check(const struct gate_window *window, int64_t now_ms, struct gate_error *err) {
    if (window->from_ms < 0 || window->from_ms >= window->to_ms)
        return gate_error_set(err, GATE_ERR_USAGE, "the window ends before it begins; give its beginning first");
    return window->to_ms <= now_ms ||
           gate_error_set(err, GATE_ERR_USAGE,
                          "the window ends %.0f s from now, and nothing is stored of what is still to come; end it at "
                          "'now'",
                          (double)(window->to_ms - now_ms) / SECOND_MS);
}

bool gate_window_check_slices(const struct gate_window *window, uint32_t count, struct gate_error *err) {
    if (count == 0 || count > GATE_WINDOW_SLICES_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "expected 1 to %d slices of a window, found %u",
                              GATE_WINDOW_SLICES_MAX, (unsigned)count);
    return (window->to_ms - window->from_ms) / GATE_WINDOW_SLICE_MS_MIN >= (int64_t)count ||
           gate_error_set(err, GATE_ERR_USAGE,
                          "a window of %.3g s in %u slices: expected at least a second each, and best several minutes, "
                          "since agents send a profile in 10 to 15 s; give a longer window or fewer runs",
                          (double)(window->to_ms - window->from_ms) / SECOND_MS, (unsigned)count);
}

static int64_t slice_start(const struct gate_window *window, uint32_t index, uint32_t count) {
    int64_t length = window->to_ms - window->from_ms;
    /* length * index could overflow: divide first, then spread the remainder evenly */
    return window->from_ms + length / count * index + length % count * index / count;
}

struct gate_window gate_window_slice(const struct gate_window *window, uint32_t index, uint32_t count) {
    return (struct gate_window){slice_start(window, index, count), slice_start(window, index + 1, count)};
}

bool gate_window_overlaps(const struct gate_window *a, const struct gate_window *b) {
    return a->from_ms < b->to_ms && b->from_ms < a->to_ms;
}

struct gate_str gate_window_show(int64_t moment_ms, struct gate_arena *arena) {
    const int64_t day_ms = (int64_t)DAY_S * SECOND_MS, hour_ms = (int64_t)HOUR_S * SECOND_MS;
    int64_t year = 0, month = 0, day = 0, rest = moment_ms % day_ms, part = moment_ms % SECOND_MS;
    char fraction[8] = "";
    GATE_ASSERT(moment_ms >= 0);
    date_from_days(moment_ms / day_ms, &year, &month, &day);
    if (part > 0)
        for (int64_t i = 0, unit = 100; unit > 0; unit /= 10) {
            fraction[0] = '.';
            fraction[++i] = (char)('0' + part / unit % 10);
        }
    return gate_str_format(arena, "%04d-%02d-%02dT%02d:%02d:%02d%sZ", (int)year, (int)month, (int)day,
                           (int)(rest / hour_ms), (int)(rest % hour_ms / (MINUTE_S * SECOND_MS)),
                           (int)(rest % (MINUTE_S * SECOND_MS) / SECOND_MS), fraction);
}
