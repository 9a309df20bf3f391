/* SPDX-License-Identifier: Apache-2.0 */
/* What no budget can see of a judged comparison, and what is new in it: a regression may hide there.
 * Pipeline: compare/unseen.h + guards/guard_check.h -> guards/guards_unseen.h -> guards/guards.h */
#ifndef GATE_GUARDS_GUARDS_UNSEEN_H
#define GATE_GUARDS_GUARDS_UNSEEN_H

#include "gate/guards/guard_check.h"

gate_guard_check_fn gate_guards_unseen_hidden;
gate_guard_check_fn gate_guards_unseen_new_names;

#endif
