/* SPDX-License-Identifier: Apache-2.0 */
/* Presets built into the program. */
#ifndef GATE_RULES_PRESET_H
#define GATE_RULES_PRESET_H

#include "gate/base/arena.h"
#include "gate/base/str.h"

/**
 * Return the names of all presets in alphabetical order, NULL-terminated, in arena memory. Returns NULL if the arena is
 * full.
 */
const char *const *gate_preset_names(struct gate_arena *arena);

/**
 * Find the preset `name`.
 *
 * text    contents of the preset; `.ptr` is NULL if there is no such preset
 * source  name for messages, "recommended (built in)"; arena memory
 * err     GATE_ERR_LIMIT, GATE_ERR_MEMORY
 */
GATE_MUST_CHECK
bool gate_preset_find(struct gate_str *text, struct gate_str *source, const char *name, struct gate_arena *arena,
                      struct gate_error *err);

#endif
