/* SPDX-License-Identifier: Apache-2.0 */
/* What each file of a command line is for, so that standard input is read once, no output is written twice and no input
 * is overwritten. Used by every command between parsing and loading.
 * Pipeline: cli/profile_options.h, cli/judge_options.h, cli/reports.h -> cli/file_roles.h -> cli/input.h */
#ifndef GATE_CLI_FILE_ROLES_H
#define GATE_CLI_FILE_ROLES_H

#include "gate/cli/paths.h"

struct gate_file_role;

/** Zeroed: none yet. Arena memory. */
struct gate_file_roles {
    struct gate_file_role *items;
    size_t count;
    size_t capacity;
    const char *input[2]; /* whose standard input is: more than one is an error, which gate_file_roles_check reports */
    bool output_is_taken;
};

/**
 * Note a file that is read as `role` ("the baseline"), or every profile of a directory. NULL is none, and what cannot
 * be found is left to whoever reads it. err: the arena is full.
 */
GATE_MUST_CHECK
bool gate_file_roles_read(struct gate_file_roles *roles, const char *role, const char *path, struct gate_arena *arena,
                          struct gate_error *err);

/** The same for each of `paths`. */
GATE_MUST_CHECK
bool gate_file_roles_read_all(struct gate_file_roles *roles, const char *role, const struct gate_paths *paths,
                              struct gate_arena *arena, struct gate_error *err);

/** GATE_ERR_USAGE when standard input is to be read twice: says as what. After all that are read. */
GATE_MUST_CHECK bool gate_file_roles_check(const struct gate_file_roles *roles, struct gate_error *err);

/**
 * Note a file that is going to be written; NULL is none. After all that are read.
 *
 * Two names are one file when the system says so (device and inode), or, for a file not there yet, when folder and
 * name are the same. Devices and pipes may be written to twice, standard output ("-") may not.
 *
 * err   GATE_ERR_USAGE an input, or written already
 */
GATE_MUST_CHECK
bool gate_file_roles_write(struct gate_file_roles *roles, const char *path, struct gate_arena *arena,
                           struct gate_error *err);

/** Whether `path` is a file that was noted as read, by whatever name. */
bool gate_file_roles_is_read(const struct gate_file_roles *roles, const char *path, struct gate_arena *arena);

#endif
