/* SPDX-License-Identifier: Apache-2.0 */
/* Error spending over several looks at growing data (Lan and DeMets): the significance level that each look may use. */
#ifndef GATE_COMPARE_ERROR_SPENDING_H
#define GATE_COMPARE_ERROR_SPENDING_H

#include "gate/base/error.h"

/* ---- spending functions ------------------------------------------------------------------------------------------ */

/* A level is spent over several looks at growing data. These are pure functions of numbers. */

/** Maximum number of looks. */
#define GATE_SPENDING_LOOKS_MAX 64u

enum { GATE_SPENDING_NODES = 40 };

/** Converts p values of the current look to p values over all looks so far. Zeroed: there is only one look. */
struct gate_spending {
    double t; /* information at this look, as a fraction of the maximum; 0: there is only one look */
    double loss[GATE_SPENDING_NODES]; /* log(spent so far / nominal level) at fixed total levels */
};

/**
 * Return the log of the part of a total level that is spent at information `t`, 0 < t <= 1: level * t^3.
 *
 * The boundaries are close to O'Brien & Fleming's. Because spending is proportional to the level, several hypotheses
 * together spend what the sum of their levels would. Source: Lan & DeMets, Biometrika 70 (1983); Kim & DeMets,
 * Biometrika 74 (1987).
 */
double gate_spending_spent(double log_total, double t);

/**
 * Prepare `out` for the last of `count` looks, at information t[0] < t[1] < … <= 1. No looks, or a single look at 1,
 * means that there is only one look.
 *
 * err   GATE_ERR_INPUT information that does not grow, or is outside (0, 1]; GATE_ERR_LIMIT too many looks
 *
 * The boundaries are found by recursive numerical integration (Armitage, McPherson & Rowe, JRSS A 132 (1969)), once per
 * node of `loss`. Exact to 1e-4 of a level. About 1 ms per look.
 */
GATE_MUST_CHECK
bool gate_spending_begin(struct gate_spending *out, const double *t, uint32_t count, struct gate_error *err);

/** Return the log of the p value that this look needs if all looks together may spend exp(`log_total`). */
double gate_spending_nominal(const struct gate_spending *spending, double log_total);

/**
 * Return the sequential p value of `log_p`: the log of the smallest total level at which this look is significant
 * (Liu & Anderson, Stat. Med. 27 (2008)). 0 if that level is above 1/2. With only one look, returns `log_p` unchanged.
 */
double gate_spending_total(const struct gate_spending *spending, double log_p);

/* ---- levels of the current look ---------------------------------------------------------------------------------- */

/** Level over all looks of "growth is within the limit" and of "no larger growth went undetected". */
#define GATE_LOOKS_PROOF 0.05

/** The looks so far. Zeroed: there is only one look. */
struct gate_looks {
    const double *fractions; /* information at each look, ascending; the last is the current one; 1: no look follows */
    uint32_t count;
    uint32_t planned; /* maximum number of looks; 0: unknown */
    bool is_alone;    /* this look shares no samples with earlier looks */
};

/** The levels that the current look may use. */
struct gate_looks_now {
    struct gate_spending spending;
    double margin; /* level of "growth exceeds the limit", from the level that the rules give to all looks */
    double proof;  /* level of a proof, from GATE_LOOKS_PROOF */
    double turn;   /* smallest p of "growth exceeds the limit" with which a pass before the last look is allowed: at a
                      true growth as measured now, the last look then fails in at most 1% of cases; 0: any p */
};

/**
 * Compute the levels of the current look. With only one look they are the levels of all looks.
 *
 * alpha_margin  total level of "growth exceeds the limit"
 * err           as gate_spending_begin
 */
GATE_MUST_CHECK
bool gate_looks_begin(struct gate_looks_now *out, const struct gate_looks *looks, double alpha_margin,
                      struct gate_error *err);

/**
 * Return the nominal level of this look if all looks together may spend `level`; gate_looks_spent returns how much of
 * `level` is spent by now.
 */
double gate_looks_level(const struct gate_looks_now *now, double level);

double gate_looks_spent(const struct gate_looks_now *now, double level);

/** Return whether another look may follow. */
static inline bool gate_looks_are_early(const struct gate_looks_now *now) {
    return now->spending.t > 0.0 && now->spending.t < 1.0;
}

/** Return whether there is, or may be, more than one look. */
static inline bool gate_looks_are_several(const struct gate_looks *looks) {
    return looks->count > 1 || (looks->count == 1 && looks->fractions[0] < 1.0);
}

#endif
