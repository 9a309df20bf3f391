/* SPDX-License-Identifier: Apache-2.0 */
/* Git, asked: one command, its output as text.
 * Pipeline: trial/child.h -> trial/git.h -> trial/worktree.h, trial/snapshot.h, trial/bisect.h */
#ifndef GATE_TRIAL_GIT_H
#define GATE_TRIAL_GIT_H

#include "gate/trial/child.h"

/** Where git works. */
struct gate_git {
    const char *directory; /* NULL: where we are */
    char *const *environment;
    struct gate_interrupt *interrupt;
    struct gate_arena *arena;
};

/**
 * Git in this process's environment but for what could make it do more than it is asked: no hooks, no file system
 * monitor, no collection of garbage, no question to whoever sits there.
 *
 * is_apart  of a repository of our own, so that GIT_DIR and the like, which hooks set, do not lead elsewhere
 * changes   more of gate_child_environment, NULL-terminated, or NULL
 */
GATE_MUST_CHECK
bool gate_git_begin(struct gate_git *out, const char *directory, bool is_apart, const char *const *changes,
                    struct gate_interrupt *interrupt, struct gate_arena *arena, struct gate_error *err);

/** Names of the variables that tie git to a repository, NULL-terminated. */
extern const char *const gate_git_variables[];

/**
 * Run it.
 *
 * out      standard output without the line break at its end, with a NUL behind it; NULL: not wanted
 * words    behind "git", NULL-terminated
 * err      GATE_ERR_INPUT git ended badly: the command and what it said; GATE_ERR_IO it is not there, or an interrupt
 */
GATE_MUST_CHECK
bool gate_git_run(const struct gate_git *git, struct gate_str *out, const char *const *words, struct gate_error *err);

/** The same with every byte of standard output as it is, and no NUL behind it. */
GATE_MUST_CHECK
bool gate_git_bytes(const struct gate_git *git, struct gate_str *out, const char *const *words, struct gate_error *err);

/** The same without an error where git ends badly: `*status` is what it ended with, `out` all that it said. */
GATE_MUST_CHECK
bool gate_git_ask(const struct gate_git *git, struct gate_str *out, int *status, const char *const *words,
                  struct gate_error *err);

#define GATE_GIT(git, out, err, ...) gate_git_run((git), (out), (const char *const[]){__VA_ARGS__, NULL}, (err))

#endif
