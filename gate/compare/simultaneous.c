/* SPDX-License-Identifier: Apache-2.0 */
/* Total cost per second of runs that both sides took at the same time. */
#include "gate/compare/simultaneous.h"

#include "gate/compare/student.h"

#include <math.h>

/* Two windows are the same if they overlap by this part of the longer one, and differ in length by no more. */
static const double OVERLAP_LEAST = 0.90;
static const double LENGTH_MOST = 0.05;

/* Standard deviation of the logarithm of a run's total beyond its samples, before any run is seen. Simultaneous runs of
 * measured services have 0.02 to 0.06. */
static const double RUN_DEVIATION = 0.10;
static const double RUN_DEGREES = 4.0;

static const double INTERVAL_TAIL = 0.05;

static double window_ns(const struct gate_run *run) {
    return (double)run->input.profile->duration_ns;
}

static bool share_a_window(const struct gate_run *a, const struct gate_run *b) {
    double longer = fmax(window_ns(a), window_ns(b)), shorter = fmin(window_ns(a), window_ns(b));
    double apart = fabs((double)a->input.profile->time_ns - (double)b->input.profile->time_ns);
    return longer - shorter <= LENGTH_MOST * longer && longer - apart >= OVERLAP_LEAST * longer;
}

static bool has_partner(const struct gate_run *run, const struct gate_side *others) {
    for (uint32_t i = 0; i < others->run_count; i++)
        if (share_a_window(run, &others->runs[i]))
            return true;
    return false;
}

static bool are_simultaneous(const struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_side *own = &pair->sides[side], *others = &pair->sides[1 - side];
        for (uint32_t i = 0; i < own->run_count; i++) {
            const struct gate_run *run = &own->runs[i];
            if (run->input.resample != NULL || run->input.profile->time_ns <= 0 ||
                run->input.profile->duration_ns <= 0 || run->total <= 0 || !(run->events > 0.0) ||
                !has_partner(run, others))
                return false;
        }
    }
    return pair->sides[GATE_BASELINE].run_count > 0 && pair->sides[GATE_CANARY].run_count > 0;
}

/* Logarithm of a run's cost per second, and the variance that its samples alone give it. */
static double log_rate(const struct gate_run *run) {
    return log((double)run->total / window_ns(run));
}

static double sampling(const struct gate_run *run) {
    return 1.0 / run->events;
}

/* Add to `*squares` what `count` values differ by beyond their samples, and to `*degrees` how many of them are free. */
static void add_excess(double *squares, double *degrees, double sum, double sum_squares, double noise, uint32_t count) {
    double around = sum_squares - sum * sum / count, by_samples = noise * (count - 1.0) / count;
    *squares += fmax(around - by_samples, 0.0);
    *degrees += count - 1.0;
}

/* Variance of a run beyond its samples. Rounds that were taken in pairs share what the host did to both sides. */
static double run_variance(double *degrees, const struct gate_pair *pair) {
    const struct gate_side *sides = pair->sides;
    bool is_paired = pair->is_interleaved && sides[GATE_BASELINE].run_count == sides[GATE_CANARY].run_count;
    double squares = 0.0;
    *degrees = 0.0;
    for (int side = 0; side < (is_paired ? 1 : GATE_SIDES); side++) {
        double sum = 0.0, sum_squares = 0.0, noise = 0.0;
        for (uint32_t i = 0; i < sides[side].run_count; i++) {
            const struct gate_run *run = &sides[side].runs[i], *other = &sides[GATE_CANARY].runs[i];
            /* A difference of two runs varies twice as much as one run. */
            double value = is_paired ? (log_rate(other) - log_rate(run)) * sqrt(0.5) : log_rate(run);
            noise += is_paired ? (sampling(other) + sampling(run)) / 2.0 : sampling(run);
            sum += value;
            sum_squares += value * value;
        }
        add_excess(&squares, degrees, sum, sum_squares, noise, sides[side].run_count);
    }
    return (RUN_DEGREES * RUN_DEVIATION * RUN_DEVIATION + squares) / (RUN_DEGREES + *degrees);
}

bool gate_simultaneous_measure(struct gate_simultaneous *out, const struct gate_pair *pair) {
    double degrees = 0.0, variance = 0.0, rate[GATE_SIDES];
    if (!are_simultaneous(pair))
        return false;
    double by_run = run_variance(&degrees, pair);
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_side *own = &pair->sides[side];
        double ns = 0.0;
        for (uint32_t i = 0; i < own->run_count; i++)
            ns += window_ns(&own->runs[i]);
        out->seconds[side] = ns / 1e9 / own->run_count;
        out->value[side] = (double)own->total / own->run_count;
        rate[side] = (double)own->total / ns;
        variance += 1.0 / own->events + by_run / own->run_count;
    }
    double df = degrees > 0.0 ? RUN_DEGREES + degrees : INFINITY, deviation = sqrt(variance);
    double reach = exp(gate_student_t(INTERVAL_TAIL, df) * deviation);
    out->ratio = rate[GATE_CANARY] / rate[GATE_BASELINE];
    out->ratio_bounds[0] = out->ratio / reach;
    out->ratio_bounds[1] = out->ratio * reach;
    out->log_p = gate_student_log_p(log(out->ratio) / deviation, df);
    return true;
}
