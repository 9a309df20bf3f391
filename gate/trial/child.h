/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs: started in a process group of their own, waited for, and ended with all that they started. On Linux
 * also when we are killed ourselves (SIGKILL, no memory left): beside each of them a guard waits for our death.
 * Pipeline: trial/interrupt.h -> trial/child.h -> trial/git.h, trial/trial.h */
#ifndef GATE_TRIAL_CHILD_H
#define GATE_TRIAL_CHILD_H

#include "gate/base/str.h"
#include "gate/trial/interrupt.h"

#include <sys/types.h>

/** How a program is started. */
struct gate_child_options {
    const char *const *argv; /* NULL-terminated; argv[0] is looked for on the path */
    const char *directory;   /* NULL: where we are */
    char *const *environment;
    int out, log; /* descriptors for standard output and error; -1: nowhere. Standard input is empty */
};

/** One that was started. Zeroed: none. */
struct gate_child {
    pid_t pid;   /* and of its group; 0: none */
    pid_t guard; /* kills the group when we die; 0: none */
    bool has_ended;
    int status; /* as waitpid has it, once it has ended */
};

/** How waiting came to its end. */
enum gate_child_wait { GATE_CHILD_ENDED, GATE_CHILD_LATE, GATE_CHILD_INTERRUPTED };

/** Start it, in a thread that lasts as long as it does. err: GATE_ERR_IO. A program that is not there ends with status
 * 127. */
GATE_MUST_CHECK
bool gate_child_start(struct gate_child *out, const struct gate_child_options *options,
                      const struct gate_interrupt *interrupt, struct gate_error *err);

/** Wait until it ends, `seconds` are over, or an interrupt comes. What it left running in its group is killed when it
 * has ended. */
enum gate_child_wait gate_child_wait(struct gate_child *child, double seconds, struct gate_interrupt *interrupt);

/** End it and its group: asked first, killed after `grace_seconds`. Nothing where it has ended already. */
void gate_child_stop(struct gate_child *child, double grace_seconds);

/** Processor's time of all children that have ended. */
double gate_child_cpu_seconds(void);

/** Whether it ended with status 0. */
bool gate_child_is_well(const struct gate_child *child);

/** "ended with status 2", "was killed by signal 11". Arena memory. */
struct gate_str gate_child_end(const struct gate_child *child, struct gate_arena *arena);

/**
 * This process's environment with changes.
 *
 * changes  "NAME=VALUE" sets, "NAME" removes; NULL-terminated
 * out      NULL-terminated, arena memory. err: the arena is full
 */
GATE_MUST_CHECK
bool gate_child_environment(char *const **out, const char *const *changes, struct gate_arena *arena,
                            struct gate_error *err);

#endif
