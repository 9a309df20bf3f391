/* SPDX-License-Identifier: Apache-2.0 */
/* System calls of Linux. Other systems that follow POSIX use this file without the parts that only Linux has. */
#define _DEFAULT_SOURCE /* for syscall */
#include "gate/base/system.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
const bool gate_system_announces_death = true;
#else
const bool gate_system_announces_death = false;
#endif

const bool gate_system_has_processes = true;

bool gate_system_exchange(const char *first, const char *second) {
#ifdef SYS_renameat2
    enum { EXCHANGE = 2 };
    return syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, EXCHANGE) == 0;
#else
    (void)first;
    (void)second;
    return false;
#endif
}

int gate_system_signal_take(const sigset_t *set, double seconds) {
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    int signal = sigtimedwait(set, NULL, &time);
    return signal > 0 ? signal : 0;
}

bool gate_system_follow(pid_t parent, int signal) {
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, (unsigned long)signal, 0UL, 0UL, 0UL);
#else
    (void)signal;
#endif
    return getppid() == parent;
}

bool gate_system_death_wait(pid_t parent) {
    if (gate_system_announces_death && gate_system_follow(parent, SIGUSR1)) {
        sigset_t death;
        (void)sigemptyset(&death);
        (void)sigaddset(&death, SIGUSR1);
        while (getppid() == parent)
            (void)sigwaitinfo(&death, NULL);
    }
    return gate_system_announces_death;
}

int gate_system_socket(int family, int type, int protocol) {
    return socket(family, type | SOCK_CLOEXEC, protocol);
}

double gate_system_memory_peak_mib(void) {
    struct rusage used = {0};
    (void)getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_maxrss / 1024; /* it is in KiB */
}

uint32_t gate_system_columns(int descriptor) {
    struct winsize size = {0};
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
