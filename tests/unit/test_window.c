/* SPDX-License-Identifier: Apache-2.0 */
/* capture/window.h: time windows: which texts are valid, and how a window is sliced. */
#include "gate/capture/window.h"
#include "tests/unit/unit.h"

/* 2026-11-22T06:30:00Z */
static const int64_t now_ms = INT64_C(1795329000000);

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* A time, and how it is printed. NULL: the text is invalid. */
static const struct {
    const char *text, *shown;
} moments[] = {
    {"now", "2026-11-22T06:30:00Z"},
    {"-30m", "2026-11-22T06:00:00Z"},
    {"now-1w-30m", "2026-11-15T06:00:00Z"},
    {"-1w+1d", "2026-11-16T06:30:00Z"},
    {"-90s", "2026-11-22T06:28:30Z"},
    {"1795329000", "2026-11-22T06:30:00Z"},
    {"1795329000250", "2026-11-22T06:30:00.250Z"},
    {"0", "1970-01-01T00:00:00Z"},
    {"2026-11-22", "2026-11-22T00:00:00Z"},
    {"2024-02-29", "2024-02-29T00:00:00Z"},
    {"2000-02-29T23:59:59Z", "2000-02-29T23:59:59Z"},
    {"1999-12-31T23:59:59.007Z", "1999-12-31T23:59:59.007Z"},
    {"2026-11-22T07:30+01:00", "2026-11-22T06:30:00Z"},
    {"2026-11-22T01:00:00-05:30", "2026-11-22T06:30:00Z"},
    {"2026-11-22T06:30:00.123456Z", "2026-11-22T06:30:00.123Z"},
    {"9999-12-31", "9999-12-31T00:00:00Z"},
    {"", NULL},
    {"-", NULL},
    {"30m", NULL},
    {"-30", NULL},
    {"-30y", NULL},
    {"now 30m", NULL},
    {"nowhere", NULL},
    {"-999999999w", NULL},
    {"-18446744073709552s", NULL}, /* 384 ms beyond 64 bits */
    {"-99w-9999999999h", NULL},
    {"-3000w", NULL},              /* before 1970 */
    {"2026-11-22T06:30:00", NULL}, /* of which zone? */
    {"2026-11-22 06:30:00Z", NULL},
    {"2026-02-29", NULL},
    {"2026-13-01", NULL},
    {"2026-00-01", NULL},
    {"2026-1-01", NULL},
    {"2026-11-22T24:00Z", NULL},
    {"2026-11-22T06:3Z", NULL},
    {"2026-11-22T06:30:00.Z", NULL},
    {"2026-11-22T06:30:00Zx", NULL},
    {"2026-11-22T06:30+1:00", NULL},
    {"1969-12-31", NULL},
    {"1970-01-01T00:00+01:00", NULL},
    {"123456789012345", NULL},
    {"1e9", NULL},
    {"2026-11-22T06:30", NULL},
    {"2026-11-22T", NULL},
    {"2026-11-22T06", NULL},
    {"2026-11-22T06:60Z", NULL},
    {"2026-11-22T06:30:60Z", NULL},
    {"2026-11-22T06:30+24:00", NULL},
    {"2026-11-22T06:30+01:60", NULL},
    {"2026-11-22T06:30+01", NULL},
    {"2026-11-22T06:30+01:00x", NULL},
    {"2026/11/22", NULL},
    {"2026-11/22", NULL},
    {"2026-04-31", NULL},
    {"2026-11-00", NULL},
    {"1900-02-29", NULL},
    {"+", NULL},
    {"now+", NULL},
    {"now-1", NULL},
    {"-1h-", NULL},
    {"-99999999999999999999h", NULL},
    {"99999999999999999999", NULL},
};

TEST(a_time_is_read_and_printed) {
    for (size_t i = 0; i < ROWS(moments); i++) {
        struct gate_error err = {0};
        int64_t moment_ms = 0;
        bool ok = gate_window_moment(&moment_ms, gate_str_from(moments[i].text), now_ms, &err);
        if (ok != (moments[i].shown != NULL))
            fail_msg("'%s': %s", moments[i].text, err.message);
        if (ok)
            assert_string_equal(gate_window_show(moment_ms, &arena).ptr, moments[i].shown);
        else
            assert_non_null(strstr(err.message, "expected a time such as now"));
    }
}

