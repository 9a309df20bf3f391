/* SPDX-License-Identifier: Apache-2.0 */
/* base/figures.h: how numbers are printed, with rows for each rule. */
#include "gate/base/figures.h"
#include "tests/unit/unit.h"

#include <math.h>

#define GAP ","

typedef void (*figures_print)(struct gate_buf *out, double number);

struct row {
    double number;
    const char *text;
};

static void expect(struct gate_buf *buf, const char *text) {
    gate_buf_char(buf, '\0');
    assert_string_equal(buf->ptr, text);
    buf->len = 0;
}

static void expect_rows(figures_print print, const struct row *rows, size_t count) {
    AT_END(gate_buf_free) struct gate_buf buf = {0};
    for (size_t i = 0; i < count; i++) {
        print(&buf, rows[i].number);
        expect(&buf, rows[i].text);
    }
}

#define EXPECT_ROWS(print, rows) expect_rows(print, rows, sizeof(rows) / sizeof *(rows))

TEST(shares_have_two_decimals_below_one) {
    static const struct row rows[] = {{0, "0%"},          {0.00004, "<0.01%"}, {0.00006, "0.01%"}, {0.0041, "0.41%"},
                                      {0.00994, "0.99%"}, {0.00999, "1.0%"},   {0.01, "1.0%"},     {0.103, "10.3%"},
                                      {1, "100.0%"},      {NAN, "n/a"}};
    EXPECT_ROWS(gate_figures_share, rows);
}

TEST(points_keep_their_direction) {
    static const struct row rows[] = {{0.062, "+6.2 pp"},   {-0.0031, "-0.31 pp"}, {0, "0 pp"},
                                      {0.00001, "0 pp"},    {-0.00001, "0 pp"},    {-0.0, "0 pp"},
                                      {0.00995, "+1.0 pp"}, {-1, "-100.0 pp"},     {NAN, "n/a"}};
    EXPECT_ROWS(gate_figures_points, rows);
}

TEST(sizes_have_no_sign) {
    static const struct row rows[] = {
        {0.062, "6.2 pp"}, {-0.062, "6.2 pp"}, {0.0031, "0.31 pp"}, {0, "0 pp"}, {NAN, "n/a"}};
    EXPECT_ROWS(gate_figures_size, rows);
}

TEST(an_interval_has_the_decimals_of_its_change) {
    static const struct {
        double delta, bounds[2];
        const char *text;
    } rows[] = {{0.062, {0.049, 0.076}, "+6.2 pp (95% CI [+4.9, +7.6])"},
                {0.0114, {0.0086, 0.014}, "+1.1 pp (95% CI [+0.9, +1.4])"},
                {0.0094, {0.0086, 0.014}, "+0.94 pp (95% CI [+0.86, +1.40])"},
                {0.0003, {-0.062, 0.0628}, "+0.03 pp (95% CI [-6.20, +6.28])"},
                {0.02, {-0.0003, 0.043}, "+2.0 pp (95% CI [0, +4.3])"},
                {0, {-0.001, 0.001}, "0 pp (95% CI [-0.10, +0.10])"}};
    AT_END(gate_buf_free) struct gate_buf buf = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gate_figures_change(&buf, rows[i].delta, rows[i].bounds);
        expect(&buf, rows[i].text);
    }
    gate_figures_change(&buf, 0.062, NULL);
    expect(&buf, "+6.2 pp (no interval)");
}

TEST(a_bound_has_enough_decimals_to_differ_from_its_limit) {
    static const struct {
        double bound, limit;
        const char *text;
    } rows[] = {{0.061, 0.05, "+6.1 pp"},
                {0.0503, 0.05, "+5.03 pp"},
                {0.05003, 0.05, "+5.003 pp"},
                {0.0052, 0.005, "+0.52 pp"},
                {0.05, 0.05, "+5.0000 pp"}};
    AT_END(gate_buf_free) struct gate_buf buf = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gate_figures_bound(&buf, rows[i].bound, rows[i].limit);
        expect(&buf, rows[i].text);
    }
}

