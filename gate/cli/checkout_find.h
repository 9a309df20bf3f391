/* SPDX-License-Identifier: Apache-2.0 */
/* Where the checkout is that a run stands in, and which Go modules are in it.
 * Pipeline: the environment and the disk -> cli/checkout_find.h -> report/checkout.h */
#ifndef GATE_CLI_CHECKOUT_FIND_H
#define GATE_CLI_CHECKOUT_FIND_H

#include "gate/report/checkout.h"

/**
 * The nearest folder at or above the current one that holds `.git`, GITHUB_WORKSPACE and CI_PROJECT_DIR; where there is
 * none of them, the current folder. Modules are those whose go.mod lies at most three folders below, outside of hidden
 * folders, `vendor` and `node_modules`; of a large checkout, those that are found among the first 20 000 entries.
 *
 * What cannot be read is not there. False: the arena is full.
 */
GATE_MUST_CHECK bool gate_checkout_find(struct gate_checkout *out, struct gate_arena *arena, struct gate_error *err);

#endif
