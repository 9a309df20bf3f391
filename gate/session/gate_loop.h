/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of `gate`: captures a round, judges all rounds so far, and repeats until there is a decision. */
#ifndef GATE_SESSION_GATE_LOOP_H
#define GATE_SESSION_GATE_LOOP_H

#include "gate/capture/capture_kind.h"
#include "gate/capture/manifest.h"
#include "gate/session/reports.h"

/** How to capture rounds, and how many. A look is an interim analysis: a verdict on all rounds so far. */
struct gate_rounds {
    const char *dir;                /* folder into which `take` writes profiles and their manifest */
    struct gate_manifest *manifest; /* manifest of `dir`, maintained by `take`; the looks are added to it */
    uint32_t planned;               /* maximum rounds, 1 to GATE_SPENDING_LOOKS_MAX; they share the error budget */
    const char *planned_by; /* option that sets `planned`, such as --max-time; a note names it if all rounds are taken
                               and the verdict is inconclusive. NULL: no note */
    bool is_resumable;      /* running the same command again resumes the same folder */
    double began;           /* CLOCK_MONOTONIC, in seconds, from which max_seconds counts; 0: from the first round */
    double max_seconds; /* no further round begins if it may end later, assuming the duration of the longest round so
                           far; 0: no limit */
    /** Capture round `round` (1, 2, …): add runs of both sides to `dir`. */
    bool (*take)(void *context, uint32_t round, struct gate_error *err);
    void *context;
    const enum gate_capture_kind *kinds; /* a round is whole if it has all of them; NULL: if it has any kind */
    uint32_t kind_count;
    const struct gate_file_roles *roles; /* reports of an earlier run are removed before the first profile is taken,
                                          * so that an interrupted run leaves no old verdict; NULL: they stay */
    bool *is_refused; /* set if the folder is decided or was judged by other rules; NULL: the caller does not need it */
    const bool *is_empty; /* true if `take` failed because a profile has no samples: the round is left out, and the
                             next one is taken; may be NULL */
    const bool *is_other_build; /* true if `take` failed because a side has another build now, so that the folder cannot
                                   be resumed; may be NULL */
    const bool *is_over; /* true if `take` failed because time ran out: then earlier rounds are judged; may be NULL */
};

/**
 * Capture rounds, and judge all profiles in `dir` after each one, as `check DIR` would. Stops when the verdict is pass
 * or fail, or when no further round fits. Also stops when more rounds would not help, for example because a guard
 * forbids the comparison.
 *
 * A round with a profile without samples is left out, without a look. After the last round, the others are judged. If
 * some kind then has no round with samples of both sides, the error of that round is returned.
 *
 * Look k of n uses the levels of compare/error_spending.h at information k/n, or at 1 if it is known to be the last
 * look. Before the last look, an inconclusive verdict is not a decision, and `on_inconclusive` does not apply. After
 * each undecided look a line on standard error names what is undecided.
 *
 * If `dir` has looks of an earlier run, an undecided folder is resumed by its own plan. A decided folder is refused,
 * and the reports on it stay: the canary may have changed since. The plan is written to the manifest before the first
 * round.
 *
 * out    the verdict of the last look
 * rules  loaded rules; if they are the default rules, they are chosen anew at each look
 * err    errors of `take`; GATE_ERR_USAGE if the folder is decided or was judged by other rules; errors of
 *        gate_manifest_dir_fill and gate_judge_reach
 */
GATE_MUST_CHECK
bool gate_rounds_run(struct gate_verdict *out, const struct gate_rounds *rounds, struct gate_decision *decision,
                     struct gate_rules *rules, struct gate_session *session, struct gate_error *err);

#endif
