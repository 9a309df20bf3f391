/* SPDX-License-Identifier: Apache-2.0 */
/* Checkouts for `try`: worktrees, snapshots of uncommitted changes, git bisect. */
#ifndef GATE_TRIAL_WORKTREE_H
#define GATE_TRIAL_WORKTREE_H

#include "gate/base/git.h"
#include "gate/base/process.h"
#include "gate/base/str.h"
#include "gate/compare/pair_types.h"

/* ---- worktrees --------------------------------------------------------------------------------------------------- */

/*
 * Two checkouts of the user's repository. They are in a cache folder and belong to a private repository that borrows
 * the user's objects (alternates). The user's files, index, refs, stash, objects and configuration are only read.
 *
 *   CACHE/<digest of the repository's path>/
 *     repository.git/     objects/info/alternates names the user's objects; snapshots are written here
 *     baseline/ canary/   the worktrees while not in use; ignored files (builds, packages) are kept for the next try
 *     tree/               the worktree in use. Both sides build and run at this one path, so that file names, build
 *                         caches and memory layout are the same
 *     build/SIDE/         output of a build outside of its tree
 *     lock                one try at a time
 *
 * A worktree of the user's own repository would show in `git worktree list`, and other tools could prune, lock or
 * bisect it. `git clone --shared` gives only one checkout.
 */

/** Checkouts of one repository, from gate_worktree_open to gate_worktree_close. */
struct gate_worktree {
    struct gate_interrupt *interrupt;
    struct gate_arena *arena;
    struct gate_git user, own;   /* the user's repository, at its top; the private one */
    struct gate_str top, prefix; /* absolute path of the top of `user`; working directory relative to it: "" or
                                    "services/shop" */
    struct gate_str objects;     /* absolute path of the user's objects */
    const char *cache;           /* CACHE/<digest> */
    int lock;
    int entered; /* enum gate_side_name of the side at tree/, or -1 */
};

/**
 * Find the repository around the working directory, find or create its checkouts, and lock them.
 *
 * cache  folder for caches; NULL: $XDG_CACHE_HOME/pprofgate/try, else ~/.cache/pprofgate/try
 * err    GATE_ERR_INPUT not in a repository, or another try of it is running; GATE_ERR_IO
 */
GATE_MUST_CHECK
bool gate_worktree_open(struct gate_worktree *out, const char *cache, struct gate_interrupt *interrupt,
                        struct gate_arena *arena, struct gate_error *err);

/** Find the commit that `revision` names. err: GATE_ERR_USAGE there is none. */
GATE_MUST_CHECK
bool gate_worktree_resolve(const struct gate_worktree *worktree, struct gate_str *commit, const char *revision,
                           struct gate_error *err);

/** Check out `commit` for a side and remove all other files but ignored ones. err: git's message. */
GATE_MUST_CHECK
bool gate_worktree_checkout(struct gate_worktree *worktree, enum gate_side_name side, struct gate_str commit,
                            struct gate_error *err);

/**
 * Move a side to tree/. `*directory` is the working directory for its commands.
 * err  GATE_ERR_IO; GATE_ERR_INPUT the commit does not have the user's working directory
 */
GATE_MUST_CHECK
bool gate_worktree_enter(struct gate_worktree *worktree, enum gate_side_name side, const char **directory,
                         struct gate_error *err);

/** Return a path below the cache folder of this repository, in the arena; NULL if it is full. */
const char *gate_worktree_path(const struct gate_worktree *worktree, const char *name);

/** Move both sides out of tree/ and release the lock. */
void gate_worktree_close(struct gate_worktree *worktree);

/* ---- snapshots: the user's working tree as a commit of the private repository ------------------------------------ */

/** A snapshot. */
struct gate_snapshot {
    struct gate_str commit; /* HEAD's commit if nothing was changed */
    bool is_dirty;          /* the working tree differs from HEAD */
};

/**
 * Commit the working tree: uncommitted changes and untracked files, but not ignored ones. Uses a copy of the index. New
 * objects go to the private repository, where no ref names the commit. Of a submodule the commit that is checked out is
 * recorded, but no changes inside it.
 *
 * err   GATE_ERR_INPUT git's message, such as a file that cannot be read
 */
GATE_MUST_CHECK
bool gate_snapshot_take(struct gate_snapshot *out, const struct gate_worktree *worktree, struct gate_error *err);

/** Remove `path` and all its contents without following links. A missing path is not an error. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_folder_remove(const char *path, struct gate_interrupt *interrupt, struct gate_arena *arena,
                        struct gate_error *err);

/** Set `*out` to `path` as an absolute path, with a NUL at the end. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_folder_absolute(struct gate_str *out, const char *path, struct gate_arena *arena, struct gate_error *err);

/** Copy the file `from` to `to`. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_folder_copy_file(const char *to, const char *from, struct gate_arena *arena, struct gate_error *err);

#endif
