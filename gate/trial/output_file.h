/* SPDX-License-Identifier: Apache-2.0 */
/* What a program says, kept in a file: a log that stays, or one without a name that is read once.
 * Pipeline: trial/child.h -> trial/output_file.h -> trial/git.h, trial/trial.h */
#ifndef GATE_TRIAL_OUTPUT_FILE_H
#define GATE_TRIAL_OUTPUT_FILE_H

#include "gate/base/str.h"

/** An open file. Close it. */
struct gate_output_file {
    int descriptor;   /* -1: not open; children do not inherit it but as a stream */
    const char *path; /* NULL: it has no name */
};

/** Open it empty; `path` NULL: without a name. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_output_file_open(struct gate_output_file *out, const char *path, struct gate_arena *arena,
                           struct gate_error *err);

/** All of it, of at most 16 MiB: the last ones, of more. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_output_file_read(const struct gate_output_file *file, struct gate_str *out, struct gate_arena *arena,
                           struct gate_error *err);

/** The last lines of a log, for a message: at most `bytes` of them. Empty where there are none. */
struct gate_str gate_output_file_tail(const struct gate_output_file *file, size_t bytes, struct gate_arena *arena);

void gate_output_file_close(struct gate_output_file *file);

#endif
