/* SPDX-License-Identifier: Apache-2.0 */
/* The exit code of a verdict (see exit_code.h). */
#include "gate/cli/exit_code.h"

enum gate_exit gate_exit_code_of(enum gate_outcome outcome) {
    switch (outcome) {
    case GATE_OUTCOME_FAIL:
        return GATE_EXIT_FAIL;
    case GATE_OUTCOME_INCONCLUSIVE:
        return GATE_EXIT_INCONCLUSIVE;
    case GATE_OUTCOME_PROVEN:
    case GATE_OUTCOME_PASS:
    case GATE_OUTCOME_WARN:
        return GATE_EXIT_PASS;
    }
    return GATE_EXIT_BUG;
}
