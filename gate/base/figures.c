/* SPDX-License-Identifier: Apache-2.0 */
/* Prints numbers for people: counts, shares, percentage points, durations. */
#include "gate/base/figures.h"

#include "gate/base/buf.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

bool gate_option_value_number(double *out, const char *text) {
    char *end = NULL;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

/* ---- numbers in sentences and reports ---------------------------------------------------------------------------- */

#define ARROW "\xE2\x86\x92"

enum { DECIMALS_MAX = 4, FIGURE_ROOM = 1024 };

/* Return 2 for numbers below 1 and 1 for others, also for those that two decimals would round to 1.00. */
static int figures_decimals(double points) {
    return fabs(points) < 0.995 ? 2 : 1;
}

static bool figures_is_zero(double number, int decimals) {
    static const double powers[DECIMALS_MAX + 1] = {1, 10, 100, 1000, 10000};
    return fabs(number) * powers[decimals] < 0.5;
}

static void figures_signed(struct gate_buf *out, double points, int decimals) {
    if (isnan(points)) {
        gate_buf_text(out, "n/a");
    } else if (figures_is_zero(points, decimals)) {
        gate_buf_char(out, '0');
    } else {
        gate_buf_text(out, points > 0 ? "+" : "");
        gate_buf_fixed(out, points, decimals);
    }
}

void gate_figures_share(struct gate_buf *out, double share) {
    double percent = share * 100;
    if (isnan(share)) {
        gate_buf_text(out, "n/a");
    } else if (percent == 0) {
        gate_buf_text(out, "0%");
    } else if (percent > 0 && figures_is_zero(percent, 2)) {
        gate_buf_text(out, "<0.01%");
    } else {
        gate_buf_fixed(out, percent, figures_decimals(percent));
        gate_buf_char(out, '%');
    }
}

void gate_figures_shares(struct gate_buf *out, const double share[2]) {
    gate_figures_share(out, share[0]);
    gate_buf_text(out, " " ARROW " ");
    gate_figures_share(out, share[1]);
}

void gate_figures_points(struct gate_buf *out, double delta) {
    figures_signed(out, delta * 100, figures_decimals(delta * 100));
    gate_buf_text(out, isnan(delta) ? "" : " pp");
}

void gate_figures_growth(struct gate_buf *out, double growth, bool is_cost) {
    if (!is_cost) {
        gate_figures_points(out, growth);
        return;
    }
    if (growth > 10.0) {
        gate_buf_text(out, "more than +1000%");
        return;
    }
    figures_signed(out, growth * 100, figures_decimals(growth * 100));
    gate_buf_text(out, isnan(growth) ? "" : "%");
}

void gate_figures_size(struct gate_buf *out, double size) {
    double points = fabs(size) * 100;
    int decimals = figures_decimals(points);
    if (isnan(size)) {
        gate_buf_text(out, "n/a");
        return;
    }
    if (figures_is_zero(points, decimals))
        gate_buf_char(out, '0');
    else
        gate_buf_fixed(out, points, decimals);
    gate_buf_text(out, " pp");
}

void gate_figures_interval(struct gate_buf *out, double delta, const double bounds[2]) {
    int decimals = figures_decimals(delta * 100);
    gate_buf_char(out, '[');
    figures_signed(out, bounds[0] * 100, decimals);
    gate_buf_text(out, ", ");
    figures_signed(out, bounds[1] * 100, decimals);
    gate_buf_char(out, ']');
}

void gate_figures_change(struct gate_buf *out, double delta, const double bounds[2]) {
    gate_figures_points(out, delta);
    if (bounds == NULL) {
        gate_buf_text(out, " (no interval)");
        return;
    }
    gate_buf_text(out, " (95% CI ");
    gate_figures_interval(out, delta, bounds);
    gate_buf_char(out, ')');
}

void gate_figures_bound(struct gate_buf *out, double bound, double limit) {
    int decimals = figures_decimals(bound * 100);
    while (decimals < DECIMALS_MAX && figures_is_zero((bound - limit) * 100, decimals))
        decimals++;
    figures_signed(out, bound * 100, decimals);
    gate_buf_text(out, " pp");
}

void gate_figures_times(struct gate_buf *out, double ratio) {
    if (isnan(ratio)) {
        gate_buf_text(out, "n/a");
    } else if (isinf(ratio)) {
        gate_buf_text(out, "infinitely many times");
    } else if (ratio > GATE_TIMES_MOST) {
        gate_buf_printf(out, "over %.0fx", GATE_TIMES_MOST);
    } else {
        gate_buf_fixed(out, ratio, fabs(ratio) < 1.995 ? 2 : 1);
        gate_buf_char(out, 'x');
    }
}

/* Append digits with a comma before every third digit from the end. */
static void figures_groups(struct gate_buf *out, const char *digits, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            gate_buf_char(out, ',');
        gate_buf_char(out, digits[i]);
    }
}

