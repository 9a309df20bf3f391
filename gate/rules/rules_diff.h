/* SPDX-License-Identifier: Apache-2.0 */
/* What two rules files say differently, by name: for who reviews a change of the rules.
 * Pipeline: rules/rules.h -> rules/rules_diff.h -> cli/rulefile.h */
#ifndef GATE_RULES_RULES_DIFF_H
#define GATE_RULES_RULES_DIFF_H

#include "gate/rules/rules.h"

/**
 * "budget 'no function doubles': error → warn, limit increase +100% → 5x; guard 'unseen': error → off": budgets that
 * are gone, milder, or have other limits, days or selections, new ones, guards, defaults, and the sections that
 * changed. At most GATE_RULES_DIFF_MAX things, then how many more.
 *
 * before, after  parsed and not yet spread over pairs
 *
 * Arena memory; empty where nothing that decides differs; `.ptr` NULL: the arena is full. O(budgets²).
 */
struct gate_str gate_rules_diff(const struct gate_rules *before, const struct gate_rules *after,
                                struct gate_arena *arena);

enum { GATE_RULES_DIFF_MAX = 12 };

#endif
