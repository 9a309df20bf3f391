/* SPDX-License-Identifier: Apache-2.0 */
/* Where the checkout is that a run stands in, and which Go modules are in it.
 * Pipeline: the environment and the disk -> cli/checkout_find.h -> report/checkout.h */
#ifndef GATE_CLI_CHECKOUT_FIND_H
#define GATE_CLI_CHECKOUT_FIND_H

#include "gate/budget/tree_ahead.h"
#include "gate/compare/comparison.h"
#include "gate/report/checkout.h"

/**
 * The nearest folder at or above the current one that holds `.git`, GITHUB_WORKSPACE and CI_PROJECT_DIR; where there is
 * none of them, the current folder. Modules are those whose go.mod lies at most three folders below, outside of hidden
 * folders, `vendor` and `node_modules`; of a large checkout, those that are found among the first 20 000 entries. They
 * are looked for when somebody asks for them, which most runs do not: that takes longer than small profiles do.
 *
 * What cannot be read is not there. False: the arena is full. Ends with gate_checkout_end.
 */
GATE_MUST_CHECK bool gate_checkout_find(struct gate_checkout *out, struct gate_arena *arena, struct gate_error *err);

/** Whether a frame of own code lies in a file that may be of a module. NULL: there is no checkout. */
bool gate_checkout_is_asked(const struct gate_checkout *checkout, const struct gate_comparison *comparisons,
                            uint32_t count);

/** Have the modules looked for where they will be asked for. `checkout` is found by then. */
struct gate_errand gate_checkout_errand(struct gate_checkout *checkout);

/** Nobody asks any more. `arena` is the same; it keeps what was found. False: the search ran out of memory, and what
 * was put may be wrong. */
GATE_MUST_CHECK bool gate_checkout_end(struct gate_checkout *checkout, struct gate_arena *arena,
                                       struct gate_error *err);

#endif
