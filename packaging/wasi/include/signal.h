/* SPDX-License-Identifier: Apache-2.0 */
/* Signals, which WASI lacks. packaging/wasi/posix.c defines them; each fails. */
#ifndef PACKAGING_WASI_SIGNAL_H
#define PACKAGING_WASI_SIGNAL_H

#include <__typedef_sigset_t.h>
#include_next <signal.h>
#include <sys/types.h>

enum { SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK };

typedef struct {
    int si_signo;
    pid_t si_pid;
} siginfo_t;

struct sigaction {
    void (*sa_handler)(int);
    sigset_t sa_mask;
    int sa_flags;
};

int kill(pid_t process, int signal);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before);
int sigaction(int signal, const struct sigaction *action, struct sigaction *before);
int sigaddset(sigset_t *set, int signal);
int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
int sigismember(const sigset_t *set, int signal);
int sigpending(sigset_t *set);
int sigprocmask(int how, const sigset_t *set, sigset_t *before);
int sigwait(const sigset_t *set, int *signal);

#include <pthread.h>
int pthread_kill(pthread_t thread, int signal);

#endif
