/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `try`: builds and measures a pair of revisions, and bisects to find the commit that fails. */
#ifndef GATE_SESSION_TRY_RUN_H
#define GATE_SESSION_TRY_RUN_H

#include "gate/base/regex.h"
#include "gate/base/str.h"
#include "gate/session/gate_loop.h"
#include "gate/trial/go_bench.h"
#include "gate/trial/trial_command.h"
#include "gate/trial/worktree.h"

/* ---- the profile that a run wrote -------------------------------------------------------------------------------- */

/** Where to look for the profile. */
struct gate_made_profile_place {
    const char *directory; /* working directory of the run */
    const char *checkout;  /* files that `glob` matches must lie inside of it, links resolved; `directory` or a
                              folder above it */
    const char *glob;      /* relative to `directory`; NULL: look in `folder` only, which holds PPROFGATE_PROFILE */
    const char *folder;    /* empty before the run */
    struct gate_arena *arena;
};

/** Remove files of an earlier run that `glob` matches. err: GATE_ERR_INPUT one of them is outside of the checkout, and
 * none is removed; GATE_ERR_IO. */
GATE_MUST_CHECK bool gate_made_profile_clear(const struct gate_made_profile_place *place, struct gate_error *err);

/** Read the profile. err: GATE_ERR_INPUT there is none, there are several, or it is outside of the checkout;
 * GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_made_profile_read(struct gate_str *bytes, const struct gate_made_profile_place *place,
                            struct gate_error *err);

/* ---- the work of a run, found in its output ---------------------------------------------------------------------- */

/** Set `*out` to the sum of the numbers that the group of each match holds: "requests: 120" twice gives 240. err:
 * GATE_ERR_INPUT nothing matches, a group is not a number of zero or more, or the sum is 0. */
GATE_MUST_CHECK
bool gate_work_found_add(double *out, const struct gate_regex *regex, struct gate_str printed, struct gate_error *err);

/* ---- one pair of revisions; --bisect does this for each commit --------------------------------------------------- */

/** What all pairs have in common. */
struct gate_try_run {
    struct gate_session *session;
    struct gate_decision *decision; /* without paths: the profiles are found in the pair's folder */
    struct gate_rules *rules;
    const struct gate_try_plan *plan;
    struct gate_worktree *worktree;
    double max_seconds; /* time limit for builds and rounds of a pair; 0: as many rounds as planned */
};

/** A pair of revisions to measure. */
struct gate_try_pair {
    struct gate_str commits[GATE_SIDES];
    const char *dir;        /* folder for the profiles */
    bool baseline_is_built; /* an earlier pair built it */
};

/**
 * Build both revisions, then measure rounds and judge until there is a decision (gate_rounds_run).
 *
 * out     allocated from run->session->arena
 * failed  the side that caused the error, enum gate_side_name, or -1 for neither
 * err     GATE_ERR_INPUT if a build or a run fails, with its last output; errors of gate_rounds_run
 */
GATE_MUST_CHECK
bool gate_try_run_pair(struct gate_verdict *out, int *failed, const struct gate_try_run *run,
                       const struct gate_try_pair *pair, struct gate_error *err);

/* ---- bisection: try each commit that `git bisect` selects -------------------------------------------------------- */

/** Result of a bisection. */
struct gate_try_bisect {
    struct gate_str commit;       /* first bad commit; empty: it is one of `candidates` */
    struct gate_str candidates;   /* one per line */
    struct gate_verdict *verdict; /* verdict on the last bad commit that was tried */
    const char *dir;              /* folder of that verdict's profiles */
    uint32_t tried;               /* number of commits tried */
};

/**
 * Try `bad`, which must fail, then the commits between `good` and it. A commit is good if it passes, bad if it fails,
 * and skipped if it is inconclusive or does not build or run. The search ends if `good` does not run or the environment
 * fails, because every commit would fail then. For example, another program may listen on the server's port. Prints the
 * result.
 *
 * dir   profiles of each commit go to DIR/COMMIT
 * err   GATE_ERR_INPUT if `bad` does not fail or `good` does not run; errors of gate_try_run_pair and git
 */
GATE_MUST_CHECK
bool gate_try_bisect_find(struct gate_try_bisect *out, const struct gate_try_run *run, const char *good,
                          const char *bad, const char *dir, struct gate_error *err);

#endif
