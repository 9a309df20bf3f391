/* SPDX-License-Identifier: Apache-2.0 */
/* Which existing files an output may replace: only files that pprofgate wrote, in the same format. */
#ifndef GATE_SESSION_OWN_FILE_H
#define GATE_SESSION_OWN_FILE_H

#include "gate/base/error.h"
#include "gate/base/own_mark.h"

/** What exists at an output's path. */
enum gate_own_file {
    GATE_OWN_FILE_NONE,      /* nothing, or a device, a pipe or an open file: nothing would be replaced */
    GATE_OWN_FILE_EMPTY,     /* a file of 0 bytes */
    GATE_OWN_FILE_OWN,       /* a file of this format that pprofgate wrote */
    GATE_OWN_FILE_OTHER,     /* any other regular file */
    GATE_OWN_FILE_UNREADABLE /* a regular file that cannot be read; errno has the cause */
};

/** Examine the file that an output would replace. Reads at most GATE_OWN_MARK_HEAD_BYTES, and never blocks on a
 * pipe. Cost: O(1) in the size of the file; takes no memory from an arena. */
enum gate_own_file gate_own_file_look(const char *path, enum gate_own_mark mark);

/**
 * Check that an output does not replace a file that pprofgate did not write.
 *
 * is_forced  --force: allow any file
 * err        GATE_ERR_USAGE with the path and what --force would do; GATE_ERR_IO if the file cannot be read
 */
GATE_MUST_CHECK
bool gate_own_file_check(const char *path, enum gate_own_mark mark, bool is_forced, struct gate_error *err);

#endif
