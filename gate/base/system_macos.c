/* SPDX-License-Identifier: Apache-2.0 */
/* System calls of macOS. */
#include "gate/base/system.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_NS = 10 * 1000 * 1000, LOOKS_PER_SECOND = 100 };

const bool gate_system_has_processes = true;
const bool gate_system_announces_death = false;

bool gate_system_exchange(const char *first, const char *second) {
    return renamex_np(first, second, RENAME_SWAP) == 0;
}

/* Return whether a signal of `set` is pending. */
static bool is_pending(const sigset_t *set) {
    sigset_t pending;
    if (sigpending(&pending) != 0)
        return false;
    for (int signal = 1; signal < NSIG; signal++)
        if (sigismember(set, signal) == 1 && sigismember(&pending, signal) == 1)
            return true;
    return false;
}

/* macOS has no sigtimedwait. */
int gate_system_signal_take(const sigset_t *set, double seconds) {
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    int signal = 0;
    for (double looks = seconds * LOOKS_PER_SECOND; !is_pending(set); looks--) {
        if (looks <= 0)
            return 0;
        (void)nanosleep(&pause, NULL);
    }
    return sigwait(set, &signal) == 0 ? signal : 0;
}

bool gate_system_follow(pid_t parent, int signal) {
    (void)signal;
    return getppid() == parent;
}

bool gate_system_death_wait(pid_t parent) {
    (void)parent;
    return false;
}

int gate_system_socket(int family, int type, int protocol) {
    int descriptor = socket(family, type, protocol);
    if (descriptor >= 0)
        (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
}

double gate_system_memory_peak_mib(void) {
    struct rusage used = {0};
    (void)getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_maxrss / (1024 * 1024); /* it is in bytes */
}

uint32_t gate_system_columns(int descriptor) {
    struct winsize size = {0};
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
