/* SPDX-License-Identifier: Apache-2.0 */
/* What the samples say about one change: every number of a decision, and no decision.
 * Pipeline: compare/delta.h + compare/noise.h -> compare/evidence.h -> budget/verdict.h */
#ifndef GATE_COMPARE_EVIDENCE_H
#define GATE_COMPARE_EVIDENCE_H

#include "gate/base/hash.h"
#include "gate/compare/dispersion.h"
#include "gate/compare/noise.h"
#include "gate/compare/stats.h"

/** Fewer effective counts than this on both sides together are not tested, of a frame, a group or a box of the graph.
 */
#define GATE_MIN_COUNTS 20.0

/** What one run's share varies by, relative to p (1 - p), where nothing was measured; see gate_evidence_assumed_rho. */
#define GATE_ASSUMED_RHO 0.002
#define GATE_ASSUMED_RHO_CHARGED 0.0025
#define GATE_ASSUMED_RHO_HEAP 0.003
#define GATE_ASSUMED_RHO_WIDE 0.02
/* Where the mix of the traffic was told: what is left is the machine. */
#define GATE_ASSUMED_RHO_MIX 0.0005
#define GATE_ASSUMED_RHO_WIDE_MIX 0.01

/** Where the run-to-run variation came from. */
enum GATE_ONE_BYTE gate_variation {
    GATE_VARIATION_ASSUMED,    /* one pair, no model: gate_evidence_assumed_rho */
    GATE_VARIATION_MODEL,      /* a noise model */
    GATE_VARIATION_REPLICATES, /* two or more runs a side */
    GATE_VARIATION_BOTH
};

/** One frame (or group) and one measure. Shares are fractions of the side's total. There is one of each measure of many
 * thousand frames. */
struct gate_evidence {
    int64_t value[GATE_SIDES];
    double share[GATE_SIDES];
    double delta;                /* canary - baseline */
    struct gate_counts2 counts;  /* effective, with run-to-run variation in them */
    double sample_n[GATE_SIDES]; /* effective, from sampling alone */
    double dilution;             /* counts.n is this many times what shares divide by: 1, or large for cost.h's rates */
    double phi;                  /* z is divided by its square root; 1: nothing to divide */
    double df;                   /* of the reference distribution; INFINITY: normal */
    double z;                    /* growth > 0 (negative: shrank) */
    double log_p;                /* one-sided, natural logarithm */
    double rho;                  /* of one pair without a model: what was assumed; else 0 */
    float sigma; /* of the share from run to run, to be told; 0: none, NAN: measured by replicates alone */
    enum gate_variation variation;
    bool is_paired; /* phi is of the difference from round to round (compare/paired.h) */
    bool is_wide;   /* of a class that varies more from run to run than code of one's own does */
    bool is_tested; /* k1 + k2 >= GATE_MIN_COUNTS before the run-to-run factor; else z is 0 */
};

struct gate_evidence_options {
    const struct gate_noise *noise; /* or NULL */
    double work_ratio;              /* n2* = ratio * n1 in place of n2: own cost; 0: shares */
    /* Of replicates without a noise model; gate_evidence_prior. */
    struct gate_dispersion_prior prior[GATE_MEASURES][GATE_DISPERSION_CLASSES];
    /* Whether rounds agree better than the runs of a side do, and what part of their variation is left then. */
    bool is_paired;
    double paired_part[GATE_MEASURES][GATE_DISPERSION_CLASSES];
};

/**
 * sigma_b^2 over p (1 - p) of one pair without a model: one run is never worth more than its inverse of samples. A heap
 * has its own, since it is filled by few sites, so that what its traffic's mix does to one of them shows whole; so have
 * the wide classes. Source: docs/statistics.md, "One pair and nothing else".
 */
double gate_evidence_assumed_rho(const struct gate_pair *pair, enum gate_measure measure, bool is_wide);

/**
 * Whether an item varies more from run to run than the program's own code does by itself: the runtime's frames, groups,
 * what is charged to nobody's own code, and cumulative costs, unless their samples are those of a measure that is not
 * wide.
 */
bool gate_evidence_is_wide(const struct gate_pair *pair, const struct gate_delta_list *deltas, uint32_t item,
                           enum gate_measure measure);

