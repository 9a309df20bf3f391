/* SPDX-License-Identifier: Apache-2.0 */
/* Total cost of both sides per second, per unit of work or per run. */
#include "gate/compare/total_cost.h"

#include "gate/compare/noise.h"
#include "gate/compare/pair.h"
#include "gate/compare/student.h"

#include <math.h>

/* ---- what both sides have equal ---------------------------------------------------------------------------------- */

const char *const gate_equal_words[] = {
    [GATE_EQUAL_UNKNOWN] = "unknown", [GATE_EQUAL_WORK] = "work",   [GATE_EQUAL_TIME] = "time",
    [GATE_EQUAL_RUN] = "run",         [GATE_EQUAL_SHARE] = "share", [GATE_EQUAL_SHARE + 1] = NULL,
};

const char *gate_equal_name(enum gate_equal equal) {
    return gate_equal_words[equal];
}

const char *gate_equal_per(enum gate_equal equal) {
    static const char *const per[] = {
        [GATE_EQUAL_UNKNOWN] = "of the profile", [GATE_EQUAL_WORK] = "per unit of work",
        [GATE_EQUAL_TIME] = "per second",        [GATE_EQUAL_RUN] = "per run",
        [GATE_EQUAL_SHARE] = "of the profile",
    };
    return per[equal];
}

static double window_ns(const struct gate_run *run) {
    return (double)run->input.profile->duration_ns;
}

double gate_equal_units(const struct gate_side *side, enum gate_equal equal, double work) {
    switch (equal) {
    case GATE_EQUAL_WORK:
        return work;
    case GATE_EQUAL_RUN:
        return side->run_count;
    case GATE_EQUAL_TIME:
        for (uint32_t r = 0; r < side->run_count; r++)
            if (window_ns(&side->runs[r]) <= 0.0)
                return 0.0; /* the cost of a run whose time is not known counts too */
        return (double)side->duration_ns / 1e9;
    default:
        return 0.0;
    }
}

bool gate_equal_ratio(double *ratio, const struct gate_pair *pair, enum gate_equal equal,
                      const double work[GATE_SIDES]) {
    double units[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++)
        units[side] = gate_equal_units(&pair->sides[side], equal, work[side]);
    if (!(units[GATE_BASELINE] > 0.0) || !(units[GATE_CANARY] > 0.0))
        return false;
    *ratio = units[GATE_CANARY] / units[GATE_BASELINE];
    return true;
}

/* ---- variation from run to run ----------------------------------------------------------------------------------- */

/* Standard deviation of the logarithm of a run's cost beyond its samples, before any run is seen. Simultaneous runs of
 * measured services have 0.02 to 0.06, costs per request of runs at different times 0.04 to 0.15. */
static const double RUN_DEVIATION = 0.10;
static const double RUN_DEGREES = 4.0;

static const double INTERVAL_TAIL = 0.05;

/* Return a run's units: of work, seconds or runs; 1 if its own work is not known. */
static double run_units(const struct gate_run *run, enum gate_equal equal) {
    if (equal == GATE_EQUAL_TIME)
        return window_ns(run);
    return equal == GATE_EQUAL_WORK && run->input.work > 0.0 ? run->input.work : 1.0;
}

/* Return the logarithm of a run's cost per unit, and the variance that its samples alone give it. */
static double log_rate(const struct gate_run *run, enum gate_equal equal) {
    return log((double)run->total / run_units(run, equal));
}

static double sampling(const struct gate_run *run) {
    return gate_run_weight_sq(run) / ((double)run->total * (double)run->total);
}

/* Return whether the variation between the runs can be measured. */
static bool has_rates(const struct gate_pair *pair, enum gate_equal equal) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++) {
            const struct gate_run *run = &pair->sides[side].runs[r];
            if (run->total <= 0 || run->counts.kind == GATE_COUNTS_UNKNOWN || !(run_units(run, equal) > 0.0))
                return false;
        }
    return true;
}

/* Values of the runs of a side, or of the rounds of both sides. */
struct spread {
    double sum, sum_squares, noise;
    uint32_t count;
};

