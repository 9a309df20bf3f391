/* SPDX-License-Identifier: Apache-2.0 */
/* The program as a function: everything `main` does, with its streams handed in, so that tests run it in process. */
#ifndef GATE_CLI_RUN_H
#define GATE_CLI_RUN_H

#include "gate/cli/exit_code.h"

#include <stdio.h>

/** Run one command line. `argv[0]` is the program's name. Returns the exit status, an enum gate_exit. */
int gate_run(int argc, const char *const *argv, FILE *in, FILE *out, FILE *err);

/** The same for a process that does nothing else: it gives up for good what the command does not need of the network
 * and of programs (cli/sealing.h). */
int gate_run_alone(int argc, const char *const *argv, FILE *in, FILE *out, FILE *err);

#endif
