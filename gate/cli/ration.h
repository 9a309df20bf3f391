/* SPDX-License-Identifier: Apache-2.0 */
/* How often a command that compares the same runs again and again may do so: calibrate and prove.
 * Pipeline: profile/steps.h + cli/load_sides.h -> cli/ration.h -> cmd_calibrate, cmd_prove */
#ifndef GATE_CLI_RATION_H
#define GATE_CLI_RATION_H

#include "gate/cli/cli.h"

/** Steps of one comparison among many, whose stacks are folded already: a record of a run is one, a frame 64. */
uint64_t gate_ration_steps(uint64_t records, uint64_t frames);

/** Fewer pairs tell nothing. */
enum { GATE_RATION_PAIRS_LEAST = 6 };

/**
 * Pairs of runs to compare with each other, of the `wanted` ones: fewer, but not less than that, where a pair of `each`
 * steps that often is more than an eighth of what the run may ask for. Then a note says so.
 */
uint64_t gate_ration_pairs(uint64_t wanted, uint64_t each, const struct gate_limits *limits, struct gate_cli *cli);

/** Comparisons of drawn runs. */
struct gate_ration_draws {
    uint32_t wanted; /* of each size of growth; 0: thirty, or fewer, but at least ten, where those are too many */
    uint32_t usual;  /* what 0 means otherwise */
    uint32_t sizes;  /* of all functions together, and none */
    uint64_t each;   /* steps of a comparison */
};

/**
 * How many draws to make of each size; a note says where they are fewer than usual.
 *
 * err   GATE_ERR_LIMIT all comparisons ask for more than eight times what the run may ask for
 */
GATE_MUST_CHECK
bool gate_ration_draws(uint32_t *out, const struct gate_ration_draws *ration, const struct gate_limits *limits,
                       struct gate_cli *cli, struct gate_error *err);

#endif
