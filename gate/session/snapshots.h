/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of heap snapshots of one process: computes the allocations between them. */
#ifndef GATE_SESSION_SNAPSHOTS_H
#define GATE_SESSION_SNAPSHOTS_H

#include "gate/budget/plan.h"
#include "gate/session/session.h"

/**
 * Replace `*inputs` by a list with an input "allocs" more for each one of kind "heap" whose allocations count from the
 * start of the process in every round (its void_types are "alloc_"). Its runs are the differences of neighbouring
 * rounds, as long as the time between them, so there is one fewer than rounds. The input itself is called "heap" if it
 * has no name.
 *
 * Nothing is added if the profiles have no allocations, or if there is an input of kind "allocs" already. Where
 * allocations fall from round to round, the rounds are of several processes, and are compared as they are. Call it when
 * the runs have their work: a difference has that of its later round.
 *
 * err   errors of gate_merge_add and gate_profile_load
 *
 * O(bytes of all profiles).
 */
GATE_MUST_CHECK
bool gate_snapshots_split(struct gate_plan_input **inputs, uint32_t *input_count, const struct gate_limits *limits,
                          struct gate_session *session, struct gate_error *err);

#endif