void gate_figures_count(struct gate_buf *out, double count) {
    char digits[400];
    if (!isfinite(count)) {
        gate_buf_text(out, "n/a");
    } else if (fabs(count) < 9.95 && !figures_is_zero(count - round(count), 1)) {
        gate_buf_fixed(out, count, 1);
    } else {
        int len = snprintf(digits, sizeof digits, "%.0f", fabs(count));
        gate_buf_text(out, round(count) < 0 ? "-" : "");
        figures_groups(out, digits, (size_t)len);
    }
}

void gate_figures_whole(struct gate_buf *out, uint64_t count) {
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + count % 10);
        count /= 10;
    } while (count != 0);
    figures_groups(out, digits + at, sizeof digits - at);
}

/* From 100 hours on, minutes are left out. */
static const double HOURS_ALONE = 360000;

void gate_figures_seconds(struct gate_buf *out, double seconds) {
    double whole = ceil(seconds);
    if (!(whole >= 60)) {
        gate_figures_count(out, whole);
        gate_buf_text(out, isfinite(seconds) ? "s" : "");
        return;
    }
    if (whole >= HOURS_ALONE) {
        gate_figures_count(out, whole / 3600);
        gate_buf_text(out, isfinite(seconds) ? "h" : "");
        return;
    }
    unsigned left = (unsigned)whole, hours = left / 3600, minutes = left % 3600 / 60;
    if (hours > 0)
        gate_buf_printf(out, "%uh", hours);
    if (minutes > 0)
        gate_buf_printf(out, "%um", minutes);
    if (hours == 0 && left % 60 > 0)
        gate_buf_printf(out, "%us", left % 60);
}

void gate_figures_p(struct gate_buf *out, double log_p) {
    double p = exp(fmin(log_p, 0));
    if (isnan(log_p))
        gate_buf_text(out, "p n/a");
    else if (p >= 1e-4)
        gate_buf_printf(out, "p = %.3g", p);
    else if (p > 1e-300)
        gate_buf_printf(out, "p = %.1e", p);
    else
        gate_buf_text(out, "p < 1e-300");
}

void gate_figures_given(struct gate_buf *out, double number) {
    gate_buf_number(out, round(number * 1e6) / 1e6);
}

/* Return the output of `print` for `number`, by value. Longer text is cut, which needs a count of more than 30
 * digits. */
static struct gate_figure figures_text(void (*print)(struct gate_buf *out, double number), double number) {
    struct gate_figure figure = {{0}};
    char room[FIGURE_ROOM];
    struct gate_buf buf = gate_buf_lent(room, sizeof room);
    print(&buf, number);
    struct gate_str text = gate_str_slice(gate_buf_view(&buf), 0, sizeof figure.text - 1);
    memcpy(figure.text, text.ptr, text.len);
    return figure;
}

struct gate_figure gate_figures_share_text(double share) {
    return figures_text(gate_figures_share, share);
}

struct gate_figure gate_figures_times_text(double ratio) {
    return figures_text(gate_figures_times, ratio);
}

struct gate_figure gate_figures_count_text(double count) {
    return figures_text(gate_figures_count, count);
}

struct gate_figure gate_figures_seconds_text(double seconds) {
    return figures_text(gate_figures_seconds, seconds);
}
