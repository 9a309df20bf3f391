/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a rules file: its version, what it extends, its sections, and what the file as a whole must be.
 * Pipeline: bytes -> rules/yaml.h -> rules/rules_parse.h -> rules/rules.h */
#ifndef GATE_RULES_RULES_PARSE_H
#define GATE_RULES_RULES_PARSE_H

#include "gate/rules/rules_value.h"

/** How `extends: PATH` is read: relative to the file that says it. NULL `read`: only presets. */
struct gate_rules_reader {
    bool (*read)(void *context, struct gate_str *bytes, struct gate_str path, struct gate_arena *arena,
                 struct gate_error *err);
    void *context;
};

/**
 * Parse a rules file.
 *
 * text  the file; views into it stay in the rules
 * err   GATE_ERR_CONFIG with line and column: what was expected, what was found, the nearest valid word. What an
 *       extended file holds is quoted only once it is known to be a rules file.
 *
 * O(file). Regular expressions are compiled here; free them with gate_rules_free.
 */
GATE_MUST_CHECK
bool gate_rules_parse(struct gate_rules *out, struct gate_str text, struct gate_str source,
                      const struct gate_rules_reader *reader, struct gate_arena *arena, struct gate_error *err);

/** Parse the embedded preset `name` ("recommended", "strict", ...). */
GATE_MUST_CHECK
bool gate_rules_parse_preset(struct gate_rules *out, const char *name, struct gate_arena *arena,
                             struct gate_error *err);

extern const struct gate_rules_row gate_rules_parse_keys[];

#endif
