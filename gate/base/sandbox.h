/* SPDX-License-Identifier: Apache-2.0 */
/* The sandbox of a process that reads untrusted bytes: a seccomp filter against the network, programs and other
 * processes, and Landlock against other files. */
#ifndef GATE_BASE_SANDBOX_H
#define GATE_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a process still needs besides files; 0: nothing. */
enum gate_sandbox_need { GATE_NEEDS_NETWORK = 1, GATE_NEEDS_PROGRAMS = 2 };

enum gate_sandbox {
    GATE_SANDBOX_OPEN,     /* nothing is denied: no sandbox was requested, or programs are needed */
    GATE_SANDBOX_ENTERED,  /* everything that is not needed is denied */
    GATE_SANDBOX_REFUSED,  /* the kernel refused it */
    GATE_SANDBOX_LEFT_OUT, /* not for this system, built without it, or built with a sanitizer */
};

/** What a rule allows for a file, or for a folder and everything below it. */
enum gate_landlock_access {
    GATE_LANDLOCK_READ = 1,          /* read files */
    GATE_LANDLOCK_WRITE = 2,         /* write and truncate files that exist */
    GATE_LANDLOCK_MAKE = 4,          /* create, replace and remove regular files */
    GATE_LANDLOCK_MAKE_FOLDERS = 8,  /* create folders */
    GATE_LANDLOCK_DROP_FOLDERS = 16, /* remove empty folders */
};

/** Versions of the kernel's interface that added something used here. */
enum { GATE_LANDLOCK_TRUNCATES = 3, GATE_LANDLOCK_SIGNALS = 6 };

/** A file or folder that a sandboxed process may use. */
struct gate_sandbox_path {
    const char *path;
    unsigned access; /* enum gate_landlock_access, or-ed */
};

/** The files that a sandboxed process may use. Nothing else may be written. */
struct gate_sandbox_files {
    const struct gate_sandbox_path *items;
    size_t count;
    bool limits_reads; /* nothing else may be read; if false, every file may be read */
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

/** Return the version of the kernel's Landlock interface. If there is none, return 0 and set `*reason` to an errno. */
int gate_landlock_version(int *reason);

/** What the filter depends on. */
struct gate_seccomp_choice {
    bool has_network;    /* sockets are allowed */
    bool denies_signals; /* only `process` may be sent signals; with Landlock's scope the kernel does so better */
    int process;         /* this process */
};

/* ---- parts of it, which tests look at alone --------------------------------------------------------------------- */

/** Return the rights (LANDLOCK_ACCESS_FS_*) that a kernel of `version` can deny; reading files only if `limits_reads`.
 * Listing folders is never denied. */
uint64_t gate_landlock_handled(int version, bool limits_reads);

/** Return the rights of a rule for `access` (enum gate_landlock_access, or-ed). The kernel rejects a rule for a file
 * that has rights of folders. */
uint64_t gate_landlock_rights(unsigned access, bool is_folder);

/**
 * Add the rules to `filter`, a scmp_filter_ctx whose default is to allow. A list of allowed calls would break with the
 * next C library.
 *
 * Returns 0 or an errno.
 */
int gate_seccomp_filter_fill(void *filter, const struct gate_seccomp_choice *choice);

#endif
