/* SPDX-License-Identifier: Apache-2.0 */
/* What speaks against a baseline from a store: its age, its place, its machine, damage, and kinds that it lacks.
 * Pipeline: cli/accepted.h + store/fitness.h -> cli/accepted_warnings.h -> cli/judge.h */
#ifndef GATE_CLI_ACCEPTED_WARNINGS_H
#define GATE_CLI_ACCEPTED_WARNINGS_H

#include "gate/cli/accepted.h"
#include "gate/guards/warnings.h"

/** The warnings of what was found, as the rules' guards want them, and a note of what it is. err: the arena is full */
GATE_MUST_CHECK
bool gate_accepted_warnings_add(struct gate_warning_list *out, const struct gate_accepted *accepted,
                                const struct gate_rules *rules, struct gate_cli *cli, struct gate_error *err);

#endif
