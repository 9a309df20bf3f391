/* SPDX-License-Identifier: Apache-2.0 */
/* Cost per unit of work, per second or per run: total cost, and evidence on it and on a frame's own cost. */
#ifndef GATE_COMPARE_COST_H
#define GATE_COMPARE_COST_H

#include "gate/base/buf.h"
#include "gate/compare/delta.h"
#include "gate/compare/evidence.h"
#include "gate/compare/pair_types.h"

/* ---- what both sides have equal ---------------------------------------------------------------------------------- */

/** The fact that makes costs of both sides comparable, beyond their shares. */
enum GATE_ONE_BYTE gate_equal {
    GATE_EQUAL_UNKNOWN, /* nothing is known */
    GATE_EQUAL_WORK,    /* cost per unit of work: the work of both sides is given */
    GATE_EQUAL_TIME,    /* cost per second: both sides had the same load */
    GATE_EQUAL_RUN,     /* cost per run: every profile is one whole execution of the same task */
    GATE_EQUAL_SHARE    /* only the mix is comparable: shares alone are judged */
};

/** "unknown", "work", "time", "run", "share": in the order of the enum, NULL-terminated. */
extern const char *const gate_equal_words[];

const char *gate_equal_name(enum gate_equal equal);

/** Return "per unit of work", "per second" or "per run"; "of the profile" for shares. Static text. */
const char *gate_equal_per(enum gate_equal equal);

/** Append gate_equal_per. For work, name the rules' `work_unit` if it is not empty: "per request". */
void gate_equal_put_per(struct gate_buf *out, enum gate_equal equal, struct gate_str work_unit);

/** Return whether the fact makes costs comparable: work, time or run. */
static inline bool gate_equal_is_of_cost(enum gate_equal equal) {
    return equal == GATE_EQUAL_WORK || equal == GATE_EQUAL_TIME || equal == GATE_EQUAL_RUN;
}

/** Return the units of a side: its work, seconds or runs; 0 if they are not known. O(runs). */
double gate_equal_units(const struct gate_side *side, enum gate_equal equal, double work);

/**
 * Set `ratio` to the canary's units over the baseline's: of work, seconds or runs. Return false if they are not known:
 * no work, or a run without a duration.
 *
 * work  of each side; 0: not known
 */
bool gate_equal_ratio(double *ratio, const struct gate_pair *pair, enum gate_equal equal,
                      const double work[GATE_SIDES]);

/* ---- total cost -------------------------------------------------------------------------------------------------- */

/** The total cost of both sides, per second, per unit of work or per run. */
struct gate_total_cost {
    double value[GATE_SIDES]; /* total of a side, in the pair's unit */
    double units[GATE_SIDES]; /* seconds, units of work or runs of a side */
    double ratio;             /* canary / baseline, per unit */
    double ratio_bounds[2];   /* its 90% confidence interval */
    double log_p;             /* natural logarithm of the one-sided p value of "the canary costs no more per unit" */
    double deviation, df;     /* standard deviation of the logarithm of the ratio, and its degrees of freedom */
};

/**
 * Measure the total cost of both sides of `pair` by `equal` (work, time or run).
 *
 * Return false if the units are not known, or if a side has no total or no countable events.
 *
 * The logarithm of the ratio has the variance 1/k1 + 1/k2 + s²(1/R1 + 1/R2), where k are effective samples and R runs.
 * s² is gate_total_cost_run_variance. Critical values are those of Student's t with its degrees of freedom, or of the
 * normal distribution with one run per side.
 *
 * O(runs).
 */
bool gate_total_cost_measure(struct gate_total_cost *out, const struct gate_pair *pair, enum gate_equal equal,
                             const double work[GATE_SIDES]);

/** Return the logarithm of the one-sided p value of "the canary costs at most `limit` times as much per unit". */
double gate_total_cost_log_p(const struct gate_total_cost *total, double limit);

/**
 * Return whether the total per second, or per run if a duration is not known, did not grow significantly (one-sided,
 * 5%). False if neither is known. O(runs).
 */
bool gate_total_cost_may_be_same(const struct gate_pair *pair);

/**
 * Return the variance of the logarithm of a run's total cost per unit, beyond that of its samples. It joins an assumed
 * variance of 0.10², with the weight of 4 degrees of freedom, and the variation between the runs of a side, or between
 * the rounds of both. Sets `*df` to the degrees of freedom: INFINITY with one run per side. 0 for exact counts.
 * O(runs).
 */
double gate_total_cost_run_variance(double *df, const struct gate_pair *pair, enum gate_equal equal);

/**
 * Return whether both sides ran at the same time. Each run then has a partner on the other side: the lengths of their
 * windows differ by at most 5%, and their starts by at most 10% of the longer window. Of two runs of one round
 * (`input.round`) an overlap of half of the longer window is enough. A resampled run has no window of its own.
 *
 * O(runs of the baseline * runs of the canary).
 */
bool gate_pair_is_simultaneous(const struct gate_pair *pair);

/** Return whether the sides are known to have run at different times. The runs have rounds, all windows are known, and
 * some run has no partner on the other side (gate_pair_is_simultaneous). */
bool gate_pair_is_apart(const struct gate_pair *pair);

/** Return the option that gives the work. `capture` and `gate`, which number their rounds, read it from a counter. */
const char *gate_pair_work_option(const struct gate_pair *pair);

/* ---- cost per unit of work --------------------------------------------------------------------------------------- */

/* Unlike a share of the total, cost per unit of work shows a slow-down that is the same everywhere. */

/** The divisor of each side's values. */
struct gate_exposure {
    double ratio;                   /* canary / baseline, of work, seconds or runs; > 0 */
    const struct gate_noise *noise; /* noise model, or NULL */
    enum gate_equal equal;          /* what costs are divided by: time, work or runs */
};

/**
 * Return evidence on the cost per unit of work of item `item` of `deltas`, or of the side's total if `deltas` is NULL.
 *
 * Shares are fractions of the baseline's total cost, so the canary's may exceed 1. Counts are Poisson: `dilution` is
 * large, so the binomial tests of evidence.h become tests of two rates.
 *
 * Run-to-run variation comes from replicates and from a noise model. If runs are interleaved, the differences of pairs
 * replace replicates within sides: always with 3 or more runs per side, with 2 only if pairs agree better. The
 * variation of the total is that of gate_total_cost_run_variance, and the prior of each item's. With one run per side
 * and no model it is assumed, and `variation` is GATE_VARIATION_ASSUMED. O(runs).
 */
struct gate_evidence gate_cost_evidence_of(const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                           uint32_t item, enum gate_measure measure,
                                           const struct gate_exposure *exposure);

#endif
