/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a first rules file from a profile, for `init`. */
#ifndef GATE_RULES_STARTER_H
#define GATE_RULES_STARTER_H

#include "gate/base/buf.h"
#include "gate/rules/rules.h"

struct gate_starter_options {
    struct gate_str source;  /* origin of the profile, for the first comment; may be empty */
    uint32_t function_limit; /* maximum number of budgets for single functions; 0: 5 */
    const char *preset;      /* preset to extend; it must fit the type of the profile; NULL: recommended */
};

/**
 * Append a commented rules file that gate_rules_parse accepts, for any names in the profile.
 *
 * pair    the baseline on both sides: proposals are limits that such a comparison can decide
 * deltas  deltas of `pair`
 *
 * Functions: own code with the highest charged cost, at least 1% each. Each gets the smallest limit of a fixed list for
 * which the detectable growth (80% power) is at most three times the limit; a comment gives that growth. A function
 * that cannot grow by that much gets no budget. No function gets one if nothing could fail: below min_samples, or with
 * delays of a single run. The package with the highest charged cost, at most 60%, gets a budget as a group. Equal
 * inputs give equal bytes.
 *
 * O(frames * log frames).
 */
GATE_MUST_CHECK
bool gate_starter_write(struct gate_buf *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                        const struct gate_starter_options *options, struct gate_arena *arena, struct gate_error *err);

#endif
