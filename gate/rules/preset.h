/* SPDX-License-Identifier: Apache-2.0 */
/* The presets that the program carries: names and bytes of rules/NAME.yml.
 * Pipeline: base/embedded.h -> rules/preset.h -> rules/rules_parse.h */
#ifndef GATE_RULES_PRESET_H
#define GATE_RULES_PRESET_H

#include "gate/base/arena.h"
#include "gate/base/str.h"

/** Their names, NULL-terminated, in the order of the alphabet; arena memory, NULL when it is full. */
const char *const *gate_preset_names(struct gate_arena *arena);

/**
 * Find the preset `name`.
 *
 * text    the file; `.ptr` NULL where there is no such preset
 * source  "recommended (built in)": arena memory
 * err     GATE_ERR_LIMIT, GATE_ERR_MEMORY
 */
GATE_MUST_CHECK
bool gate_preset_find(struct gate_str *text, struct gate_str *source, const char *name, struct gate_arena *arena,
                      struct gate_error *err);

#endif
