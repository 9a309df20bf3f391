/* SPDX-License-Identifier: Apache-2.0 */
/* Significance of a frame's change: effective counts, dispersion, score tests, paired runs, confidence intervals. */
#ifndef GATE_COMPARE_EVIDENCE_H
#define GATE_COMPARE_EVIDENCE_H

#include "gate/compare/noise.h"

/** k of n on each side; 0 <= k <= n, n > 0. */
struct gate_counts2 {
    double k1, n1, k2, n2;
};

/**
 * Return the SCAS z of H0: p2 - p1 <= b; positive if the growth exceeds b. 0 if the variance is 0. -1 < b < 1. O(1).
 * Source: Gart & Nam, Biometrics 46 (1990); Laud, Pharm. Stat. 16 (2017).
 */
double gate_score_z(struct gate_counts2 counts, double b);

/** Return the restricted maximum-likelihood estimate of p1 under p2 - p1 = b, in [max(0, -b), min(1, 1 - b)]. */
double gate_score_restricted_p1(struct gate_counts2 counts, double b);

/** Return the SCAS z of H0: p2 / p1 <= r. r > 0; defined at k1 = 0. O(1). */
double gate_ratio_z(struct gate_counts2 counts, double r);

/** Return the restricted maximum-likelihood estimate of p1 under p2 / p1 = r. */
double gate_ratio_restricted_p1(struct gate_counts2 counts, double r);

/** Return the p2 - p1 at which gate_score_z is `z`: one end of an interval, within [-1, 1]. About 10 tests. */
double gate_score_bound(struct gate_counts2 counts, double z);

/** Return the p2 / p1 at which gate_ratio_z is `z`; 0 or INFINITY if there is no such ratio. */
double gate_ratio_bound(struct gate_counts2 counts, double z);

/** Return the skewness-corrected score z of H0: k / n <= p0, 0 < p0 < 1. */
double gate_one_sample_z(double k, double n, double p0);

/** Return the p0 at which gate_one_sample_z is `z`, within [0, 1]. */
double gate_one_sample_bound(double k, double n, double z);

/**
 * Return the true growth at which gate_score_z of growth > b is `z` if the measured growth falls short of it by
 * `deviations` standard errors (.84: such a growth is found with 80% power). Returns 1 - p1, the maximum, if no growth
 * is found. About 10 tests.
 */
double gate_detectable_effect(struct gate_counts2 counts, double b, double z, double deviations);

/** Compute the Wilson interval of k of n at z. */
void gate_wilson_interval(double k, double n, double z, double *low, double *high);

/* ---- paired runs ------------------------------------------------------------------------------------------------- */

/* Runs of both sides taken at the same time share the effects of the host and of the traffic. The variation of their
 * difference from round to round can then be smaller than the variation within a side. Formulas: docs/statistics.md,
 * "Pairs". Duet benchmarking: Bulej et al., arXiv 2001.05811. */

/**
 * Set the dispersion of the difference between the sides, by rounds: the squared residual of each round over its
 * sampling variance, with rounds - 1 degrees of freedom. Returns false, with `out` zeroed, if there are fewer than 2
 * rounds or neither side contains the item. The runs must be in pairs (gate_pair.is_interleaved). O(runs).
 */
bool gate_paired_dispersion(struct gate_dispersion *out, const struct gate_pair *pair,
                            const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure,
                            const struct gate_effective sums[GATE_SIDES]);

/**
 * Return whether pairs agree clearly better than the runs of a side, given the dispersion slopes of a class. A mere
 * smaller-of-two choice would understate the variation too often.
 */
bool gate_paired_agrees(double slope_of_pairs, double slope_of_sides, uint32_t rounds);

/** Return the number of rounds of a side whose runs are in pairs. O(runs). */
uint32_t gate_paired_rounds(const struct gate_side *side);

/* ---- evidence ---------------------------------------------------------------------------------------------------- */

/* The numbers that a decision uses, without the decision. */

/** Minimum effective counts of both sides together for a test of a frame, a group or a flame-graph box. */
#define GATE_MIN_COUNTS 20.0

/** Part of the rules' `min_samples` that each side needs for a fail, unless it cannot have been idle. */
#define GATE_SAMPLES_OF_ONE_SIDE 0.2

/**
 * Assumed run-to-run variance of a share, relative to p (1 - p), if none was measured. See gate_evidence_assumed_rho.
 */
#define GATE_ASSUMED_RHO 0.002

#define GATE_ASSUMED_RHO_CHARGED 0.0025

#define GATE_ASSUMED_RHO_HEAP 0.003

/* Assumed for a fail with one run of Python per side: on a busy machine py-spy gets its samples in clumps. */
#define GATE_ASSUMED_RHO_PYTHON 0.005

/* Assumed if the mix of the traffic is known: only the machine's variation remains. */
#define GATE_ASSUMED_RHO_MIX 0.0005

