/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of stores among the profiles of a command line: asked, and kept in memory under the address of each slice.
 * Pipeline: cli/paths.h + cli/capture_options.h -> cli/backend_inputs.h -> cli/input.h */
#ifndef GATE_CLI_BACKEND_INPUTS_H
#define GATE_CLI_BACKEND_INPUTS_H

#include "gate/cli/capture_options.h"
#include "gate/cli/profile_options.h"

/**
 * Ask for every address of a store in `lists`, and put the slices of its window in its place: names by which
 * gate_input_read finds them. Nothing where there is no address.
 *
 * lists  one a side, or one alone
 * err    GATE_ERR_USAGE an address or a window that is none, or profiles that are named twice; what the store says,
 * with the address
 */
GATE_MUST_CHECK
bool gate_backend_inputs_take(struct gate_paths *lists, uint32_t count, const struct gate_capture_options *options,
                              struct gate_cli *cli, struct gate_error *err);

/** What `lists` need beside files (base/sandbox.h): the network, where one of them has an address of a store. */
unsigned gate_backend_inputs_needs(const struct gate_paths *lists, uint32_t count);

/** The same as gate_backend_inputs_take of the two sides of `profiles`: of its arguments, --baseline and --canary.
 * Slices of one window against those of another are pairs.
 *
 * has_baseline  the baseline is an accepted one: all arguments are canaries */
GATE_MUST_CHECK
bool gate_backend_inputs_sides(struct gate_profile_options *profiles, bool has_baseline,
                               const struct gate_capture_options *options, struct gate_cli *cli,
                               struct gate_error *err);

#endif
