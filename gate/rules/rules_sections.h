/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of a rules file beside the budgets: defaults, frames, own, work, counts, sample types, guards.
 * Pipeline: rules/rules_value.h + rules/guard_rules.h -> rules/rules_sections.h -> rules/rules_parse.h */
#ifndef GATE_RULES_RULES_SECTIONS_H
#define GATE_RULES_RULES_SECTIONS_H

#include "gate/rules/rules_value.h"

/* `field` is the gate_rules that the section belongs to. */
gate_rules_value_fn gate_rules_sections_read_defaults;
gate_rules_value_fn gate_rules_sections_read_sample_types;
gate_rules_value_fn gate_rules_sections_read_frames;
gate_rules_value_fn gate_rules_sections_read_own;
gate_rules_value_fn gate_rules_sections_read_work;
gate_rules_value_fn gate_rules_sections_read_counts;
gate_rules_value_fn gate_rules_sections_read_guards;

extern const struct gate_rules_row gate_rules_sections_defaults[];
extern const struct gate_rules_row gate_rules_sections_frames[];
extern const struct gate_rules_row gate_rules_sections_rename[];
extern const struct gate_rules_row gate_rules_sections_own[];
extern const struct gate_rules_row gate_rules_sections_work[];
extern const struct gate_rules_row gate_rules_sections_counts[];
extern const struct gate_rules_row gate_rules_sections_guard[];

#endif