/* Assumed for cumulative costs, the runtime, groups, stacks without own code, and methods that are not compiled yet. */
#define GATE_ASSUMED_RHO_WIDE 0.02

/** Return `rho`, raised by the share of interpreted methods: which methods are compiled yet differs from run to run. */
static inline double gate_evidence_rho_of_interpreted(const struct gate_pair *pair, double rho, double wide) {
    double share = pair->interpreted[GATE_BASELINE] > pair->interpreted[GATE_CANARY] ? pair->interpreted[GATE_BASELINE]
                                                                                     : pair->interpreted[GATE_CANARY];
    return rho + share * (wide - rho);
}

/** Source of the run-to-run variation. */
enum GATE_ONE_BYTE gate_variation {
    GATE_VARIATION_ASSUMED,    /* one run per side and no noise model: gate_evidence_assumed_rho */
    GATE_VARIATION_MODEL,      /* a noise model */
    GATE_VARIATION_REPLICATES, /* two or more runs per side */
    GATE_VARIATION_BOTH
};

/**
 * Evidence on one measure of one frame or group. Shares are fractions of the side's total. Kept small: there is one per
 * measure of many thousand frames.
 */
struct gate_evidence {
    int64_t value[GATE_SIDES];
    double share[GATE_SIDES];
    double delta;                /* canary - baseline */
    struct gate_counts2 counts;  /* effective counts, reduced by run-to-run variation */
    double sample_n[GATE_SIDES]; /* effective sample size from sampling alone; 0: not countable */
    double dilution;  /* counts.n / the sample size that shares refer to: 1, or large for the rates of cost.h */
    double phi;       /* z is divided by sqrt(phi); 1: no overdispersion */
    double df;        /* degrees of freedom of the reference distribution; INFINITY: normal */
    double z;         /* of H0: growth <= 0; negative if the share shrank */
    double log_p;     /* one-sided, natural logarithm */
    double rho;       /* rho assumed for one pair without a model; else 0 */
    float phi_common; /* the part of phi that the runs of a build have in common, so that more runs do not reduce it */
    float sigma;      /* run-to-run SD of the share, for reports; 0: none, NAN: from replicates alone */
    enum gate_variation variation;
    bool is_paired; /* phi is the dispersion of the difference from round to round */
    bool is_wide;   /* the frame is of a class that varies more from run to run than own code */
    bool is_tested; /* k1 + k2 >= GATE_MIN_COUNTS before run-to-run variation; else z is 0 */
};

/**
 * Add the dispersion `phi` that the runs of each build have in common, by a noise model of `build_count` builds
 * (gate_noise.common). It has `build_count - 1` degrees of freedom; those of the sum are Welch and Satterthwaite's.
 * Does nothing if `phi` is 0.
 */
void gate_evidence_add_common(struct gate_evidence *out, double phi, uint32_t build_count);

/**
 * Effect of different run sizes on run-to-run variation. Zeroed: all runs have the same size, or pairs are compared.
 */
struct gate_run_sizes {
    double uneven;   /* factor from the variation that residuals show to that of the pooled shares */
    double variance; /* variance of the difference of the pooled shares, if each run's share has variance 1 */
};

struct gate_evidence_options {
    const struct gate_noise *noise; /* noise model, or NULL */
    double work_ratio;              /* > 0: own cost, with n2* = ratio * n1 in place of n2; 0: shares */
    /* For replicates; filled by gate_evidence_prior. */
    struct gate_dispersion_prior prior[GATE_MEASURES][GATE_DISPERSION_CLASSES];
    struct gate_run_sizes sizes;
    /* Whether rounds agree better than the runs of a side, and the fraction of the variation that remains then. */
    bool is_paired;
    double paired_part[GATE_MEASURES][GATE_DISPERSION_CLASSES];
};

/**
 * Return the assumed sigma_b^2 / (p (1 - p)) of one pair without a noise model. One run is never worth more than 1 /
 * rho samples. Heap profiles have a larger value: few sites fill a heap, so a change of the traffic's mix fully shows
 * at one site. Wide classes have a larger value too, and so has a JVM that has not compiled its methods yet. Source:
 * docs/statistics.md, "One pair and nothing else".
 */
double gate_evidence_assumed_rho(const struct gate_pair *pair, enum gate_measure measure, bool is_wide);

/** Return the larger rho at which a fail with one run per side must still be a fail, or 0 if there is no such
 * condition. A pass depends on gate_evidence_assumed_rho alone. */
double gate_evidence_rho_of_fail(const struct gate_pair *pair);

/** Return the evidence of one pair without a noise model at another rho. */
struct gate_evidence gate_evidence_at_rho(const struct gate_evidence *evidence, double rho);

/**
 * Return whether an item varies more from run to run than own code does by self cost. True for runtime frames, groups,
 * cost charged to frames that are not own code, and cumulative cost. False if the samples equal those of a measure that
 * is not wide.
 */
