/* SPDX-License-Identifier: Apache-2.0 */
/* System calls of WASI, the interface of WebAssembly programs to their host. There are no processes, signals, threads
 * or sockets. */
#include "gate/base/system.h"

#include <errno.h>
#include <stddef.h>

const bool gate_system_has_processes = false;
const bool gate_system_announces_death = false;

bool gate_system_exchange(const char *first, const char *second) {
    (void)first;
    (void)second;
    return false;
}

int gate_system_signal_take(const sigset_t *set, double seconds) {
    (void)set;
    (void)seconds;
    return 0;
}

bool gate_system_follow(pid_t parent, int signal) {
    (void)parent;
    (void)signal;
    return true;
}

bool gate_system_death_wait(pid_t parent) {
    (void)parent;
    return false;
}

int gate_system_socket(int family, int type, int protocol) {
    (void)family;
    (void)type;
    (void)protocol;
    errno = ENOSYS;
    return -1;
}

double gate_system_memory_peak_mib(void) {
    return (double)__builtin_wasm_memory_size(0) * 65536 / (1024 * 1024); /* linear memory never shrinks */
}

uint32_t gate_system_columns(int descriptor) {
    (void)descriptor;
    return 0;
}
