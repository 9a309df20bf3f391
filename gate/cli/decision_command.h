/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the command line that repeats a decision, for reports. */
#ifndef GATE_CLI_DECISION_COMMAND_H
#define GATE_CLI_DECISION_COMMAND_H

#include "gate/session/judge.h"
#include "gate/session/reports.h"
#include "gate/session/rules_in_force.h"

/** Words to leave out: those that say how profiles are captured, not how they are judged. */
struct gate_decision_without {
    const struct gate_option_group *const *groups; /* options to leave out, NULL-terminated */
    const struct gate_paths *arguments;            /* arguments to leave out, or NULL */
};

/**
 * Store the command line that repeats this decision, quoted for a shell: "pprofgate check", `dir`, and the words of
 * `session` except those in `without` and "--".
 *
 * dir      folder with the profiles; NULL: the words name them
 * without  NULL: keep every word
 */
GATE_MUST_CHECK
bool gate_decision_command(struct gate_decision *decision, const char *dir, const struct gate_decision_without *without,
                           struct gate_session *session, struct gate_error *err);

#endif