bool gate_evidence_is_wide(const struct gate_pair *pair, const struct gate_delta_list *deltas, uint32_t item,
                           enum gate_measure measure);

/**
 * Fill `options->prior` and the paired fields from frames with at least 5 effective counts per run. O(frames * runs).
 */
GATE_MUST_CHECK
bool gate_evidence_prior(struct gate_evidence_options *options, const struct gate_pair *pair,
                         const struct gate_delta_list *deltas, struct gate_arena *arena, struct gate_error *err);

/**
 * Return the evidence of item `frame` of `deltas`; `name` is its name in the noise model. If the events of a run cannot
 * be counted (GATE_COUNTS_UNKNOWN), sample_n is 0 on both sides and nothing is tested. O(runs).
 */
struct gate_evidence gate_evidence_of(const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                      uint32_t frame, enum gate_measure measure, struct gate_str name,
                                      const struct gate_evidence_options *options);

/** Like gate_evidence_of, without z and p values, which take many times as long as the counts. */
struct gate_evidence gate_evidence_count(const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                         uint32_t frame, enum gate_measure measure, struct gate_str name,
                                         const struct gate_evidence_options *options);

/** Return whether the evidence has counts for gate_evidence_judge. */
static inline bool gate_evidence_is_judgeable(const struct gate_evidence *evidence) {
    return evidence->counts.n1 > 0.0 || evidence->counts.n2 > 0.0;
}

/** Return whether both sides have countable samples; without them the evidence proves nothing. */
static inline bool gate_evidence_is_counted(const struct gate_evidence *evidence) {
    return evidence->sample_n[GATE_BASELINE] > 0.0 && evidence->sample_n[GATE_CANARY] > 0.0;
}

/** Fill z and log_p from counts, phi and df. */
void gate_evidence_judge(struct gate_evidence *evidence);

/** Return the two-sided log p of a judged evidence; 0 if it was not tested. */
double gate_evidence_two_sided(const struct gate_evidence *evidence);

/** Low and high end. */
struct gate_interval {
    double bounds[GATE_SIDES];
};

/**
 * Return the 95% confidence interval of delta; [-1, 1] if there are no counts. It is not stored with the evidence
 * because it costs about 20 tests and only the frames shown in a report need it.
 */
struct gate_interval gate_evidence_ci95(const struct gate_evidence *evidence);

/** Return whether two evidences have the same counts, phi, df and dilution, hence the same tests and intervals. */
bool gate_evidence_is_alike(const struct gate_evidence *a, const struct gate_evidence *b);

/** Return z of H0: growth <= b (`b` as a fraction) with this evidence's dispersion and df; `log_p` is one-sided. */
double gate_evidence_increase(const struct gate_evidence *evidence, double b, double *log_p);

/** Like gate_evidence_increase, for H0: canary / baseline <= r. */
double gate_evidence_ratio(const struct gate_evidence *evidence, double r, double *log_p);

/** Return a one-sided bound of delta at `level` (0.05: the 95% bound); 1 (upper) or -1 (lower) if events cannot be
 * counted. */
double gate_evidence_upper(const struct gate_evidence *evidence, double level);

double gate_evidence_lower(const struct gate_evidence *evidence, double level);

/** Return the upper bound of canary / baseline, or of the canary's share; INFINITY, or 1, if there are no counts. */
double gate_evidence_ratio_upper(const struct gate_evidence *evidence, double level);

double gate_evidence_share_upper(const struct gate_evidence *evidence, double level);

/** Return the one-sided log p of `z`, a z of the counts alone; 0 for -INFINITY, -INFINITY for INFINITY. */
double gate_evidence_log_p(const struct gate_evidence *evidence, double z);

/**
 * Like gate_evidence_log_p, for comparing p with the `count` levels `log_levels`. The result is exact only near one of
 * them, and elsewhere within 0.01. It takes a quarter of the time.
 */
double gate_evidence_log_p_among(const struct gate_evidence *evidence, double z, const double *log_levels,
                                 size_t count);

/** Return whether the one-sided log p of `z` is at most `log_level`. */
bool gate_evidence_is_unlikely(const struct gate_evidence *evidence, double z, double log_level);

/** Return the z of the counts alone that is significant at the one-sided `level`. */
double gate_evidence_critical_z(const struct gate_evidence *evidence, double level);

/* ---- the smallest growth that would be found --------------------------------------------------------------------- */

/**
 * Return the smallest growth detectable with 80% power under budget `b`, as a fraction of the total. Growth > 0 is
 * tested at `level`, growth > b at `level_margin`. INFINITY if events cannot be counted. About 20 tests.
 */
double gate_detectable_growth(const struct gate_evidence *evidence, double b, double level, double level_margin);

/** Return whether gate_detectable_growth is at most `growth`. Two tests, so it is cheap to find the largest of many
 * frames. */
bool gate_detectable_is_within(const struct gate_evidence *evidence, double b, double level, double level_margin,
                               double growth);

#endif
