/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a command line reads and writes, so that none is written twice and no input is overwritten.
 * Used by the commands between parsing (cli/request.h, cli/reports.h) and loading. */
#ifndef GATE_CLI_OVERWRITE_H
#define GATE_CLI_OVERWRITE_H

#include "gate/cli/request.h"

struct gate_overwrite_file;

/** Zeroed: none yet. Arena memory. */
struct gate_overwrite {
    struct gate_overwrite_file *items;
    size_t count;
    size_t capacity;
};

/** Note a file that is read, or every profile of a directory; NULL and "-" are none. */
GATE_MUST_CHECK
bool gate_overwrite_read(struct gate_overwrite *places, const char *path, struct gate_arena *arena, struct gate_error *err);

/** Note every profile of a request, also the positional ones that gate_request_finish did not deal out. */
GATE_MUST_CHECK
bool gate_overwrite_read_request(struct gate_overwrite *places, const struct gate_request *request, struct gate_arena *arena,
                              struct gate_error *err);

/**
 * Note a file that is going to be written; NULL and "-" are none. After all that are read.
 *
 * Two names are one file when the system says so (device and inode), or, for a file not there yet, when folder and
 * name are the same. Devices and pipes may be written to twice.
 *
 * err   GATE_ERR_USAGE an input, or written already
 */
GATE_MUST_CHECK
bool gate_overwrite_write(struct gate_overwrite *places, const char *path, struct gate_arena *arena, struct gate_error *err);

#endif
