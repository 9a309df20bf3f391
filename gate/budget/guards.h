/* SPDX-License-Identifier: Apache-2.0 */
/* Guards against comparing what cannot be compared: each a named warning that the rules can raise to an error.
 * Pipeline: budget/verdict.h (a comparison) + budget/budget.h -> budget/guards.h -> warnings of the verdict */
#ifndef GATE_BUDGET_GUARDS_H
#define GATE_BUDGET_GUARDS_H

#include "gate/budget/verdict.h"

/** Names of all guards, NULL-terminated: the keys of `guards:` and the codes of the warnings. */
extern const char *const gate_guard_names[];

#endif
