/* SPDX-License-Identifier: Apache-2.0 */
/* What the manifest of a folder shows about how its runs were taken: programs that broke off a profile. */
#ifndef GATE_SESSION_TAKEN_RUNS_H
#define GATE_SESSION_TAKEN_RUNS_H

#include "gate/guards/guard_check.h"
#include "gate/session/manifest_dir.h"

/**
 * Append warnings about the runs of one kind, all of rounds that have both sides.
 *
 * retried      a program broke off its profile, or was down after the first round.
 *
 * last  last round of all kinds in the folder
 *
 * O(runs).
 */
GATE_MUST_CHECK
bool gate_taken_runs_warn(struct gate_warning_list *out, const struct gate_skipped_rounds_kind *of, uint32_t last,
                          struct gate_arena *arena, struct gate_error *err);

#endif
