/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that turn the gate off without saying so: what no reader of a green run would expect of them.
 * Pipeline: rules/rules.h -> rules/toothless.h -> cli/judge.h, `pprofgate validate` */
#ifndef GATE_RULES_TOOTHLESS_H
#define GATE_RULES_TOOTHLESS_H

#include "gate/rules/rules.h"

/**
 * "by these rules no run can fail: every budget only warns": no budget of severity error has a limit of that severity
 * that a cost could pass; names, or what is the program's own, are rewritten whatever they are; frames are so coarse
 * that a function is not seen; the work told in the file differs by more than GATE_TOOTHLESS_WORK.
 *
 * Arena memory; empty: nothing is to be said; `.ptr` NULL: the arena is full.
 */
struct gate_str gate_toothless_rules(const struct gate_rules *rules, struct gate_arena *arena);

/** Loads of both sides of a gate are like each other. */
#define GATE_TOOTHLESS_WORK 10.0

#endif