static const struct {
    const char *text;
    int64_t from_s, to_s; /* from now */
    const char *message;
} windows[] = {
    {"last 30m", -1800, 0, NULL},
    {"last 1h30m", -5400, 0, NULL},
    {"-1h..now", -3600, 0, NULL},
    {"-1w-1h..-1w", -604800 - 3600, -604800, NULL},
    {"2026-11-22T06:00:00Z .. 2026-11-22T06:30:00Z", -1800, 0, NULL},
    {"2026-11-22..now", -6 * 3600 - 1800, 0, NULL},
    {"now..-1h", 0, 0, "ends before it begins"},
    {"-1h..-1h", 0, 0, "ends before it begins"},
    {"-1h..2027-01-01", 0, 0, "from now, and nothing is stored"},
    {"last", 0, 0, "expected a window such as"},
    {"last 0m", 0, 0, "expected a length of time"},
    {"last week", 0, 0, "expected a length of time"},
    {"last 3000w", 0, 0, "ends before it begins"},
    {"-1h", 0, 0, "expected a window such as"},
    {"..", 0, 0, "expected a time"},
    {"-1h...now", 0, 0, "expected a time"},
};

TEST(a_window_is_read_or_refused) {
    for (size_t i = 0; i < ROWS(windows); i++) {
        struct gate_error err = {0};
        struct gate_window window = {0};
        bool ok = gate_window_read(&window, gate_str_from(windows[i].text), now_ms, &err);
        if (ok != (windows[i].message == NULL))
            fail_msg("'%s': %s", windows[i].text, err.message);
        if (!ok) {
            assert_non_null(strstr(err.message, windows[i].message));
            continue;
        }
        assert_int_equal(window.from_ms, now_ms + windows[i].from_s * 1000);
        assert_int_equal(window.to_ms, now_ms + windows[i].to_s * 1000);
    }
}

TEST(slices_cover_the_window) {
    static const uint32_t counts[] = {1, 2, 3, 6, 7, 100, 997};
    for (size_t i = 0; i < ROWS(counts); i++) {
        const struct gate_window window = {now_ms - 1000003, now_ms};
        int64_t at = window.from_ms;
        for (uint32_t s = 0; s < counts[i]; s++) {
            struct gate_window slice = gate_window_slice(&window, s, counts[i]);
            struct gate_window next = gate_window_slice(&window, s + 1, counts[i]);
            assert_int_equal(slice.from_ms, at);
            assert_in_range(slice.to_ms - slice.from_ms, 1000003 / counts[i], 1000003 / counts[i] + 1);
            assert_false(gate_window_overlaps(&slice, &next));
            assert_true(gate_window_overlaps(&slice, &window));
            at = slice.to_ms;
        }
        assert_int_equal(at, window.to_ms);
    }
}

TEST(slices_are_not_too_short) {
    const struct gate_window window = {now_ms - 6000, now_ms};
    assert_true(gate_window_check_slices(&window, 6, &err));
    assert_false(gate_window_check_slices(&window, 7, &err));
    assert_non_null(strstr(err.message, "in 7 slices"));
    assert_false(gate_window_check_slices(&window, 0, &err));
    assert_false(gate_window_check_slices(&window, UINT32_MAX, &err));
    assert_non_null(strstr(err.message, "expected 1 to 1000 slices"));
}

/* Every day from 1970 to 2100 is printed as it is read. */
TEST(every_day_is_printed_as_it_is_read) {
    for (int64_t day = 0; day < 47482; day++) {
        int64_t moment_ms = day * 86400000 + day % 86400 * 1000 + day % 1000, again_ms = -1;
        struct gate_str shown = gate_window_show(moment_ms, &arena);
        assert_true(gate_window_moment(&again_ms, shown, now_ms, &err));
        assert_int_equal(again_ms, moment_ms);
    }
}
