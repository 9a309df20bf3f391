/* SPDX-License-Identifier: Apache-2.0 */
/* Units: conversion, printing, parsing. */
#include "gate/model/unit.h"
#include "tests/unit/unit.h"

TEST(aliases_of_a_unit_have_its_ratio) {
    static const struct {
        const char *coarser, *finer;
        int64_t ratio;
    } rows[] = {{"milliseconds", "nanoseconds", 1000000},
                {"ms", "ns", 1000000},
                {"s", "us", 1000000},
                {"nanoseconds", "ns", 1},
                {"ns", "ms", 0},
                {"kB", "bytes", 1024},
                {"MiB", "kilobytes", 1024},
                {"count", "count", 1},
                {"count", "bytes", 0},
                {"bytes", "nanoseconds", 0},
                {"widgets", "widgets", 1},
                {"widgets", "gadgets", 0},
                {"hours", "minute", 60},
                {"", "", 1},
                {"", "ns", 0},
                {"Seconds", "Milliseconds", 1000},
                {"s", "s", 1},
                {"m", "s", 0},
                {"\xC2\xB5s", "ns", 1000},
                {"days", "hr", 24}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (gate_unit_ratio(gate_str_from(rows[i].coarser), gate_str_from(rows[i].finer)) != rows[i].ratio)
            fail_msg("%s in %s", rows[i].finer, rows[i].coarser);
}

TEST(values_are_printed_in_a_readable_unit) {
    static const struct {
        int64_t value;
        const char *unit, *text;
    } rows[] = {{0, "nanoseconds", "0ns"},
                {1, "nanoseconds", "1ns"},
                {1230000000, "nanoseconds", "1.23s"},
                {7250000, "nanoseconds", "7.25ms"},
                {12340000, "nanoseconds", "12.3ms"},
                {999600, "nanoseconds", "1ms"},
                {999400, "nanoseconds", "999us"},
                {-1500, "nanoseconds", "-1.5us"},
                {90, "seconds", "1m30s"},
                {59900, "milliseconds", "59.9s"},
                {7200, "seconds", "2h"},
                {360000, "seconds", "100h"},
                {2, "days", "48h"},
                {0, "days", "0d"},
                {3, "pebibytes", "3PB"},
                {47815065, "bytes", "45.6MB"},
                {1024, "bytes", "1kB"},
                {1023, "bytes", "1023B"},
                {12345, "count", "12,345"},
                {1234567, "", "1,234,567"},
                {-12, "count", "-12"},
                {100, "widgets", "100"},
                {INT64_MIN, "count", "-9,223,372,036,854,775,808"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        gate_unit_print(&out, rows[i].value, gate_str_from(rows[i].unit));
        if (!gate_str_equal(gate_buf_view(&out), gate_str_from(rows[i].text)))
            fail_msg("%lld %s is '%.*s', expected '%s'", (long long)rows[i].value, rows[i].unit,
                     GATE_STR_ARG(gate_buf_view(&out)), rows[i].text);
    }
}

TEST(quantities_parse_into_a_unit) {
    static const struct {
        const char *text, *unit;
        double value;
    } rows[] = {{"250ms", "nanoseconds", 250e6}, {"4kB", "bytes", 4096}, {"1.5 GB", "MB", 1536}, {"12", "count", 12},
                {"12 count", "count", 12},       {"0.5s", "ms", 500},    {" 7 ", "bytes", 7},    {"1ns", "s", 1e-9}};
    static const struct {
        const char *text, *unit;
    } bad[] = {{"", "ns"},      {"ms", "ns"},          {"4kB", "ns"}, {"-4ms", "ns"},
               {"1e3ms", "ns"}, {"4 things", "count"}, {".", "ns"},   {"1.2.3s", "s"}};
    double value = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(gate_unit_parse(&value, gate_str_from(rows[i].text), gate_str_from(rows[i].unit)));
        assert_true(value == rows[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (gate_unit_parse(&value, gate_str_from(bad[i].text), gate_str_from(bad[i].unit)))
            fail_msg("'%s' was read as %g", bad[i].text, value);
}
