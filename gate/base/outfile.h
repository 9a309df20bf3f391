/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to files: whole or not at all. Used by cli/output.h and by every room that writes files of its own. */
#ifndef GATE_BASE_OUTFILE_H
#define GATE_BASE_OUTFILE_H

#include "gate/base/str.h"

#include <signal.h>
#include <sys/types.h>

/** A file on its way to NAME is called NAME with this and six letters behind it: a killed writer leaves it. */
#define GATE_OUTFILE_UNFINISHED ".pprofgate-"

/**
 * Write `bytes` to `path`. A regular file is written beside its place and renamed, so that a reader never sees half of
 * it. Of a symbolic link, the file that it leads to is replaced so, and the link stays. A device, a pipe and an open
 * file (/dev/stdout, /proc/self/fd/3) are written to directly. When the power fails, what was written a moment ago may
 * be lost: reports are read by the job that made them, and waiting for a disk costs more than a small check.
 *
 * arena  of the run; nothing is taken of it
 * err    GATE_ERR_IO with the path and the system's reason; GATE_ERR_MEMORY: the run lacked memory, and what it made
 * may lack a part (gate_arena_check)
 */
GATE_MUST_CHECK
bool gate_outfile_write(const char *path, struct gate_str bytes, const struct gate_arena *arena,
                        struct gate_error *err);

/** The same, and on the disk when it returns: what later runs go by. */
GATE_MUST_CHECK
bool gate_outfile_keep(const char *path, struct gate_str bytes, const struct gate_arena *arena, struct gate_error *err);

/** A file that is written, beside its place. */
struct gate_outfile {
    char *name;     /* it has on its way; NULL: there is none */
    char *target;   /* its place */
    int descriptor; /* of one that is being written, else -1 */
};

/** While files are beside their places, what asks the program to end waits: in this thread and in those that it starts.
 * To be undone by gate_outfile_release. */
void gate_outfile_hold(sigset_t *before);
void gate_outfile_release(const sigset_t *before);

/** Who may read a new file, by the umask. To be asked while there is one thread: it takes changing it for a moment. */
mode_t gate_outfile_mode(void);

/**
 * The first half of gate_outfile_write: all but the last step, so that a thread has that behind it while another still
 * makes what is to appear with it. Between gate_outfile_hold and gate_outfile_release.
 *
 * out    `name` is NULL where it did not come to that, or where `path` is not an ordinary file: nothing is left of it,
 *        and gate_outfile_write does it or says why not. Else arena memory; ends with gate_outfile_place or
 *        gate_outfile_drop
 */
void gate_outfile_begin(struct gate_outfile *out, const char *path, struct gate_str bytes, mode_t mode,
                        struct gate_arena *arena);

/**
 * The same bit by bit: gate_outfile_add, then gate_outfile_close. Either is false where it cannot be written: then it
 * is dropped.
 */
void gate_outfile_open(struct gate_outfile *out, const char *path, mode_t mode, struct gate_arena *arena);
GATE_MUST_CHECK bool gate_outfile_add(struct gate_outfile *file, struct gate_str bytes);
GATE_MUST_CHECK bool gate_outfile_close(struct gate_outfile *file);

/** To its place, in place of what is there. `path`: what messages call it. err: GATE_ERR_IO, then it is removed. */
GATE_MUST_CHECK bool gate_outfile_place(struct gate_outfile *file, const char *path, struct gate_error *err);

/** Removed, where there is one, written to its end or not. */
void gate_outfile_drop(struct gate_outfile *file);

/** A file that is written a part at a time, where nobody holds all of it. */
struct gate_outfile_parts {
    struct gate_outfile file;
    const char *path; /* what messages call it */
    sigset_t before;
};

/**
 * Begin a file beside its place; false where `path` is not an ordinary one, or what lies beside it cannot be made: then
 * nothing is left, and gate_outfile_write does it or says why not. Else it ends with gate_outfile_parts_end; until then
 * what asks the program to end waits, and is heard between two parts. While there is one thread.
 */
GATE_MUST_CHECK
bool gate_outfile_parts_begin(struct gate_outfile_parts *out, const char *path, struct gate_arena *arena);

/** err: GATE_ERR_IO, also where the program is asked to end */
GATE_MUST_CHECK
bool gate_outfile_parts_add(struct gate_outfile_parts *out, struct gate_str bytes, struct gate_error *err);

/** To its place, on the disk, where it is whole, else nothing is left of it: then false, and `err` as it was.
 * err: GATE_ERR_IO */
GATE_MUST_CHECK
bool gate_outfile_parts_end(struct gate_outfile_parts *out, bool is_whole, struct gate_error *err);

/**
 * Remove what gate_outfile_write would have replaced: a regular file, or the one that a link leads to. False when it is
 * still there, or may be. Takes no memory.
 */
GATE_MUST_CHECK bool gate_outfile_remove(const char *path);

#endif