static void add_value(struct spread *spread, double value, double noise) {
    spread->sum += value;
    spread->sum_squares += value * value;
    spread->noise += noise;
    spread->count++;
}

/* Add to `*squares` the variation of the values beyond their sampling error, and to `*degrees` its degrees of freedom.
 */
static void add_excess(double *squares, double *degrees, const struct spread *spread) {
    double around = spread->sum_squares - spread->sum * spread->sum / spread->count;
    double by_samples = spread->noise * (spread->count - 1.0) / spread->count;
    *squares += fmax(around - by_samples, 0.0);
    *degrees += spread->count - 1.0;
}

double gate_total_cost_run_variance(double *df, const struct gate_pair *pair, enum gate_equal equal) {
    const struct gate_side *sides = pair->sides;
    /* In rounds taken in pairs, the host affects both sides alike. */
    bool is_paired = pair->is_interleaved && sides[GATE_BASELINE].run_count == sides[GATE_CANARY].run_count;
    double squares = 0.0, degrees = 0.0;
    *df = INFINITY;
    if (gate_pair_is_exact(pair))
        return 0.0;
    for (int side = 0; has_rates(pair, equal) && side < (is_paired ? 1 : GATE_SIDES); side++) {
        struct spread spread = {0};
        for (uint32_t i = 0; i < sides[side].run_count; i++) {
            const struct gate_run *run = &sides[side].runs[i], *other = is_paired ? &sides[GATE_CANARY].runs[i] : run;
            /* A difference of two runs varies twice as much as one run. */
            if (is_paired)
                add_value(&spread, (log_rate(other, equal) - log_rate(run, equal)) * sqrt(0.5),
                          (sampling(other) + sampling(run)) / 2.0);
            else
                add_value(&spread, log_rate(run, equal), sampling(run));
        }
        add_excess(&squares, &degrees, &spread);
    }
    if (degrees > 0.0)
        *df = RUN_DEGREES + degrees;
    return (RUN_DEGREES * RUN_DEVIATION * RUN_DEVIATION + squares) / (RUN_DEGREES + degrees);
}

/* ---- total cost -------------------------------------------------------------------------------------------------- */

bool gate_total_cost_measure(struct gate_total_cost *out, const struct gate_pair *pair, enum gate_equal equal,
                             const double work[GATE_SIDES]) {
    double df, variance = 0.0, ratio = 0.0;
    if (!gate_equal_ratio(&ratio, pair, equal, work))
        return false;
    double by_run = gate_total_cost_run_variance(&df, pair, equal);
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_side *own = &pair->sides[side];
        if (own->total <= 0 || !(own->events > 0.0))
            return false;
        out->value[side] = (double)own->total;
        out->units[side] = gate_equal_units(own, equal, work[side]);
        variance += (gate_pair_is_exact(pair) ? 0.0 : 1.0 / own->events) + by_run / own->run_count;
    }
    double deviation = sqrt(variance), reach = exp(gate_student_t(INTERVAL_TAIL, df) * deviation);
    out->ratio = out->value[GATE_CANARY] / out->value[GATE_BASELINE] / ratio;
    out->ratio_bounds[0] = out->ratio / reach;
    out->ratio_bounds[1] = out->ratio * reach;
    double growth = log(out->ratio);
    out->log_p = deviation > 0.0 ? gate_student_log_p(growth / deviation, df) : growth > 0.0 ? -INFINITY : 0.0;
    return true;
}

/* ---- runs at the same time --------------------------------------------------------------------------------------- */

/* Two windows are the same if they overlap by this part of the longer one, and differ in length by no more. */
static const double OVERLAP_LEAST = 0.90;
static const double LENGTH_MOST = 0.05;

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

bool gate_pair_is_simultaneous(const struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_side *own = &pair->sides[side], *others = &pair->sides[1 - side];
        for (uint32_t i = 0; i < own->run_count; i++) {
            const struct gate_run *run = &own->runs[i];
            if (run->input.resample != NULL || run->input.profile->time_ns <= 0 ||
                run->input.profile->duration_ns <= 0 || !has_partner(run, others))
                return false;
        }
    }
    return pair->sides[GATE_BASELINE].run_count > 0 && pair->sides[GATE_CANARY].run_count > 0;
}
