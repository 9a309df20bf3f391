/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of rules files. */
#ifndef GATE_RULES_RULES_PARSE_H
#define GATE_RULES_RULES_PARSE_H

#include "gate/base/error.h"
#include "gate/rules/yaml.h"

/**
 * Reads the files of `extends: PATH`. Paths are relative to the file that contains them. If `read` is NULL, only
 * presets can be extended.
 */
struct gate_rules_reader {
    bool (*read)(void *context, struct gate_str *bytes, struct gate_str path, struct gate_arena *arena,
                 struct gate_error *err);
    void *context;
};

/**
 * Parse a rules file and all files that it extends.
 *
 * text    contents of the file; the rules keep views into it
 * source  path or name of the file, for messages and for relative paths
 * reader  reads extended files; NULL: only presets can be extended
 * err     GATE_ERR_CONFIG with line and column: what was expected and found, and the nearest valid word. The contents
 *         of an extended file are quoted only after it was recognised as a rules file. GATE_ERR_LIMIT, GATE_ERR_MEMORY
 *
 * O(file). Compiles regular expressions; free them with gate_rules_free.
 */
GATE_MUST_CHECK
bool gate_rules_parse(struct gate_rules *out, struct gate_str text, struct gate_str source,
                      const struct gate_rules_reader *reader, struct gate_arena *arena, struct gate_error *err);

/** Parse the built-in preset `name` ("recommended", "strict", ...). err: GATE_ERR_CONFIG if there is no such preset. */
GATE_MUST_CHECK
bool gate_rules_parse_preset(struct gate_rules *out, const char *name, struct gate_arena *arena,
                             struct gate_error *err);

/** Keys of a rules file. Tests compare them with rules/README.md. */
extern const struct gate_rules_row gate_rules_keys[];

#endif
