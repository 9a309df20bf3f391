/* SPDX-License-Identifier: Apache-2.0 */
/* Which look at the data this is, and the levels that it may use.
 * Pipeline: compare/spending.h -> compare/looks.h -> budget/verdict.h */
#ifndef GATE_COMPARE_LOOKS_H
#define GATE_COMPARE_LOOKS_H

#include "gate/compare/spending.h"

/** The level of "no more than the limit" and of "no more than may go unseen", over all looks. */
#define GATE_LOOKS_PROOF 0.05

/** The looks so far. Zeroed: one look is all there is. */
struct gate_looks {
    const double
        *fractions; /* information at each look so far, growing; the last one is now; 1: the last there can be */
    uint32_t count;
    uint32_t planned;      /* looks there can be; 0: not known */
    bool is_alone;         /* the samples of the looks before are not among those of this one */
    uint32_t planned_runs; /* runs a side at the last of them; 0: runs of now over the fraction of now */
};

/** What this look may do. */
struct gate_looks_now {
    struct gate_spending spending;
    double margin; /* level of "more than the limit", of what the rules give all looks */
    double proof;  /* the same of GATE_LOOKS_PROOF */
    double turn;   /* before the last look, what may go unseen passes only where p of "more than the limit" is no less:
                      were the growth that of now, the last look would break the limit once in a hundred; 0: any p */
};

/**
 * The levels of this look; of the only look, those of all looks.
 *
 * err   what gate_spending_begin says
 */
GATE_MUST_CHECK
bool gate_looks_begin(struct gate_looks_now *out, const struct gate_looks *looks, double alpha_margin,
                      struct gate_error *err);

/** The nominal level of this look when all looks may spend `level` together, and how much of it is spent by now. */
double gate_looks_level(const struct gate_looks_now *now, double level);
double gate_looks_spent(const struct gate_looks_now *now, double level);

/** Whether there may be a look after this one. */
static inline bool gate_looks_are_early(const struct gate_looks_now *now) {
    return now->spending.t > 0.0 && now->spending.t < 1.0;
}

/** Whether there is more than one look to speak of. */
static inline bool gate_looks_are_several(const struct gate_looks *looks) {
    return looks->count > 1 || (looks->count == 1 && looks->fractions[0] < 1.0);
}

#endif
