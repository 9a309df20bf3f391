/* SPDX-License-Identifier: Apache-2.0 */
/* Signals, held back (see interrupt.h). */
#include "gate/trial/interrupt.h"

#include <errno.h>
#include <time.h>

static void interrupt_set(sigset_t *set, bool with_child) {
    (void)sigemptyset(set);
    (void)sigaddset(set, SIGINT);
    (void)sigaddset(set, SIGTERM);
    (void)sigaddset(set, SIGHUP);
    (void)sigaddset(set, SIGQUIT);
    if (with_child)
        (void)sigaddset(set, SIGCHLD);
}

void gate_interrupt_hold(struct gate_interrupt *out) {
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t held;
    *out = (struct gate_interrupt){0};
    interrupt_set(&held, true);
    (void)pthread_sigmask(SIG_BLOCK, &held, &out->before);
    /* Where it is ignored, children vanish before anybody learns how they ended. */
    (void)sigaction(SIGCHLD, &usual, &out->child_before);
}

/* One pending signal of the set, or 0 after `seconds`. */
static int interrupt_take(bool with_child, double seconds) {
    sigset_t set;
    interrupt_set(&set, with_child);
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    int signal = sigtimedwait(&set, NULL, &time);
    return signal > 0 ? signal : 0;
}

static void interrupt_note(struct gate_interrupt *interrupt, int signal) {
    if (signal != 0 && signal != SIGCHLD && interrupt->caught == 0)
        interrupt->caught = signal;
}

bool gate_interrupt_is_caught(struct gate_interrupt *interrupt) {
    if (interrupt->caught == 0)
        interrupt_note(interrupt, interrupt_take(false, 0));
    return interrupt->caught != 0;
}

void gate_interrupt_wait(struct gate_interrupt *interrupt, double seconds) {
    interrupt_note(interrupt, interrupt_take(true, seconds));
}

bool gate_interrupt_error(const struct gate_interrupt *interrupt, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_IO, "interrupted%s; nothing was decided",
                          interrupt->caught == SIGTERM ? " (terminated)" : "");
}

void gate_interrupt_release(struct gate_interrupt *interrupt) {
    int caught = gate_interrupt_is_caught(interrupt) ? interrupt->caught : 0;
    (void)sigaction(SIGCHLD, &interrupt->child_before, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
    if (caught != 0)
        (void)raise(caught);
}

double gate_interrupt_clock(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
