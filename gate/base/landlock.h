/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock: a Linux process limits the files that it, and everything it starts, can open. Needs no privileges. */
#ifndef GATE_BASE_LANDLOCK_H
#define GATE_BASE_LANDLOCK_H

#include "gate/base/error.h"

#include <stdint.h>

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

/** A list of rules that the kernel holds. */
struct gate_landlock {
    int ruleset; /* descriptor */
    int version;
    uint64_t handled; /* rights that are denied where no rule allows them */
};

/** Return the version of the kernel's Landlock interface. If there is none, return 0 and set `*reason` to an errno. */
int gate_landlock_version(int *reason);

/** Return the rights (LANDLOCK_ACCESS_FS_*) that a kernel of `version` can deny; reading files only if `limits_reads`.
 * Listing folders is never denied. */
uint64_t gate_landlock_handled(int version, bool limits_reads);

/** Return the rights of a rule for `access` (enum gate_landlock_access, or-ed). The kernel rejects a rule for a file
 * that has rights of folders. */
uint64_t gate_landlock_rights(unsigned access, bool is_folder);

/**
 * Begin a list of rules: what no rule allows is denied. From version 6 on, signals to processes outside of the sandbox
 * are denied as well.
 *
 * Returns 0 or an errno. End the list with gate_landlock_enter.
 */
int gate_landlock_begin(struct gate_landlock *out, bool limits_reads);

/** Allow `access` to `path`. Symbolic links are followed. Does nothing if `path` cannot be opened: it stays denied. */
void gate_landlock_allow(const struct gate_landlock *landlock, const char *path, unsigned access);

/** Apply the rules to this thread and to the threads and processes that it starts. The process must have
 * PR_SET_NO_NEW_PRIVS. Frees the list. Returns 0 or an errno. */
int gate_landlock_enter(struct gate_landlock *landlock);

#endif