TEST(ratios_have_two_decimals_below_two) {
    static const struct row rows[] = {
        {1.336, "1.34x"}, {1.994, "1.99x"}, {1.996, "2.0x"}, {12.44, "12.4x"}, {INFINITY, "infinitely many times"},
        {NAN, "n/a"}};
    EXPECT_ROWS(gate_figures_times, rows);
}

TEST(digits_of_counts_are_grouped_by_three) {
    static const struct row rows[] = {{0, "0"},
                                      {7, "7"},
                                      {3.4, "3.4"},
                                      {9.96, "10"},
                                      {12.4, "12"},
                                      {999, "999"},
                                      {1000, "1" GAP "000"},
                                      {1234567.4, "1" GAP "234" GAP "567"},
                                      {-1234, "-1" GAP "234"},
                                      {-0.01, "0"},
                                      {INFINITY, "n/a"},
                                      {NAN, "n/a"}};
    static const struct row seconds[] = {{61.2, "1m2s"}, {60, "1m"},   {7320, "2h2m"}, {5.4e6, "1" GAP "500h"},
                                         {8, "8s"},      {3600, "1h"}, {NAN, "n/a"}};
    EXPECT_ROWS(gate_figures_count, rows);
    EXPECT_ROWS(gate_figures_seconds, seconds);
    AT_END(gate_buf_free) struct gate_buf buf = {0};
    gate_figures_whole(&buf, 0);
    expect(&buf, "0");
    gate_figures_whole(&buf, UINT64_MAX);
    expect(&buf, "18" GAP "446" GAP "744" GAP "073" GAP "709" GAP "551" GAP "615");
}

TEST(probabilities_come_from_logarithms) {
    const struct row rows[] = {{0, "p = 1"},
                               {1e-3, "p = 1"},
                               {log(0.0104), "p = 0.0104"},
                               {log(0.0031), "p = 0.0031"},
                               {log(2.1e-7), "p = 2.1e-07"},
                               {-2000, "p < 1e-300"},
                               {-INFINITY, "p < 1e-300"},
                               {NAN, "p n/a"}};
    EXPECT_ROWS(gate_figures_p, rows);
}

TEST(figures_work_with_printf) {
    AT_END(gate_buf_free) struct gate_buf buf = {0};
    gate_buf_printf(&buf, "%s, %s, %s", gate_figures_share_text(0.103).text, gate_figures_times_text(1.5).text,
                    gate_figures_count_text(1234).text);
    expect(&buf, "10.3%, 1.50x, 1" GAP "234");
    gate_buf_printf(&buf, "%s", gate_figures_count_text(1e300).text);
    assert_true(buf.len == sizeof(struct gate_figure) - 1);
}

TEST(numbers_given_by_the_user_are_printed_unchanged) {
    static const struct row rows[] = {
        {5, "5"}, {0.25, "0.25"}, {100.0 * (1.2 - 1.0), "20"}, {0.01, "0.01"}, {-10, "-10"}};
    EXPECT_ROWS(gate_figures_given, rows);
}

TEST(growth_of_a_cost_is_in_per_cent) {
    static const struct {
        double growth;
        bool is_cost;
        const char *text;
    } rows[] = {{.2, true, "+20.0%"},    {-.05, true, "-5.0%"},
                {9.5, true, "+950.0%"},  {10.1, true, "more than +1000%"},
                {.05, false, "+5.0 pp"}, {10.1, false, "+1010.0 pp"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        gate_figures_growth(&out, rows[i].growth, rows[i].is_cost);
        if (!gate_str_equal(gate_buf_view(&out), gate_str_from(rows[i].text)))
            fail_msg("row %zu: '%.*s'", i, GATE_STR_ARG(gate_buf_view(&out)));
    }
}
