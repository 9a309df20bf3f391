/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp filter that denies network access and starting programs before untrusted bytes are read. */
#ifndef GATE_BASE_SANDBOX_H
#define GATE_BASE_SANDBOX_H

/** What a process still needs besides files; 0: nothing. */
enum gate_sandbox_need { GATE_NEEDS_NETWORK = 1, GATE_NEEDS_PROGRAMS = 2 };

enum gate_sandbox {
    GATE_SANDBOX_OPEN,    /* nothing is denied: no sandbox was requested, or programs are needed */
    GATE_SANDBOX_SEALED,  /* everything that is not needed is denied */
    GATE_SANDBOX_REFUSED, /* the kernel accepts no filter */
    GATE_SANDBOX_UNBUILT  /* no filter for this system, or the program has a sanitizer, which uses ptrace */
};

/**
 * Install a filter for this process, all its threads and its children that makes unneeded system calls fail with EPERM.
 *
 * Sockets are denied without GATE_NEEDS_NETWORK, and execve always. Calls that reach into other processes or into the
 * kernel (ptrace, bpf, mount …) are denied too. All other calls are unchanged, so that any C library works. Open
 * descriptors stay open. No privileges are needed. Filters add up: a sandboxed process stays sandboxed.
 *
 * needs   enum gate_sandbox_need, or-ed; with GATE_NEEDS_PROGRAMS nothing is denied, because programs would inherit it
 * reason  errno if the result is GATE_SANDBOX_REFUSED, else 0
 */
enum gate_sandbox gate_sandbox_enter(unsigned needs, int *reason);

#endif
