/* SPDX-License-Identifier: Apache-2.0 */
/* The sandbox of a process that reads untrusted bytes: a seccomp filter against the network, programs and other
 * processes, and Landlock against other files. */
#ifndef GATE_BASE_SANDBOX_H
#define GATE_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/** What a process still needs besides files; 0: nothing. */
enum gate_sandbox_need { GATE_NEEDS_NETWORK = 1, GATE_NEEDS_PROGRAMS = 2 };

enum gate_sandbox {
    GATE_SANDBOX_OPEN,     /* nothing is denied: no sandbox was requested, or programs are needed */
    GATE_SANDBOX_ENTERED,  /* everything that is not needed is denied */
    GATE_SANDBOX_REFUSED,  /* the kernel refused it */
    GATE_SANDBOX_LEFT_OUT, /* not for this system, built without it, or built with a sanitizer */
};

/** A file or folder that a sandboxed process may use. */
struct gate_sandbox_path {
    const char *path;
    unsigned access; /* enum gate_landlock_access, or-ed */
};

/** The files that a sandboxed process may use. Nothing else may be written. */
struct gate_sandbox_files {
    const struct gate_sandbox_path *items;
    size_t count;
    bool limits_reads; /* nothing else may be read, either; otherwise every file may */
};

/** What is in force. Zero: nothing. A reason is an errno if the kernel refused, else 0. */
struct gate_sandbox_state {
    enum gate_sandbox calls; /* seccomp */
    int calls_reason;
    enum gate_sandbox files; /* Landlock */
    int files_reason;
    int landlock; /* version of the kernel's interface, 0: none */
};

/**
 * Enter the sandbox: this process, all its threads and its children lose for good what they do not need. Call it while
 * only one thread runs: Landlock applies to the calling thread and to what it starts later. Denied calls fail with
 * EPERM or EACCES. All other calls are unchanged, so that any C library works. Open descriptors stay open. No
 * privileges are needed.
 *
 * Sockets are denied without GATE_NEEDS_NETWORK, and execve always. Signals to other processes, calls that reach into
 * other processes or into the kernel (ptrace, bpf, mount ...), and making files executable are denied. With Landlock,
 * memory and environment of other processes cannot be read, and files are limited to `files`. The memory of this
 * process is hidden from other processes of its user (PR_SET_DUMPABLE).
 *
 * needs  enum gate_sandbox_need, or-ed; with GATE_NEEDS_PROGRAMS nothing is denied, because programs would inherit it
 * files  used at the first call only; later calls do not change the files
 * state  in and out: what is in force, from the calls before. Each part is best effort
 */
void gate_sandbox_enter(unsigned needs, const struct gate_sandbox_files *files, struct gate_sandbox_state *state);

#endif
