/* SPDX-License-Identifier: Apache-2.0 */
/* Two checkouts of the user's repository, beside it: in a cache, on a private repository that borrows the user's
 * objects and writes none of its own there. The user's files, index, refs, stash and configuration are only read.
 *
 *   CACHE/<digest of the repository's place>/
 *     repository.git/     objects/info/alternates leads to the user's; snapshots are written here
 *     baseline/ canary/   its worktrees, parked; what they ignore (builds, packages) stays for the next time
 *     tree/               the one of the two that builds or runs: both do so at one path, so that names of files,
 *                         caches of builds and the layout of memory are the same
 *     build/SIDE/         for what a build makes outside of its tree
 *     lock                one try at a time
 *
 * A worktree of the user's own repository would show in `git worktree list` and could be pruned, locked or bisected by
 * others; `git clone --shared` has no second checkout, and so no two sides.
 * Pipeline: trial/git.h -> trial/worktree.h -> trial/trial.h */
#ifndef GATE_TRIAL_WORKTREE_H
#define GATE_TRIAL_WORKTREE_H

#include "gate/compare/pair_types.h"
#include "gate/trial/git.h"

/** One repository's checkouts; begin with gate_worktree_open, end with gate_worktree_close. */
struct gate_worktree {
    struct gate_interrupt *interrupt;
    struct gate_arena *arena;
    struct gate_git user, own;   /* the user's repository, at its top; the private one */
    struct gate_str top, prefix; /* of the user's: absolute; where we are below it, "" or "services/shop" */
    struct gate_str objects;     /* of the user's: absolute */
    const char *cache;           /* CACHE/<digest> */
    int lock;
    int entered; /* enum gate_side_name of the side at tree/, or -1 */
};

/**
 * Find the repository that we are in, make or find its checkouts, lock them.
 *
 * cache  where caches are, or NULL: $XDG_CACHE_HOME/pprofgate/try, else ~/.cache/pprofgate/try
 * err    GATE_ERR_INPUT we are in no repository, or another try of it goes on; GATE_ERR_IO
 */
GATE_MUST_CHECK
bool gate_worktree_open(struct gate_worktree *out, const char *cache, struct gate_interrupt *interrupt,
                        struct gate_arena *arena, struct gate_error *err);

/** The commit that `revision` names. err: GATE_ERR_USAGE there is none. */
GATE_MUST_CHECK
bool gate_worktree_resolve(const struct gate_worktree *worktree, struct gate_str *commit, const char *revision,
                           struct gate_error *err);

/** Make a side's checkout that of `commit`, with nothing else in it but what it ignores. err: what git says. */
GATE_MUST_CHECK
bool gate_worktree_checkout(struct gate_worktree *worktree, enum gate_side_name side, struct gate_str commit,
                            struct gate_error *err);

/** Put a side at tree/; `*directory` is where its commands run. err: GATE_ERR_IO; GATE_ERR_INPUT the commit does not
 * have the directory that we are in. */
GATE_MUST_CHECK
bool gate_worktree_enter(struct gate_worktree *worktree, enum gate_side_name side, const char **directory,
                         struct gate_error *err);

/** A path below the cache's folder of this repository. Arena memory; NULL: it is full. */
const char *gate_worktree_path(const struct gate_worktree *worktree, const char *name);

/** Park both sides, unlock. */
void gate_worktree_close(struct gate_worktree *worktree);

#endif
