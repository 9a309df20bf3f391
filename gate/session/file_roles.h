/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a command line reads and writes, so that no output overwrites an input. Which existing files an output
 * may replace. */
#ifndef GATE_SESSION_FILE_ROLES_H
#define GATE_SESSION_FILE_ROLES_H

#include "gate/base/error.h"
#include "gate/base/own_mark.h"
#include "gate/capture/paths.h"
#include "gate/session/session.h"

struct gate_file_role;

/** All zero: no files. Allocated from an arena. */
struct gate_file_roles {
    struct gate_file_role *items;
    size_t count;
    size_t capacity;
    const char *input[2]; /* roles of inputs that are standard input; two are an error (gate_file_roles_check) */
    bool output_is_taken;
    bool is_refused; /* an output was refused; the error names its file */
    bool is_ended;   /* set by gate_file_roles_end */
};

/**
 * Add a file that is read, or every profile of a directory. Does nothing if `path` is NULL. Ignores a path that does
 * not exist: its reader reports that.
 *
 * role   what the file is, for messages: "the baseline"
 */
GATE_MUST_CHECK
bool gate_file_roles_read(struct gate_file_roles *roles, const char *role, const char *path, struct gate_arena *arena,
                          struct gate_error *err);

/** Call gate_file_roles_read for each of `paths`. */
GATE_MUST_CHECK
bool gate_file_roles_read_all(struct gate_file_roles *roles, const char *role, const struct gate_paths *paths,
                              struct gate_arena *arena, struct gate_error *err);

/** Add one regular file that is read. It need not exist yet. Does nothing if `path` is NULL. */
GATE_MUST_CHECK
bool gate_file_roles_read_file(struct gate_file_roles *roles, const char *path, struct gate_arena *arena,
                               struct gate_error *err);

/** Add the manifest of a captured folder, whether it exists or not, and the profiles that it names. Does nothing if
 * `folder` is NULL. */
GATE_MUST_CHECK
bool gate_file_roles_read_folder(struct gate_file_roles *roles, const char *folder, struct gate_arena *arena,
                                 struct gate_error *err);

/** Check that standard input is read once at most. Call it after all inputs are added. err: GATE_ERR_USAGE names the
 * two roles. */
GATE_MUST_CHECK bool gate_file_roles_check(const struct gate_file_roles *roles, struct gate_error *err);

/**
 * Add a file that will be written. Does nothing if `path` is NULL. Call it after all inputs are added.
 *
 * Two names are the same file if device and inode are equal. If the file does not exist yet, folder and name are
 * compared. Devices and pipes may be written to twice; standard output ("-") may not.
 *
 * mark  format of the output; an existing file is replaced only if pprofgate wrote it in that format, or with --force
 *       (gate_own_file_check)
 * err   GATE_ERR_USAGE if the file is an input (also with --force), is another output, or was not written by pprofgate
 */
GATE_MUST_CHECK
bool gate_file_roles_write(struct gate_file_roles *roles, const char *path, enum gate_own_mark mark,
                           struct gate_session *session, struct gate_error *err);

/** Mark the command line as valid: every output was added. Returns true. */
bool gate_file_roles_end(struct gate_file_roles *roles);

/** Return whether the outputs of a run that failed with `err` were certainly meant as outputs. In an invalid command
 * line an output option may have taken an input: `--html BASELINE CANARY`. */
bool gate_file_roles_are_certain(const struct gate_file_roles *roles, const struct gate_error *err);

/** Return whether `path` is a file that was added as an input, under any name. */
bool gate_file_roles_is_read(const struct gate_file_roles *roles, const char *path, struct gate_arena *arena);

/* ---- which existing files an output may replace --------------------------------------------------------------------
 *
 * Only files that pprofgate wrote, in the same format. */

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
