/* SPDX-License-Identifier: Apache-2.0 */
/* A first rules file from a profile: its hot functions, with limits that as many samples can decide.
 * Pipeline: compare/delta.h + compare/evidence.h -> rules/starter.h -> `pprofgate init` writes the bytes */
#ifndef GATE_RULES_STARTER_H
#define GATE_RULES_STARTER_H

#include "gate/base/buf.h"
#include "gate/rules/rules.h"

struct gate_starter_options {
    struct gate_str source;  /* where the profile came from, for the first comment; may be empty */
    uint32_t function_limit; /* budgets of one function each; 0: 5 */
    const char *preset;      /* that it extends, which has to fit the type of the profile; NULL: recommended */
};

/**
 * Append a commented rules file, which gate_rules_parse accepts, whatever the names in the profile are.
 *
 * pair    the baseline on both sides: what is proposed is what such a comparison could decide
 * deltas  of the pair
 *
 * Functions are those of the program's own to which most is charged, at least 1 %; each gets the smallest limit of a
 * ladder for which growth of three times as much fails four times in five, and says how much that is. One that has no
 * room to grow by so much gets none, nor does any where nothing could fail: below min_samples, or with delays of one
 * run. The package to which most is charged, though at most 60 %, gets a budget as a group. Equal inputs give equal
 * bytes.
 *
 * err     GATE_ERR_LIMIT, GATE_ERR_MEMORY
 *
 * O(frames * log frames).
 */
GATE_MUST_CHECK
bool gate_starter_write(struct gate_buf *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                        const struct gate_starter_options *options, struct gate_arena *arena, struct gate_error *err);

#endif
