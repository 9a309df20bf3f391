/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the rules parser share: the state of one parse, the tables of keys, readers of single values.
 * Private to gate/budget/rules*.c; the outside sees rules/rules.h and rules/rules_keys.h. */
#ifndef GATE_RULES_RULES_PARTS_H
#define GATE_RULES_RULES_PARTS_H

#include "gate/rules/rules.h"
#include "gate/rules/yaml.h"

enum { RULES_EXTENDS_MAX = 8, RULES_FILES_MAX = 64, RULES_TEXT_MAX = 2000, RULES_WORDS_MAX = 40 };

/** A budget while files are still being laid over each other. A limit's severity is OFF until its budget's is known. */
struct rules_draft {
    struct gate_budget budget;
    bool severity_is_given;
    uint32_t file; /* number of the file that wrote it last */
};

struct rules_parse {
    struct gate_rules *rules;
    struct gate_arena *arena;
    struct gate_error *err;
    const struct gate_rules_reader *reader;
    struct rules_draft *drafts;
    size_t draft_count, draft_capacity;
    size_t regex_capacity;
    struct gate_str sources[RULES_EXTENDS_MAX]; /* the chain of extends that led here */
    uint32_t depth;
    uint32_t file; /* number of the file being read */
};

/** Reads the value of a key into the field that its row names. */
typedef bool rules_read_fn(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);

/** A row of a section: a key, who reads its value, and where in the section's struct it goes. */
struct rules_key {
    const char *name; /* NULL ends the table */
    rules_read_fn *read;
    size_t offset;
};

extern const struct rules_key rules_top_keys[];
extern const struct rules_key rules_defaults_keys[];
extern const struct rules_key rules_frames_keys[];
extern const struct rules_key rules_rename_keys[];
extern const struct rules_key rules_work_keys[];
extern const struct rules_key rules_counts_keys[];
extern const struct rules_key rules_guard_keys[];
extern const struct rules_key rules_budget_keys[];
extern const struct rules_key rules_select_keys[];
extern const struct rules_key rules_not_keys[];
extern const struct rules_key rules_limit_keys[];
extern const struct rules_key rules_level_keys[];

#define RULES_ERROR(parse, node, ...) \
    gate_error_set_at((parse)->err, GATE_ERR_CONFIG, (node)->line, (node)->column, __VA_ARGS__)

/** Read every entry of a map by `keys`; unknown keys are errors with the nearest known one. */
GATE_MUST_CHECK bool rules_read_map(struct rules_parse *parse, const struct gate_yaml_node *node,
                                    const struct rules_key *keys, void *target);

/** The name of the key whose value `node` is, for messages. */
struct gate_str rules_key_name(const struct gate_yaml_node *node);

/** "the number 5", "'+5pp'", "a list": what was found, for messages. Returns `out`. */
const char *rules_describe(char out[96], const struct gate_yaml_node *node);

/** " (did you mean 'x'?)", or " (one of x, y)" where nothing is near, or "". Returns `out`. */
const char *rules_hint(char out[400], struct gate_str found, const char *const *words);

/** The value is one of `words` (NULL-terminated); its index in `*index`. */
GATE_MUST_CHECK bool rules_word(struct rules_parse *parse, const struct gate_yaml_node *node,
                                const char *const *words, uint32_t *index);

/** A number with low <= value <= high. */
GATE_MUST_CHECK bool rules_number(struct rules_parse *parse, const struct gate_yaml_node *node, double low, double high,
                                  double *value);

/** [+-]?digits[.digits][e[+-]digits] as a double, times 10^shift, rounded once. False when it is anything else. */
GATE_MUST_CHECK bool rules_decimal(struct gate_str text, int shift, double *value);

/** Text of 1 to RULES_TEXT_MAX bytes; `*text` is arena memory. */
GATE_MUST_CHECK bool rules_text(struct rules_parse *parse, const struct gate_yaml_node *node, struct gate_str *text);

GATE_MUST_CHECK bool rules_expect(struct rules_parse *parse, const struct gate_yaml_node *node,
                                  enum gate_yaml_kind kind, const char *what);

GATE_MUST_CHECK bool rules_pattern(struct rules_parse *parse, const struct gate_yaml_node *node,
                                   struct gate_pattern *pattern);

GATE_MUST_CHECK bool rules_severity_of(struct rules_parse *parse, const struct gate_yaml_node *node,
                                       enum gate_severity *severity);

/* Readers for tables: `field` is the type that the name says. */
bool rules_read_text(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);     /* gate_str */
bool rules_read_line(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);     /* gate_str */
bool rules_read_bool(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);     /* bool */
bool rules_read_pattern(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);  /* gate_pattern */
bool rules_read_severity(struct rules_parse *parse, void *field, const struct gate_yaml_node *node); /* gate_severity */
bool rules_read_share(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);    /* double */
bool rules_read_ratio(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);    /* double */
bool rules_read_points(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);   /* double */

/* Sections; `field` is the gate_rules or gate_budget that the section belongs to. */
bool rules_read_frames(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);
bool rules_read_work(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);
bool rules_read_counts(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);
bool rules_read_sample_types(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);
bool rules_read_guards(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);
bool rules_read_budgets(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);
bool rules_read_select(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);
bool rules_read_limit(struct rules_parse *parse, void *field, const struct gate_yaml_node *node);

/** Names of the presets that the program carries, NULL-terminated; arena memory, NULL when it is full. */
const char *const *rules_preset_names(struct gate_arena *arena);

/** Checks that need a whole budget, for those that the current file wrote. */
GATE_MUST_CHECK bool rules_check_budgets(struct rules_parse *parse);

/** Resolve the severities of every draft and move the budgets into the rules. */
GATE_MUST_CHECK bool rules_settle_budgets(struct rules_parse *parse);

#endif
