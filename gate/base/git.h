/* SPDX-License-Identifier: Apache-2.0 */
/* Runs git commands and returns their output. */
#ifndef GATE_BASE_GIT_H
#define GATE_BASE_GIT_H

#include "gate/base/process.h"

/** Where and how git runs. */
struct gate_git {
    const char *directory; /* working directory; NULL: that of this process */
    char *const *environment;
    struct gate_interrupt *interrupt;
    struct gate_arena *arena;
};

/**
 * Prepare to run git in `directory` with this process's environment.
 *
 * Git runs without hooks, file system monitor, garbage collection and prompts, so that a command does nothing else.
 *
 * is_apart  `directory` is a repository of our own: unset GIT_DIR and the like, which hooks set and which would lead to
 *           another repository
 * changes   further changes for gate_child_environment, NULL-terminated; may be NULL
 */
GATE_MUST_CHECK
bool gate_git_begin(struct gate_git *out, const char *directory, bool is_apart, const char *const *changes,
                    struct gate_interrupt *interrupt, struct gate_arena *arena, struct gate_error *err);

/** Names of the environment variables that select a repository, NULL-terminated. */
extern const char *const gate_git_variables[];

/**
 * Run one git command and wait for it. The time limit is one hour.
 *
 * out      standard output without line breaks at its end, with a NUL after it; NULL: discard it
 * words    arguments after "git", NULL-terminated
 * err      GATE_ERR_INPUT if git fails, with the command and its standard error; GATE_ERR_IO if git is not installed,
 *          exceeds the time limit or is interrupted
 */
GATE_MUST_CHECK
bool gate_git_run(const struct gate_git *git, struct gate_str *out, const char *const *words, struct gate_error *err);

/** Like gate_git_run, with the exact bytes of standard output and no NUL after them. */
GATE_MUST_CHECK
bool gate_git_bytes(const struct gate_git *git, struct gate_str *out, const char *const *words, struct gate_error *err);

/**
 * Like gate_git_run, but without an error if git fails. `*status` is its exit status, 128 if a signal ended it. `out`
 * is standard output, followed by standard error if git fails.
 */
GATE_MUST_CHECK
bool gate_git_query(const struct gate_git *git, struct gate_str *out, int *status, const char *const *words,
                    struct gate_error *err);

#define GATE_GIT(git, out, err, ...) gate_git_run((git), (out), (const char *const[]){__VA_ARGS__, NULL}, (err))

#endif
