/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C while other programs run: held back, waited for together with the end of children, and answered once all is
 * put back. No handler and no global: the signals are blocked, in threads that are made meanwhile as well.
 * Pipeline: trial/interrupt.h -> trial/child.h -> trial/trial.h */
#ifndef GATE_TRIAL_INTERRUPT_H
#define GATE_TRIAL_INTERRUPT_H

#include "gate/base/error.h"

#include <signal.h>

/** From gate_interrupt_hold to gate_interrupt_release, in one thread. */
struct gate_interrupt {
    sigset_t before;               /* what was blocked; children get it back */
    struct sigaction child_before; /* of SIGCHLD */
    int caught;                    /* SIGINT, SIGTERM, SIGHUP or SIGQUIT, or 0 */
};

/** Hold SIGINT, SIGTERM, SIGHUP and SIGQUIT back; one that is ignored stays ignored. */
void gate_interrupt_hold(struct gate_interrupt *out);

/** Whether one has come. */
bool gate_interrupt_is_caught(struct gate_interrupt *interrupt);

/** Sleep until one comes, a child ends, or `seconds` are over. */
void gate_interrupt_wait(struct gate_interrupt *interrupt, double seconds);

/** GATE_ERR_IO "interrupted". */
bool gate_interrupt_error(const struct gate_interrupt *interrupt, struct gate_error *err);

/** As before; one that was caught is raised now, and ends the process as it would have. */
void gate_interrupt_release(struct gate_interrupt *interrupt);

/** Seconds by a clock that nobody sets. */
double gate_interrupt_clock(void);

#endif
