/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the presets that apply if no rules are given. */
#ifndef GATE_BUDGET_DEFAULT_RULES_H
#define GATE_BUDGET_DEFAULT_RULES_H

#include "gate/budget/plan.h"

/** Return the preset for a sample type: "heap", "contention", "wall", else "recommended". O(1). */
const char *gate_default_rules_preset(struct gate_str sample_type);

/**
 * Replace `rules`, which is the preset `recommended`, by the presets that fit the inputs. An input's preset follows the
 * sample type that its label names, else the default type of the baseline's first run. With several inputs each
 * preset's budgets apply to its own input and are named "NAME (LABEL)". Budgets whose values an input lacks are left
 * out; if none is left, `recommended` is used.
 *
 * rules       freed by the caller as before; unchanged if `recommended` fits all inputs
 * given_type  sample type of the command line: it decides the preset of every input, and only budgets on it are kept;
 *             or empty
 */
GATE_MUST_CHECK
bool gate_default_rules_choose(struct gate_rules *rules, const struct gate_plan_input *inputs, uint32_t input_count,
                               struct gate_str given_type, struct gate_arena *arena, struct gate_error *err);

/**
 * Complete a named preset, or a file that extends one, for inputs that it is not made for. For example, the budgets of
 * `recommended` on the shares of functions pass a heap that trebled. Inputs of memory, waiting or goroutines get the
 * preset of their type instead, unless a budget of the rules names their pair or a sample type of theirs. Budgets that
 * a file itself adds apply to all inputs, as before.
 *
 * rules       freed by the caller as before; unchanged if no input lacks budgets. The source of a preset names those
 *             added
 * given_type  sample type of the command line, or empty
 */
GATE_MUST_CHECK
bool gate_default_rules_complete(struct gate_rules *rules, const struct gate_plan_input *inputs, uint32_t input_count,
                                 struct gate_str given_type, struct gate_arena *arena, struct gate_error *err);

#endif
