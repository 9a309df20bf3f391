/* SPDX-License-Identifier: Apache-2.0 */
/* How people read numbers: one spelling for each kind of number, in sentences and in every report.
 * Used by profile/unit.c, guards/, budget/sentence.c and report/; assets/report_model.js repeats it for the live page.
 *
 * The rules:
 *   - What is given as a fraction (a share, a change of one) is printed in per cent or in percentage points ("pp").
 *   - One decimal; two where the number as printed is below 1. A change and both bounds of its interval have the same
 *     number of decimals, that of the change.
 *   - Zero is "0", without decimals and without a sign, and so is a change that rounds to zero: it has no direction
 *     that could be shown. A share that rounds to zero is "<0.01 %": a function that is there is not one that is gone.
 *   - What could not be measured (NAN) is "n/a".
 *   - Digits from a thousand on stand in groups of three with no-break spaces between.
 *   - Units stand behind a space, but those of time (as everywhere in pprof: "8.01s"). */
#ifndef GATE_BASE_FIGURES_H
#define GATE_BASE_FIGURES_H

#include "gate/base/buf.h"

/** "10.3 %", "0.42 %", "<0.01 %", "0 %": a share. */
void gate_figures_share(struct gate_buf *out, double share);

/** "4.1 % → 10.3 %": the shares of the two sides. */
void gate_figures_shares(struct gate_buf *out, const double share[2]);

/** "+6.2 pp", "-0.31 pp", "0 pp": a change of share, always with its direction. */
void gate_figures_points(struct gate_buf *out, double delta);

/** "6.2 pp": a size in points that has no direction, as of a standard deviation. */
void gate_figures_size(struct gate_buf *out, double size);

/** "+4.9 … +7.6": the interval of the change `delta`, in points, without the unit. */
void gate_figures_interval(struct gate_buf *out, double delta, const double bounds[2]);

/** "+6.2 pp (95 % CI +4.9 … +7.6)"; `bounds` NULL: "+6.2 pp (no interval)". */
void gate_figures_change(struct gate_buf *out, double delta, const double bounds[2]);

/** Growth in points of the whole, "+5.0 pp", or, of a cost, in per cent of what it was, "+20 %"; what is above ten
 * times as much is "more than +1000 %". */
void gate_figures_growth(struct gate_buf *out, double growth, bool is_cost);

/** Like gate_figures_points, with as many decimals (at most 4) as it takes to tell `bound` from `limit`. */
void gate_figures_bound(struct gate_buf *out, double bound, double limit);

/** "1.34 times", "12.4 times": a ratio; two decimals below 2. Infinite: "infinitely many times". */
void gate_figures_times(struct gate_buf *out, double ratio);

/** "12 345", "3.4": how many; below ten, what is not whole has a decimal. */
void gate_figures_count(struct gate_buf *out, double count);

/** "12 345", exactly. */
void gate_figures_whole(struct gate_buf *out, uint64_t count);

/** "62s": whole seconds, rounded up, of a time that somebody is to wait or to measure. */
void gate_figures_seconds(struct gate_buf *out, double seconds);

/** "p = 0.0031", "p = 2.1e-07", "p < 1e-300": a probability from its natural logarithm. */
void gate_figures_p(struct gate_buf *out, double log_p);

/** "5", "0.25": a number that a person wrote, such as a limit or a level, in as few digits as it has (to 6 decimals).
 */
void gate_figures_given(struct gate_buf *out, double number);

/* ---- the same for printf: "%s", gate_figures_share_text(share).text ---- */

/** Lives until the end of the full expression that it is made in. */
struct gate_figure {
    char text[48];
};

struct gate_figure gate_figures_share_text(double share);
struct gate_figure gate_figures_times_text(double ratio);
struct gate_figure gate_figures_count_text(double count);

#endif
