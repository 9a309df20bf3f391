/* SPDX-License-Identifier: Apache-2.0 */
/* Reports to files: whole or not at all.
 * Pipeline: the bytes of a report -> cli/outfile.h -> the disk */
#ifndef GATE_CLI_OUTFILE_H
#define GATE_CLI_OUTFILE_H

#include "gate/cli/cli.h"

/**
 * Write `bytes` to `path` ("-": the command's standard output). A regular file is written beside its place and renamed,
 * so that a reader never sees half of it. Of a symbolic link, the file that it leads to is replaced so, and the link
 * stays. A device, a pipe and an open file (/dev/stdout, /proc/self/fd/3) are written to directly.
 *
 * err   GATE_ERR_IO with the path and the system's reason
 */
GATE_MUST_CHECK
bool gate_outfile_write(struct gate_cli *cli, const char *path, struct gate_str bytes, struct gate_error *err);

/**
 * Remove what gate_outfile_write would have replaced: a regular file, or the one that a link leads to. False when it is
 * still there.
 */
GATE_MUST_CHECK bool gate_outfile_remove(struct gate_cli *cli, const char *path);

#endif
