/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing files and streams: atomic replacement, folders, and suggestions for mistyped paths. */
#ifndef GATE_BASE_FILE_H
#define GATE_BASE_FILE_H

#include "gate/base/error.h"
#include "gate/base/str.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* Reading and writing open streams, with retries after signals. */

/**
 * Open `path` for reading, as fopen(path, "rb") does, without blocking forever on a named pipe.
 *
 * If no process opens the pipe for writing within 10 s (GATE_STREAM_WRITER_SECONDS), return NULL and set errno to
 * ETIMEDOUT. Once a pipe has a writer, as one made by `<(command)` has, the writer may be silent for any time.
 *
 * Returns NULL and sets errno if the file cannot be opened.
 */
FILE *gate_stream_open(const char *path);

/**
 * Return a message for the errno `reason` of gate_stream_open: strerror, or for ETIMEDOUT what to do about a pipe
 * without a writer.
 */
const char *gate_stream_open_reason(int reason);

/**
 * Read up to `len` bytes with fread. Fewer than `len` mean the end of the file or an error; for an error, ferror(file)
 * and errno are set.
 *
 * Retries after a signal. Waits if the stream is a non-blocking pipe.
 */
size_t gate_stream_read(void *bytes, size_t len, FILE *file);

/**
 * Read up to `len` bytes at offset `at` with pread. Fewer than `len` mean the end of the file (errno is 0) or an error
 * (errno is set).
 */
size_t gate_stream_read_at(void *bytes, size_t len, int descriptor, uint64_t at);

/**
 * Write all of `text` to the system. Returns false and sets errno if that fails; some bytes may then be written. In a
 * regular file they are removed again, unless another process has written after them.
 *
 * Waits if the stream is a non-blocking pipe: a process that shares the pipe may have made it so. Bypasses the stream's
 * buffer, which would lose the bytes that such a pipe refuses. O(len).
 */
GATE_MUST_CHECK
bool gate_stream_write(FILE *file, struct gate_str text);

/* ---- folders ----------------------------------------------------------------------------------------------------- */

/* Functions that create folders with all their parents, as `mkdir -p` does. */

/**
 * Create the folder `path` and its parents, unless they exist. err: GATE_ERR_IO naming the part that cannot be created.
 */
GATE_MUST_CHECK bool gate_folders_make(const char *path, struct gate_error *err);

/**
 * Find the file that a write to `path` replaces: follows symbolic links, also one whose target does not exist yet.
 *
 * is_special  set if it names an open file, such as /dev/stdout, which is written directly
 *
 * Returns false and sets errno if the links cannot be followed.
 */
enum { GATE_OUTFILE_PATH_BYTES = 4096 };
GATE_MUST_CHECK bool gate_outfile_target(char target[GATE_OUTFILE_PATH_BYTES], bool *is_special, const char *path);

/** Create the parent folders of the file `path`. err: GATE_ERR_IO. */
GATE_MUST_CHECK bool gate_folders_make_above(const char *path, struct gate_error *err);

/* ---- suggestion for a mistyped path ------------------------------------------------------------------------------ */

enum { GATE_NEAR_FILE_BYTES = 256 };

/**
 * Find the name in the folder of `path` that is closest to its last part (gate_str_nearest), and write it to `out`.
 * Names that differ by a whole word do not count.
 *
 * Returns false if no name is close or the folder does not exist. The result does not depend on the order of the
 * folder. O(names).
 */
bool gate_near_file_find(char out[GATE_NEAR_FILE_BYTES], const char *path);

/* ---- atomic writing ---------------------------------------------------------------------------------------------- */

/* Functions that write a file completely or not at all. */

/** Suffix of a temporary file: NAME becomes NAME, this and six letters. A killed writer leaves such a file behind. */
#define GATE_OUTFILE_UNFINISHED ".pprofgate-"

/**
 * Write `bytes` to `path`.
 *
 * A regular file is written to a temporary file beside it and then renamed, so that a reader never sees half of it. If
 * `path` is a symbolic link, its target is replaced and the link stays. Devices, pipes and open files (/dev/stdout,
 * /proc/self/fd/3) are written directly. The file is not synced: after a power failure the last writes may be lost. The
 * job that made a report reads it, and waiting for a disk takes longer than a small check.
 *
 * arena  arena of the run; only checked with gate_arena_check, nothing is allocated
 * err    GATE_ERR_IO with the path and the system's reason; GATE_ERR_MEMORY if an allocation of the run failed, because
 *        `bytes` may then be incomplete
 */
GATE_MUST_CHECK
bool gate_outfile_write(const char *path, struct gate_str bytes, const struct gate_arena *arena,
                        struct gate_error *err);

