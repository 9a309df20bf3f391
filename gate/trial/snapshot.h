/* SPDX-License-Identifier: Apache-2.0 */
/* The user's working tree as it is, as a commit of the private repository: uncommitted changes and files that git does
 * not know yet, but not those that it ignores.
 * Pipeline: trial/worktree.h -> trial/snapshot.h -> cli/cmd_try.c */
#ifndef GATE_TRIAL_SNAPSHOT_H
#define GATE_TRIAL_SNAPSHOT_H

#include "gate/trial/worktree.h"

/** What was taken. */
struct gate_snapshot {
    struct gate_str commit; /* that of HEAD where nothing has changed since */
    bool is_dirty;          /* something has */
};

/**
 * Take it: by a copy of the index, with new objects going to the private repository, whose commit no ref names. Of
 * submodules the commit that is checked out is noted, and no changes inside.
 *
 * err   GATE_ERR_INPUT what git says, such as a file that cannot be read
 */
GATE_MUST_CHECK
bool gate_snapshot_take(struct gate_snapshot *out, const struct gate_worktree *worktree, struct gate_error *err);

#endif
