/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of what a command line names: a file, the command's standard input for "-", or what was
 * asked of a store before. That this is read once is
 * checked before (cli/file_roles.h).
 * Pipeline: cli/file_roles.h -> cli/input.h -> cli/load_sides.h, cli/rulefile.h, cli/judge.h */
#ifndef GATE_CLI_INPUT_H
#define GATE_CLI_INPUT_H

#include "gate/cli/cli.h"
#include "gate/profile/load.h"

/**
 * All of it, in `arena`. "-" is `cli->in`, which tests hand in, and not the process's.
 *
 * err   GATE_ERR_IO; GATE_ERR_LIMIT more than limits->compressed_bytes. Messages do not hold the input's name.
 */
GATE_MUST_CHECK
bool gate_input_read(struct gate_str *bytes, const struct gate_cli *cli, const char *path,
                     const struct gate_limits *limits, struct gate_arena *arena, struct gate_error *err);

/** The bytes of a small configuration file, such as rules or a noise model: at most 1 MiB. */
GATE_MUST_CHECK
bool gate_input_read_small(struct gate_str *bytes, const struct gate_cli *cli, const char *path,
                           struct gate_arena *arena, struct gate_error *err);

/** What is kept under that name in `cli`; NULL: nothing, so that it is a file. */
const struct gate_cli_kept *gate_input_kept(const struct gate_cli *cli, const char *path);

/** False, with what to do, where `path` is the address of a store that nobody asked. err: GATE_ERR_INPUT. */
GATE_MUST_CHECK bool gate_input_check(const char *path, struct gate_error *err);

/** How messages call it: its path, or "standard input". */
const char *gate_input_name(const char *path);

#endif
