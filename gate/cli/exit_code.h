/* SPDX-License-Identifier: Apache-2.0 */
/* The exit codes of the program, and the one that follows from a verdict.
 * Pipeline: budget/verdict.h -> cli/exit_code.h -> cli/run.h */
#ifndef GATE_CLI_EXIT_CODE_H
#define GATE_CLI_EXIT_CODE_H

#include "gate/budget/outcome.h"

/** What the program ends with. */
enum gate_exit {
    GATE_EXIT_PASS = 0,
    GATE_EXIT_FAIL = 1,
    GATE_EXIT_ERROR = 2, /* usage, configuration, input or output: nothing was decided */
    GATE_EXIT_INCONCLUSIVE = 3,
    GATE_EXIT_BUG = 70
};

/** The exit code of a verdict with this outcome. */
enum gate_exit gate_exit_code_of(enum gate_outcome outcome);

#endif
