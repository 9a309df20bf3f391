/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a captured folder (profiles and manifest.json) into sides, pairs, work and looks. */
#ifndef GATE_SESSION_MANIFEST_DIR_H
#define GATE_SESSION_MANIFEST_DIR_H

#include "gate/capture/manifest.h"
#include "gate/guards/guard_check.h"
#include "gate/session/judge_options.h"
#include "gate/session/profile_options.h"
#include "gate/session/session.h"

/* ---- how the runs of a folder were taken: two addresses of one process, and programs that broke off a profile ---- */

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

/* ---- rounds of a folder that cannot be compared: rounds with one side only, and gaps ----------------------------- */

/** Sentences, allocated from an arena. */
struct gate_skipped_rounds {
    struct gate_str *items;
    uint32_t count;
    size_t capacity;
};

/**
 * Append a sentence for each side that lacks runs in some rounds, and one for the rounds up to `last` without any run:
 * "rounds 3, 5 to 7 of 9 have no cpu profiles of the canary and are left out". Cost: O(runs), independent of the round
 * numbers.
 *
 * last  last round of all kinds in the folder
 */
GATE_MUST_CHECK
bool gate_skipped_rounds_add(struct gate_skipped_rounds *out, const struct gate_taken_kind *of, uint32_t last,
                             struct gate_arena *arena, struct gate_error *err);

/* ---- a folder with a manifest as the argument of `check DIR` ----------------------------------------------------- */

/**
 * Fill `profiles` and `judging` from DIR/manifest.json. One kind of profile gives the two sides; several kinds give one
 * pair each, named after the kind. Runs are sorted by round.
 *
 * A round that only one side completed is left out, and `judging` gets a sentence for a warning. If `judging` has no
 * work and more than half of the rounds have work, rounds without work are left out, too. Work is added if every run of
 * a kind that is left has it and `judging` has none. If the folder was judged while it was captured, `judging` gets
 * those looks, and later rounds are left out. Looks that `judging` has already take precedence.
 *
 * judging  if NULL, work and looks are ignored
 * notes    gets a line for anything else that is left out; if `judging` is NULL, also for rounds
 * err      GATE_ERR_INPUT if a file is missing or has another digest, or if no round has both sides; errors of
 *          gate_manifest_file_read
 *
 * Cost: reads every file once, for its digest.
 */
GATE_MUST_CHECK
bool gate_manifest_dir_fill(struct gate_profile_options *profiles, struct gate_judge_options *judging,
                            struct gate_buf *notes, const char *dir, struct gate_arena *arena, struct gate_error *err);

/** Call gate_manifest_dir_fill if the only argument is a folder with a manifest, and print its notes. Else do
 * nothing. */
GATE_MUST_CHECK
bool gate_manifest_dir_expand(struct gate_profile_options *profiles, struct gate_judge_options *judging,
                              struct gate_session *session, struct gate_error *err);

#endif
