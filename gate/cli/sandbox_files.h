/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a command line, for the sandbox. */
#ifndef GATE_CLI_SANDBOX_FILES_H
#define GATE_CLI_SANDBOX_FILES_H

#include "gate/cli/command.h"

/**
 * Allow the files of a command line in the sandbox (session/sandboxing.h): its outputs can be written, and its words,
 * the checkout and what the system's libraries need can be read. Does nothing if the run has no sandbox for files.
 *
 * options   of the command, after the words were parsed
 * err       GATE_ERR_LIMIT, GATE_ERR_MEMORY
 */
GATE_MUST_CHECK
bool gate_sandbox_files_collect(const struct gate_command *command, const struct gate_options *options,
                                struct gate_session *session, struct gate_error *err);

#endif
