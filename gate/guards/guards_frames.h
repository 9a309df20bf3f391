/* SPDX-License-Identifier: Apache-2.0 */
/* Guards on stacks and frames: missing names, cut stacks, own code, changed shape, cold start, profiler overhead. */
#ifndef GATE_GUARDS_GUARDS_FRAMES_H
#define GATE_GUARDS_GUARDS_FRAMES_H

#include "gate/base/str.h"
#include "gate/guards/guard_check.h"
#include "gate/model/incomplete_stacks.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

/**
 * Return whether one side has far fewer function names than the other, as a stripped binary, and guard `unsymbolised`
 * is an error. Then all named functions are gone or new, and guards on that would only repeat it. O(frames).
 */
bool gate_guards_names_are_missing(const struct gate_comparison *comparison, const struct gate_rules *rules);

/**
 * Return whether names of own functions are random on both sides. Rust's crate pprof counts all samples of a compiled
 * function together, under the name of the first sample's line. With line tables, that is a function that was inlined
 * there, and each run of one build may get another one. O(frames).
 */
bool gate_guards_names_are_random(const struct gate_pair *pair);

/* ---- guards ------------------------------------------------------------------------------------------------------ */

/**
 * Find the stacks of a run that its profiler cut off (model/incomplete_stacks.h). Set `*share` to their part of the
 * run's cost, and `*depth` to the depth at which they were cut. The arrays of `out` are in `arena`. O(locations of all
 * stacks). err: GATE_ERR_LIMIT or GATE_ERR_MEMORY.
 */
GATE_MUST_CHECK
bool gate_guards_frames_find_cut(struct gate_cut_stacks *out, double *share, uint32_t *depth,
                                 const struct gate_pair *pair, const struct gate_run *run, struct gate_arena *arena,
                                 struct gate_error *err);

/* The guards of frames and stacks. */
gate_guard_check_fn gate_guards_frames_waiting;
gate_guard_check_fn gate_guards_frames_mostly_waiting;
gate_guard_check_fn gate_guards_frames_unsymbolised;
gate_guard_check_fn gate_guards_frames_minified;
gate_guard_check_fn gate_guards_frames_inlined_names;
gate_guard_check_fn gate_guards_frames_own_code;
gate_guard_check_fn gate_guards_frames_truncated_stacks;
gate_guard_check_fn gate_guards_frames_shape_changed;
gate_guard_check_fn gate_guards_frames_cold_start;
gate_guard_check_fn gate_guards_frames_misplaced_samples;
gate_guard_check_fn gate_guards_frames_profiler_overhead;

#endif
