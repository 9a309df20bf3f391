/* SPDX-License-Identifier: Apache-2.0 */
/* The rules file as data: what a team allows. Parsed from YAML by rules.c on top of yaml.h.
 * Pipeline: YAML -> rules/rules.h -> budget/select.h, budget/verdict.h */
#ifndef GATE_RULES_RULES_H
#define GATE_RULES_RULES_H

#include "gate/compare/evidence.h"
#include "gate/rules/on_inconclusive.h"

enum gate_severity { GATE_SEVERITY_OFF, GATE_SEVERITY_WARN, GATE_SEVERITY_ERROR };

enum gate_budget_measure {
    GATE_MEASURE_SELF,
    GATE_MEASURE_CUMULATIVE,
    GATE_MEASURE_TOTAL,
    GATE_MEASURE_SELF_COST, /* per unit of work */
    GATE_MEASURE_CUMULATIVE_COST,
    GATE_MEASURE_TOTAL_COST
};

enum gate_limit_kind {
    GATE_LIMIT_SHARE_INCREASE, /* value: points of the total, as a fraction (+5pp: 0.05) */
    GATE_LIMIT_INCREASE,       /* value: ratio canary / baseline (+100%, 2x: 2.0) */
    GATE_LIMIT_SHARE,          /* value: share of the canary alone, as a fraction */
    GATE_LIMIT_ABSOLUTE,       /* text and value with its own unit, of the canary alone, per run or unit of work */
    GATE_LIMIT_NEW_FRAME,      /* value: share that a frame absent from the baseline may have */
    GATE_LIMIT_DECREASE        /* value: ratio it must stay below (-10%: 0.9): an optimisation that must not be lost */
};

/** One number of a budget. A limit with both warn and error levels is two of these. */
struct gate_limit {
    enum gate_limit_kind kind;
    enum gate_severity severity;
    double value;
    struct gate_str text; /* as written: "+5pp" */
    uint32_t line, column;
};

struct gate_pattern {
    struct gate_str text;
    struct gate_regex *regex;
};

/** A frame is meant when every given pattern matches and none of `not_` does. NULL regex: not given. */
struct gate_select {
    struct gate_pattern function, package, file, mapping;
    struct gate_pattern not_function, not_package, not_file, not_mapping;
    struct gate_pattern under; /* only stacks that hold a frame whose name matches */
};

struct gate_budget {
    struct gate_str name;
    enum gate_severity severity;
    enum gate_budget_measure measure;
    bool as_group;
    struct gate_str pair;        /* of a run with several: the one it looks at (budget/plan.h); empty: any */
    struct gate_str sample_type; /* a key of sample_types, a type's name, or empty: the run's */
    struct gate_select select;
    struct gate_label_match *where;
    uint32_t where_count;
    struct gate_limit *limits;
    uint32_t limit_count;
    double min_share; /* a frame below this share on both sides is not looked at */
    double max_mde;   /* growth in share that may go unseen; 0: twice the limit; of a ratio limit the larger of both,
                         and growth below it that is not significant is not held against the frame */
    bool must_match;
    enum gate_severity shift; /* what a cost shift does: warn by default */
    uint32_t sustain_k, sustain_n; /* 0: not asked */
    struct gate_str owner, message, reason;
    struct gate_str expires; /* YYYY-MM-DD, or empty */
    struct gate_str source; /* the file that line and column are of: not the rules' own after `extends` */
    uint32_t line, column;
};

struct gate_sample_type_alias {
    struct gate_str key;
    struct gate_str *candidates; /* type/unit; the first one present is taken */
    uint32_t candidate_count;
};

struct gate_guard_rule {
    struct gate_str name; /* a warning's code */
    enum gate_severity severity;
    bool limit_is_given;
    double limit; /* guards.h: a fraction or a ratio */
};

struct gate_rules {
    struct gate_str source; /* a path, or "recommended (built in)" */
    double alpha;           /* family-wise, 0.01 */
    double alpha_margin;    /* 0.05 */
    double min_samples;     /* 500 */
    enum gate_severity severity;
    enum gate_on_inconclusive on_inconclusive;
    struct gate_frame_options frames;
    struct gate_counts_options counts;
    struct gate_str work_unit;
    double work[GATE_SIDES]; /* 0: not told */
    struct gate_sample_type_alias *sample_types;
    uint32_t sample_type_count;
    struct gate_guard_rule *guards;
    uint32_t guard_count;
    struct gate_budget *budgets;
    uint32_t budget_count;
    struct gate_regex **regexes; /* every compiled pattern: for gate_rules_free alone */
    uint32_t regex_count;
};

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
 * err   GATE_ERR_CONFIG with line and column: what was expected, what was found, the nearest valid word
 *
 * O(file). Regular expressions are compiled here; free them with gate_rules_free.
 */
GATE_MUST_CHECK
bool gate_rules_parse(struct gate_rules *out, struct gate_str text, struct gate_str source,
                      const struct gate_rules_reader *reader, struct gate_arena *arena, struct gate_error *err);

/** Parse the embedded preset `name` ("recommended", "strict", ...). */
GATE_MUST_CHECK
bool gate_rules_preset(struct gate_rules *out, const char *name, struct gate_arena *arena, struct gate_error *err);

void gate_rules_free(struct gate_rules *rules);

const char *gate_severity_name(enum gate_severity severity);
const char *gate_budget_measure_name(enum gate_budget_measure measure); /* "self", ... */
const char *gate_limit_kind_name(enum gate_limit_kind kind);            /* "share_increase", ... */

#endif