/** Fill `options->prior` from the frames with at least 5 effective counts a run. O(frames * runs). */
GATE_MUST_CHECK
bool gate_evidence_prior(struct gate_evidence_options *options, const struct gate_pair *pair,
                         const struct gate_delta_list *deltas, struct gate_arena *arena, struct gate_error *err);

/**
 * Evidence of item `frame` of `deltas`; `name` is its name in the noise model. Where the events of a run cannot be
 * counted (GATE_COUNTS_UNKNOWN), sample_n is 0 on both sides and nothing is tested. O(runs).
 */
struct gate_evidence gate_evidence_of(const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                      uint32_t frame, enum gate_measure measure, struct gate_str name,
                                      const struct gate_evidence_options *options);

/** The same without z and p values, which cost many times as much as the counts. */
struct gate_evidence gate_evidence_count(const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                         uint32_t frame, enum gate_measure measure, struct gate_str name,
                                         const struct gate_evidence_options *options);

/** Whether there are counts at all that gate_evidence_judge could judge. */
static inline bool gate_evidence_is_judgeable(const struct gate_evidence *evidence) {
    return evidence->counts.n1 > 0.0 || evidence->counts.n2 > 0.0;
}

/** Whether sampling alone gives the counts of this evidence: without that it proves nothing. */
static inline bool gate_evidence_is_counted(const struct gate_evidence *evidence) {
    return evidence->sample_n[GATE_BASELINE] > 0.0 && evidence->sample_n[GATE_CANARY] > 0.0;
}

/** Fill z and the p value from counts, phi and df. */
void gate_evidence_judge(struct gate_evidence *evidence);

/** Of a judged evidence: log p of a change as large, to whichever side. 0 where nothing was tested. */
double gate_evidence_two_sided(const struct gate_evidence *evidence);

/** Low and high. */
struct gate_interval {
    double bounds[GATE_SIDES];
};

/**
 * 95 % interval of delta; [-1, 1] where nothing can be judged. Not kept with the evidence: it costs about 8 tests, and
 * of the frames of a profile only those that a report shows need one.
 */
struct gate_interval gate_evidence_ci95(const struct gate_evidence *evidence);

/** The same to 1e-11, in a test less: for tables and pictures, which round it. */
struct gate_interval gate_evidence_ci95_near(const struct gate_evidence *evidence);

/** Whether tests and intervals of both are the same: they say the same with the same counts. */
bool gate_evidence_is_alike(const struct gate_evidence *a, const struct gate_evidence *b);

/** A hash of the counts: the same of evidence that is alike. */
static inline uint32_t gate_evidence_key(const struct gate_evidence *evidence) {
    uint64_t bits[2];
    memcpy(bits, (const double[]){evidence->counts.k1, evidence->counts.k2}, sizeof bits);
    return (uint32_t)(gate_hash_mix(bits[0] ^ gate_hash_mix(bits[1])) >> 32);
}

/** z and one-sided log p of growth > b (share points as a fraction), with this evidence's dispersion and df. */
double gate_evidence_increase(const struct gate_evidence *evidence, double b, double *log_p);
/** The same of canary / baseline > r. */
double gate_evidence_ratio(const struct gate_evidence *evidence, double r, double *log_p);
/** The same of the canary's share alone > limit, 0 < limit < 1. */
double gate_evidence_share(const struct gate_evidence *evidence, double limit, double *log_p);
/** Bounds of delta at a one-sided level (0.05: the 95 % upper bound). */
double gate_evidence_upper(const struct gate_evidence *evidence, double level);
double gate_evidence_lower(const struct gate_evidence *evidence, double level);
/** Upper bounds of canary / baseline and of the canary's share. */
double gate_evidence_ratio_upper(const struct gate_evidence *evidence, double level);
double gate_evidence_share_upper(const struct gate_evidence *evidence, double level);
/** log p of a z of the counts alone, one-sided; of -INFINITY 0. */
double gate_evidence_log_p(const struct gate_evidence *evidence, double z);
/** The same where nobody asks for more than which of so many levels it is below: elsewhere a hundredth is exact enough,
 * and takes a quarter of the time. */
double gate_evidence_log_p_among(const struct gate_evidence *evidence, double z, const double *log_levels,
                                 size_t count);
/** Whether it is at most `log_level`. */
bool gate_evidence_is_unlikely(const struct gate_evidence *evidence, double z, double log_level);
/** What z of the counts alone has to be for a one-sided level. */
double gate_evidence_critical_z(const struct gate_evidence *evidence, double level);

#endif
