/* SPDX-License-Identifier: Apache-2.0 */
/* System calls that differ between the systems pprofgate runs on. system_SYSTEM.c implements them; CMake chooses one:
 * linux (also other POSIX systems), macos, or wasi (WebAssembly, which has no processes, signals, threads or
 * sockets). */
#ifndef GATE_BASE_SYSTEM_H
#define GATE_BASE_SYSTEM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/** Return a clock in seconds, such as CLOCK_MONOTONIC. */
static inline double gate_clock_s(clockid_t clock) {
    struct timespec now = {0};
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/** Return a clock in whole milliseconds. With CLOCK_REALTIME that is the Unix time. */
static inline int64_t gate_clock_ms(clockid_t clock) {
    struct timespec now = {0};
    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/** Whether the system can start programs and open connections. If it cannot, commands that need this refuse to run. */
extern const bool gate_system_has_processes;

/**
 * Swap two files of one file system in one step.
 *
 * Returns false if one does not exist, or if the system or the file system does not support this. Nothing has changed
 * then.
 */
bool gate_system_exchange(const char *first, const char *second);

/** Wait up to `seconds` for a blocked signal of `set`, consume it and return it. Returns 0 if none arrived. */
int gate_system_signal_take(const sigset_t *set, double seconds);

/**
 * Ask the system to send `signal` to this process when `parent`, which forked it, dies. Only Linux supports this.
 *
 * Returns false if `parent` is dead already.
 */
bool gate_system_follow(pid_t parent, int signal);

/**
 * In a process forked by `parent`: wait until `parent` dies. SIGUSR1 must be blocked.
 *
 * Returns false at once if the system cannot announce the death of a parent.
 */
bool gate_system_death_wait(pid_t parent);

/** Whether gate_system_death_wait waits. */
extern const bool gate_system_announces_death;

/** Open a socket as socket(2) does, with close-on-exec. Returns -1 and sets errno on failure. */
int gate_system_socket(int family, int type, int protocol);

/** Return the peak resident set size of this process in MiB; 0 if the system does not measure it. */
double gate_system_memory_peak_mib(void);

/** Return the width of the terminal in columns; 0 if it is unknown. */
uint32_t gate_system_columns(int descriptor);

#endif
