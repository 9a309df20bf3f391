/* SPDX-License-Identifier: Apache-2.0 */
/* What the manifest of a folder shows about how its runs were taken: two addresses of one process, and programs that
 * broke off a profile. */
#ifndef GATE_SESSION_TAKEN_RUNS_H
#define GATE_SESSION_TAKEN_RUNS_H

#include "gate/capture/manifest.h"
#include "gate/guards/guard_check.h"

/** Runs of one kind in a folder. */
struct gate_taken_kind {
    struct gate_str kind;
    const struct gate_manifest_run **runs[GATE_SIDES]; /* sorted by round */
    uint32_t counts[GATE_SIDES];
};

/**
 * Append warnings about the runs of one kind, all of rounds that have both sides.
 *
 * one_process  an address of each side: in every round the program was busy with the profile of one when that of the
 *              other was requested, their windows hardly overlap, and their builds are not known to differ.
 *              Two programs behind one proxy, and two replicas behind one address, overlap. With one round, `may_end`
 *              is set: another profiler may have been at work.
 * retried      a program broke off its profile, or was down after the first round.
 *
 * last  last round of all kinds in the folder
 *
 * O(runs * addresses of the baseline * addresses of the canary), at most 16 addresses of each.
 */
GATE_MUST_CHECK
bool gate_taken_runs_warn(struct gate_warning_list *out, const struct gate_taken_kind *of, uint32_t last,
                          struct gate_arena *arena, struct gate_error *err);

#endif
