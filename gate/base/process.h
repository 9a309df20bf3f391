/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes: start, wait, collect output, end the whole process group. Also defers Ctrl-C while children run. */
#ifndef GATE_BASE_PROCESS_H
#define GATE_BASE_PROCESS_H

#include "gate/base/error.h"
#include "gate/base/str.h"

#include <signal.h>
#include <sys/types.h>

/* ---- deferred signals -------------------------------------------------------------------------------------------- */

/* Ctrl-C and the like are blocked while other programs run. The program waits for them together with the end of
 * children, and raises them after cleaning up. There is no handler and no global: the signals are blocked, also in
 * threads that are started meanwhile. */

/** Add a signal to a set of those to wait for, unless it is ignored, as SIGHUP is under nohup. Without this test, an
 * ignored signal that is blocked would end the wait. */
void gate_signal_add(sigset_t *set, int signal);

/** Deferred signals, from gate_interrupt_hold to gate_interrupt_release, in one thread. */
struct gate_interrupt {
    sigset_t before;               /* signal mask before; children get it */
    struct sigaction child_before; /* disposition of SIGCHLD before */
    int caught;                    /* the deferred signal: SIGINT, SIGTERM, SIGHUP or SIGQUIT; 0: none */
};

/** Block SIGINT, SIGTERM, SIGHUP and SIGQUIT. A signal that is ignored stays ignored. */
void gate_interrupt_hold(struct gate_interrupt *out);

/** Return whether a deferred signal has arrived. */
bool gate_interrupt_is_caught(struct gate_interrupt *interrupt);

/** Sleep until a deferred signal arrives, a child ends, or `seconds` have passed. */
void gate_interrupt_wait(struct gate_interrupt *interrupt, double seconds);

/** Report that the run was interrupted. Always returns false. err: GATE_ERR_IO "interrupted". */
bool gate_interrupt_error(const struct gate_interrupt *interrupt, struct gate_error *err);

/** Restore the signal mask. If a signal was deferred, raise it now, which usually ends the process. */
void gate_interrupt_release(struct gate_interrupt *interrupt);

/* ---- child processes --------------------------------------------------------------------------------------------- */

/* Each child has its own process group. It is awaited, and ended together with everything that it started. On Linux
 * that also holds if this process is killed (SIGKILL, out of memory): a guard process beside each child waits for
 * our death. */

/** How to start a program. */
struct gate_child_options {
    const char *const *argv; /* NULL-terminated; argv[0] is searched on PATH */
    const char *directory;   /* working directory; NULL: that of this process */
    char *const *environment;
    int out, log; /* descriptors of standard output and error; -1: /dev/null. Standard input is empty */
};

/** A child process. Zeroed: none. */
struct gate_child {
    pid_t pid;   /* also its process group; 0: none */
    pid_t guard; /* kills the group if this process dies; 0: none */
    bool has_ended;
    int status; /* as from waitpid; valid if `has_ended` */
};

/** Result of waiting. GATE_CHILD_LATE: the timeout was reached. */
enum gate_child_wait { GATE_CHILD_ENDED, GATE_CHILD_LATE, GATE_CHILD_INTERRUPTED };

/**
 * Start a program. Call it in a thread that outlives the child, because Linux kills the child when that thread ends.
 *
 * If the program does not exist, the child starts and ends with status 127.
 *
 * err  GATE_ERR_IO
 */
GATE_MUST_CHECK
bool gate_child_start(struct gate_child *out, const struct gate_child_options *options,
                      const struct gate_interrupt *interrupt, struct gate_error *err);

/**
 * Wait until the child ends, `seconds` have passed, or a deferred signal arrives. When the child has ended, kill what
 * it left running in its group.
 */
enum gate_child_wait gate_child_wait(struct gate_child *child, double seconds, struct gate_interrupt *interrupt);

/**
 * End the child and its group: send SIGTERM, and SIGKILL after `grace_seconds`. Does nothing if the child has ended.
 */
void gate_child_stop(struct gate_child *child, double grace_seconds);

/** Return the CPU time of all children that have ended, in seconds. */
double gate_child_cpu_seconds(void);

/** Return whether the child ended with status 0. */
bool gate_child_is_well(const struct gate_child *child);

/** Return how the child ended: "ended with status 2", "was killed by signal 11". Arena memory. */
struct gate_str gate_child_end(const struct gate_child *child, struct gate_arena *arena);

/**
 * Copy this process's environment and apply `changes`.
 *
 * changes  "NAME=VALUE" sets a variable, "NAME" removes it; NULL-terminated
 * out      NULL-terminated, arena memory
 */
GATE_MUST_CHECK
bool gate_child_environment(char *const **out, const char *const *changes, struct gate_arena *arena,
                            struct gate_error *err);

/* ---- output of a child, collected in a file ---------------------------------------------------------------------- */

/* The file is a log that stays, or a temporary file without a name that is read once. */

/** An open file. Close it with gate_child_output_close. */
struct gate_child_output {
    int descriptor;   /* -1: not open; close-on-exec */
    const char *path; /* NULL: a temporary file without a name */
};

/** Open an empty file; if `path` is NULL, a temporary file without a name. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_child_output_open(struct gate_child_output *out, const char *path, struct gate_arena *arena,
                            struct gate_error *err);

/** Read the output into arena memory: all of it, or the last 16 MiB if it is longer. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_child_output_read(const struct gate_child_output *file, struct gate_str *out, struct gate_arena *arena,
                            struct gate_error *err);

/**
 * Return the last whole lines of the output for a message, at most `bytes`. Empty if there are none or they cannot be
 * read.
 */
struct gate_str gate_child_output_tail(const struct gate_child_output *file, size_t bytes, struct gate_arena *arena);

/** Close the file, if it is open. */
void gate_child_output_close(struct gate_child_output *file);

#endif
