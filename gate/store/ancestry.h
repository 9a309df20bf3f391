/* SPDX-License-Identifier: Apache-2.0 */
/* What revisions are to each other, as git says in the checkout that the run stands in. Nothing is written.
 * Pipeline: trial/git.h -> store/ancestry.h -> store/match.h */
#ifndef GATE_STORE_ANCESTRY_H
#define GATE_STORE_ANCESTRY_H

#include "gate/base/str.h"

/** What an earlier revision is to a later one. */
enum gate_ancestry {
    GATE_ANCESTRY_ANCESTOR,
    GATE_ANCESTRY_SAME,
    GATE_ANCESTRY_UNRELATED, /* on another branch, or later */
    GATE_ANCESTRY_UNKNOWN    /* git cannot say: one of them is not in this checkout, or there is none */
};

/**
 * The commit that `revision` ("HEAD", a tag, an abbreviation) names here.
 *
 * commit  hexadecimal, in the arena
 * err     GATE_ERR_INPUT no git, no checkout, or no such commit here: with what git says of it
 */
GATE_MUST_CHECK
bool gate_ancestry_commit(struct gate_str *commit, struct gate_str revision, struct gate_arena *arena,
                          struct gate_error *err);

/**
 * What `earlier` is to `later`, both of gate_ancestry_commit.
 *
 * distance  commits between them, where it is an ancestor
 */
enum gate_ancestry gate_ancestry_between(uint64_t *distance, struct gate_str earlier, struct gate_str later,
                                         struct gate_arena *arena);

#endif
