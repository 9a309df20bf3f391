/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to files: whole or not at all. Used by cli/output.h and by every room that writes files of its own. */
#ifndef GATE_BASE_OUTFILE_H
#define GATE_BASE_OUTFILE_H

#include "gate/base/str.h"

/** A file on its way to NAME is called NAME with this and six letters behind it: a killed writer leaves it. */
#define GATE_OUTFILE_UNFINISHED ".pprofgate-"

/**
 * Write `bytes` to `path`. A regular file is written beside its place and renamed, so that a reader never sees half of
 * it. Of a symbolic link, the file that it leads to is replaced so, and the link stays. A device, a pipe and an open
 * file (/dev/stdout, /proc/self/fd/3) are written to directly.
 *
 * arena  of the run; nothing is taken of it
 * err    GATE_ERR_IO with the path and the system's reason; GATE_ERR_MEMORY: the run lacked memory, and what it made
 * may lack a part (gate_arena_check)
 */
GATE_MUST_CHECK
bool gate_outfile_write(const char *path, struct gate_str bytes, const struct gate_arena *arena,
                        struct gate_error *err);

/**
 * Remove what gate_outfile_write would have replaced: a regular file, or the one that a link leads to. False when it is
 * still there, or may be. Takes no memory.
 */
GATE_MUST_CHECK bool gate_outfile_remove(const char *path);

#endif
