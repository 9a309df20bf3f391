/* SPDX-License-Identifier: Apache-2.0 */
/* Reports to files, or to the command's standard output.
 * Pipeline: the bytes of a report -> cli/output.h -> base/outfile.h -> the disk */
#ifndef GATE_CLI_OUTPUT_H
#define GATE_CLI_OUTPUT_H

#include "gate/base/outfile.h"
#include "gate/base/sink.h"
#include "gate/cli/cli.h"

/** Write `bytes` to `path` as base/outfile.h does, and make the folders above it; "-" is the command's standard output.
 * err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_output_write(struct gate_cli *cli, const char *path, struct gate_str bytes, struct gate_error *err);

/** The same for what later runs go by, as gate_outfile_keep does it. */
GATE_MUST_CHECK
bool gate_output_keep(struct gate_cli *cli, const char *path, struct gate_str bytes, struct gate_error *err);

/** What is written a part at a time: to a file whole or not at all, as base/outfile.h does it; what goes elsewhere is
 * kept until it is whole. */
struct gate_output_parts {
    struct gate_cli *cli;
    const char *path;
    struct gate_outfile_parts file;
    bool is_file;
    struct gate_buf held;
    struct gate_sink sink; /* takes the parts */
};

/** Ends with gate_output_parts_end where true. While there is one thread. err: GATE_ERR_IO a folder cannot be made */
GATE_MUST_CHECK
bool gate_output_parts_begin(struct gate_output_parts *parts, struct gate_cli *cli, const char *path,
                             struct gate_error *err);

/** What was taken appears where it is whole, else nothing does: then false, and `err` as it was. err: GATE_ERR_IO */
GATE_MUST_CHECK
bool gate_output_parts_end(struct gate_output_parts *parts, bool is_whole, struct gate_error *err);

/** One of several files that belong together. */
struct gate_output_file {
    const char *path; /* NULL: not wanted */
    struct gate_str bytes;
};

/** Write all that are wanted, or none: where one cannot be written, those before it are removed again, but for what is
 * on standard output. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_output_write_all(struct gate_cli *cli, const struct gate_output_file *files, size_t count,
                           struct gate_error *err);

/**
 * Refuse to write what is binary to a terminal, which helps nobody and may upset it: "-" where the command's standard
 * output is one, or the name of one, such as /dev/stdout.
 *
 * path  NULL: nothing is written
 * err   GATE_ERR_USAGE
 */
GATE_MUST_CHECK
bool gate_output_spare_terminal(const struct gate_cli *cli, const char *path, const char *option,
                                struct gate_error *err);

/** Remove what gate_output_write would have replaced; of "-" nothing. False when it is still there, or may be. */
GATE_MUST_CHECK bool gate_output_remove(const char *path);

#endif