/** Like gate_outfile_write, and sync the file to the disk. For files that later runs depend on. */
GATE_MUST_CHECK
bool gate_outfile_keep(const char *path, struct gate_str bytes, const struct gate_arena *arena, struct gate_error *err);

/** A temporary file beside its target. */
struct gate_outfile {
    char *name;     /* name of the temporary file; NULL: there is none */
    char *target;   /* name of the target */
    int descriptor; /* open while the file is being written, else -1 */
};

/**
 * Block the signals that end the program, in this thread and in threads that it starts. Call it while temporary files
 * exist. Undo it with gate_outfile_release.
 */
void gate_outfile_hold(sigset_t *before);

/** Restore the signal mask that gate_outfile_hold saved in `before`. */
void gate_outfile_release(const sigset_t *before);

/**
 * Return the mode of a new file according to the umask. Call it while only one thread runs: it changes the umask for a
 * moment.
 */
mode_t gate_outfile_mode(void);

/**
 * Write `bytes` to a temporary file beside `path`: gate_outfile_write without the final rename. Several threads can
 * write files that then appear together. Call it between gate_outfile_hold and gate_outfile_release.
 *
 * out    uses arena memory; end it with gate_outfile_place or gate_outfile_drop. `name` is NULL if writing failed or if
 *        `path` is not a regular file; no temporary file is left then. Call gate_outfile_write instead, which writes
 *        the file or reports the error
 */
void gate_outfile_begin(struct gate_outfile *out, const char *path, struct gate_str bytes, mode_t mode,
                        struct gate_arena *arena);

/**
 * Create the temporary file beside `path` for writing in steps: gate_outfile_add, then gate_outfile_close. If a step
 * fails, its function returns false and removes the temporary file.
 */
void gate_outfile_open(struct gate_outfile *out, const char *path, mode_t mode, struct gate_arena *arena);

/** Append `bytes` to the temporary file. */
GATE_MUST_CHECK bool gate_outfile_add(struct gate_outfile *file, struct gate_str bytes);

/** Close the temporary file, so that gate_outfile_place can rename it. */
GATE_MUST_CHECK bool gate_outfile_close(struct gate_outfile *file);

/**
 * Rename the temporary file to its target, replacing an existing file. On failure, remove the temporary file.
 *
 * path  name of the file in messages
 * err   GATE_ERR_IO
 */
GATE_MUST_CHECK bool gate_outfile_place(struct gate_outfile *file, const char *path, struct gate_error *err);

/** Remove the temporary file, if there is one, whether it is complete or not. */
void gate_outfile_drop(struct gate_outfile *file);

/** A file that is written in parts, so that nothing holds all of it. */
struct gate_outfile_parts {
    struct gate_outfile file;
    const char *path; /* name of the file in messages */
    sigset_t before;
};

/**
 * Create a temporary file beside `path`. Call it while only one thread runs.
 *
 * Returns false if `path` is not a regular file or if the temporary file cannot be created. Nothing is left then; call
 * gate_outfile_write instead, which writes the file or reports the error. After true, call gate_outfile_parts_end.
 * Until then the signals that end the program are blocked; gate_outfile_parts_add checks for them.
 */
GATE_MUST_CHECK
bool gate_outfile_parts_begin(struct gate_outfile_parts *out, const char *path, struct gate_arena *arena);

/** Append `bytes`. err: GATE_ERR_IO, also if a signal that ends the program is pending. */
GATE_MUST_CHECK
bool gate_outfile_parts_add(struct gate_outfile_parts *out, struct gate_str bytes, struct gate_error *err);

/** Sync the file and rename it to its target if `is_whole` is set; otherwise remove it, return false and leave `err`
 * unchanged. On failure, the temporary file is removed too. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_outfile_parts_end(struct gate_outfile_parts *out, bool is_whole, struct gate_error *err);

/**
 * Check ahead of time that `path` can be written: it is not a directory, and its folder, or the nearest existing one
 * above, is writable. Returns true if that cannot be found out. err: GATE_ERR_IO.
 */
GATE_MUST_CHECK bool gate_outfile_check(const char *path, struct gate_error *err);

/**
 * Set `*replaces` to whether gate_outfile_write would replace `path`: it is a regular file or a link to one. Devices,
 * pipes, open files such as /dev/stdout, and missing or unreachable files give false.
 *
 * Returns false and sets errno if the system cannot say what `path` is. Allocates nothing.
 */
GATE_MUST_CHECK bool gate_outfile_replaces(bool *replaces, const char *path);

#endif
