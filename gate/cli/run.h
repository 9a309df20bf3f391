/* SPDX-License-Identifier: Apache-2.0 */
/* The program as a function: everything `main` does, with its streams handed in, so that tests run it in process. */
#ifndef GATE_CLI_RUN_H
#define GATE_CLI_RUN_H

#include <stdio.h>

/** Exit statuses; the worst wins. */
enum gate_exit {
    GATE_EXIT_PASS = 0,
    GATE_EXIT_FAIL = 1,
    GATE_EXIT_ERROR = 2, /* usage, configuration, input or I/O */
    GATE_EXIT_INCONCLUSIVE = 3,
    GATE_EXIT_BUG = 70
};

/** Run one command line. `argv[0]` is the program's name. Returns the exit status. */
int gate_run(int argc, const char *const *argv, FILE *in, FILE *out, FILE *err);

#endif
