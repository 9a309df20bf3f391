/* SPDX-License-Identifier: Apache-2.0 */
/* Single values of a rules file: words, numbers, texts, patterns, maps by a table of keys, and how mistakes are told.
 * Pipeline: rules/yaml.h + rules/amount.h -> rules/rules_value.h -> rules/rules_limit.h, rules/rules_sections.h, ... */
#ifndef GATE_RULES_RULES_VALUE_H
#define GATE_RULES_RULES_VALUE_H

#include "gate/rules/rules.h"
#include "gate/rules/yaml.h"

enum { GATE_RULES_TEXT_MAX = 2000, GATE_RULES_WORDS_MAX = 40, GATE_RULES_HINT_BYTES = 640 };

/** One parse, and the file that is being read. */
struct gate_rules_state {
    struct gate_rules *rules; /* compiled patterns are kept here, to be freed */
    struct gate_arena *arena;
    struct gate_error *err;
    size_t regex_capacity;
    struct gate_str source; /* of the file being read */
    uint32_t file;          /* its number: files are laid over each other */
    uint32_t extends_line;  /* of the first file, where it names what is being read; 0: it is the one being read */
};

/** Reads the value of a key into the field that its row names. */
typedef bool gate_rules_value_fn(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node);

/** A row of a section: a key, who reads its value, and where in the section's struct it goes. */
struct gate_rules_row {
    const char *name; /* NULL ends the table */
    gate_rules_value_fn *read;
    size_t offset;
};

#define GATE_RULES_ERROR(state, node, ...)                                                                             \
    gate_error_set_at((state)->err, GATE_ERR_CONFIG, (node)->line, (node)->column, __VA_ARGS__)

/** The name of the key whose value `node` is, for messages. */
struct gate_str gate_rules_value_key(const struct gate_yaml_node *node);

/** "the number 5", "'+5pp'", "a list": what was found, for messages. Returns `out`. */
const char *gate_rules_value_found(char out[96], const struct gate_yaml_node *node);

/** " (did you mean 'x'?)", or " (one of: x, y)" where nothing is near, or "". Returns `out`. */
const char *gate_rules_value_hint(char out[GATE_RULES_HINT_BYTES], struct gate_str found, const char *const *words);

GATE_MUST_CHECK bool gate_rules_value_expect(struct gate_rules_state *state, const struct gate_yaml_node *node,
                                             enum gate_yaml_kind kind, const char *what);

/** Read every entry of a map by `keys`; unknown keys are errors with the nearest known one. */
GATE_MUST_CHECK bool gate_rules_value_map(struct gate_rules_state *state, const struct gate_yaml_node *node,
                                          const struct gate_rules_row *keys, void *target);

/** The value is one of `words` (NULL-terminated); its index in `*index`. */
GATE_MUST_CHECK bool gate_rules_value_word(struct gate_rules_state *state, const struct gate_yaml_node *node,
                                           const char *const *words, uint32_t *index);

/** A number with low <= value <= high. */
GATE_MUST_CHECK bool gate_rules_value_number(struct gate_rules_state *state, const struct gate_yaml_node *node,
                                             double low, double high, double *value);

/* Readers for tables of keys: `field` is of the type that the comment says. */
gate_rules_value_fn gate_rules_value_text;     /* gate_str: 1 to GATE_RULES_TEXT_MAX bytes, not only blanks */
gate_rules_value_fn gate_rules_value_line;     /* gate_str: the same without control characters */
gate_rules_value_fn gate_rules_value_bool;     /* bool */
gate_rules_value_fn gate_rules_value_pattern;  /* gate_pattern */
gate_rules_value_fn gate_rules_value_severity; /* gate_severity */
gate_rules_value_fn gate_rules_value_share;    /* double: "0.5%" */
gate_rules_value_fn gate_rules_value_ratio;    /* double: "2x" */
gate_rules_value_fn gate_rules_value_days;     /* double: "30d" */
gate_rules_value_fn gate_rules_value_points;   /* double: "10pp" */

#endif
