/* SPDX-License-Identifier: Apache-2.0 */
/* Prints numbers for people: counts, shares, percentage points, durations. Also the greatest common divisor, and
 * reading a number from an option. */
#ifndef GATE_BASE_FIGURES_H
#define GATE_BASE_FIGURES_H

#include "gate/base/buf.h"

#include <stdint.h>

/* ---- arithmetic and parsing -------------------------------------------------------------------------------------- */

/** Return the absolute value of `value`, also for INT64_MIN. */
static inline uint64_t gate_divisor_size(int64_t value) {
    return value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;
}

/**
 * Return the greatest common divisor of `a` and `b` (Euclid's algorithm). If one of them is 0, return the other.
 * O(log), usually one division if one divides the other.
 */
static inline uint64_t gate_divisor_common(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/** Parse all of `text` as a finite number. Returns false if it is not one. */
GATE_MUST_CHECK bool gate_option_value_number(double *out, const char *text);

/* ---- numbers in sentences and reports ---------------------------------------------------------------------------- */

/* Each kind of number has one spelling in all sentences and reports; assets/report_model.js repeats these rules for
 * the interactive page.
 *
 * - A fraction (a share, or a change of one) is printed in per cent or in percentage points ("pp").
 * - There is one decimal, or two if the printed number is below 1. A change and both bounds of its interval have the
 *   same number of decimals, that of the change.
 * - Zero is "0", without decimals and sign. So is a change that rounds to zero, because it has no visible direction.
 *   A share that rounds to zero is "<0.01%": the function still exists.
 * - A value that could not be measured (NAN) is "n/a".
 * - Commas separate groups of three digits.
 * - No space separates a number from "%", "x" or a unit ("8.01s", "12MB"); "pp" has one. */

/** Append a share: "10.3%", "0.42%", "<0.01%", "0%". */
void gate_figures_share(struct gate_buf *out, double share);

/** Append the shares of both sides: "4.1% → 10.3%". */
void gate_figures_shares(struct gate_buf *out, const double share[2]);

/** Append a change of share with its sign: "+6.2 pp", "-0.31 pp", "0 pp". */
void gate_figures_points(struct gate_buf *out, double delta);

/** Append a size in points without a sign, such as a standard deviation: "6.2 pp". */
void gate_figures_size(struct gate_buf *out, double size);

/** Append the confidence interval `bounds` of the change `delta` in points, without the unit: "[+4.9, +7.6]". */
void gate_figures_interval(struct gate_buf *out, double delta, const double bounds[2]);

/** Append a change and its interval: "+6.2 pp (95% CI [+4.9, +7.6])". If `bounds` is NULL: "+6.2 pp (no interval)". */
void gate_figures_change(struct gate_buf *out, double delta, const double bounds[2]);

/**
 * Append a growth in points, "+5.0 pp". If `is_cost` is set, append it in per cent of the earlier cost, "+20%"; growth
 * of more than ten times that cost is "more than +1000%".
 */
void gate_figures_growth(struct gate_buf *out, double growth, bool is_cost);

/** Like gate_figures_points for `bound`, with enough decimals (at most 4) to distinguish it from `limit`. */
void gate_figures_bound(struct gate_buf *out, double bound, double limit);

/* Larger ratios have a divisor near 0, so their digits mean nothing. */
#define GATE_TIMES_MOST 100.0

/**
 * Append a ratio: "1.34x", "12.4x"; two decimals below 2; "over 100x" above GATE_TIMES_MOST. Infinity is "infinitely
 * many times".
 */
void gate_figures_times(struct gate_buf *out, double ratio);

/** Append a count: "12,345", "3.4". A count below 10 that is not whole has one decimal. */
void gate_figures_count(struct gate_buf *out, double count);

/** Append a whole number with all its digits: "12,345". */
void gate_figures_whole(struct gate_buf *out, uint64_t count);

/** Append a time that somebody has to wait or to measure, in whole seconds, rounded up: "42s", "1m2s", "2h". */
void gate_figures_seconds(struct gate_buf *out, double seconds);

/** Append a probability, given as its natural logarithm `log_p`: "p = 0.0031", "p = 2.1e-07", "p < 1e-300". */
void gate_figures_p(struct gate_buf *out, double log_p);

/**
 * Append a number that a person wrote, such as a limit or a level, with as few digits as possible and at most 6
 * decimals: "5", "0.25".
 */
void gate_figures_given(struct gate_buf *out, double number);

/* ---- the same for printf: "%s", gate_figures_share_text(share).text ---------------------------------------------- */

/** A number as text. A returned temporary lives until the end of the full expression. */
struct gate_figure {
    char text[48];
};

struct gate_figure gate_figures_share_text(double share);

struct gate_figure gate_figures_times_text(double ratio);

struct gate_figure gate_figures_count_text(double count);

struct gate_figure gate_figures_seconds_text(double seconds);

#endif
