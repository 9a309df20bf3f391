/* SPDX-License-Identifier: Apache-2.0 */
/* Limits the number of comparisons that `calibrate` and `prove` make. */
#ifndef GATE_SESSION_COMPARISON_LIMIT_H
#define GATE_SESSION_COMPARISON_LIMIT_H

#include "gate/session/session.h"

/** Return the steps of one comparison whose stacks are folded already: 1 per record of a run, 64 per frame.
 * Saturates at UINT64_MAX. */
uint64_t gate_comparison_limit_steps(uint64_t records, uint64_t frames);

/** Minimum number of pairs. Fewer carry no information about variation. */
enum { GATE_COMPARISON_LIMIT_PAIRS_LEAST = 6 };

/**
 * Return how many of `wanted` pairs of runs to compare. They may take 1/16 of the run's step limit. If not all fit,
 * return the number that does, but at least GATE_COMPARISON_LIMIT_PAIRS_LEAST. Prints a note if it returns fewer than
 * `wanted`.
 *
 * each   steps of comparing one pair
 */
uint64_t gate_comparison_limit_pairs(uint64_t wanted, uint64_t each, const struct gate_limits *limits,
                                     struct gate_session *session);

/** How many comparisons of randomly drawn runs to make. */
struct gate_comparison_limit_draws {
    uint32_t wanted; /* draws per size of growth (--draws); 0: `usual`, or fewer (at least 10) if `usual` draws exceed
                        the limit */
    uint32_t usual;  /* default for `wanted` */
    bool decides;    /* an exit status depends on the draws (--at-least) */
    uint32_t sizes;  /* sizes of growth over all functions, plus one for no growth */
    uint64_t each;   /* steps of one comparison */
};

/**
 * Set `out` to the number of draws per size of growth. Prints a note if it is less than `usual`.
 *
 * err   GATE_ERR_LIMIT if all comparisons take more than twice the run's step limit, or 8 times where `wanted` or
 *       `decides` is set
 */
GATE_MUST_CHECK
bool gate_comparison_limit_draws(uint32_t *out, const struct gate_comparison_limit_draws *request,
                                 const struct gate_limits *limits, struct gate_session *session,
                                 struct gate_error *err);

#endif
