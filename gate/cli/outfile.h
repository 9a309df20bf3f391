/* SPDX-License-Identifier: Apache-2.0 */
/* Reports to files: whole or not at all. */
#ifndef GATE_CLI_OUTFILE_H
#define GATE_CLI_OUTFILE_H

#include "gate/cli/cli.h"

/**
 * Write `bytes` to `path` ("-": the command's standard output). A regular file is written beside its place and renamed,
 * so that a reader never sees half of it; a device or a pipe is written to directly.
 *
 * err   GATE_ERR_IO with the path and the system's reason
 */
GATE_MUST_CHECK
bool gate_outfile_write(struct gate_cli *cli, const char *path, struct gate_str bytes, struct gate_error *err);

#endif
