/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a command line, for the sandbox. */
#ifndef GATE_CLI_SANDBOX_FILES_H
#define GATE_CLI_SANDBOX_FILES_H

#include "gate/cli/options.h"
#include "gate/session/session.h"

/** What a command writes. */
struct gate_sandbox_writes {
    bool has_outputs;   /* reports and other outputs, and the summary of a GitHub job */
    bool changes_store; /* the store of --store */
    bool has_verdict;   /* $GITHUB_OUTPUT */
};

/**
 * Allow the files of a command line in the sandbox (session/sandboxing.h): its outputs can be written, and its words,
 * the checkout and what the system's libraries need can be read. Does nothing if the run has no sandbox for files.
 *
 * options   of the command, after the words were parsed
 * err       GATE_ERR_LIMIT, GATE_ERR_MEMORY
 */
GATE_MUST_CHECK
bool gate_sandbox_files_collect(const struct gate_sandbox_writes *writes, const struct gate_options *options,
                                struct gate_session *session, struct gate_error *err);

#endif
