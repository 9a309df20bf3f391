/* SPDX-License-Identifier: Apache-2.0 */
/* The rules file as data: what a team allows.
 * Pipeline: rules/rules_parse.h -> rules/rules.h -> guards/guards.h, budget/select.h, budget/verdict.h */
#ifndef GATE_RULES_RULES_H
#define GATE_RULES_RULES_H

#include "gate/compare/evidence.h"
#include "gate/rules/budget_measure.h"
#include "gate/rules/limit.h"
#include "gate/rules/on_inconclusive.h"
#include "gate/rules/severity.h"
#include "gate/rules/trend_terms.h"
#include "gate/rules/try_rules.h"

/** `defaults.min_samples` of a file that does not say it. */
enum { GATE_RULES_MIN_SAMPLES = 100 };

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
    enum gate_trend_of of;   /* of a trend: which cost */
    enum gate_trend_per per; /* and per what its limit is */
    bool as_group;
    struct gate_str pair;        /* of a run with several: the one it looks at (budget/plan.h); empty: any */
    struct gate_str sample_type; /* a key of sample_types, a type's name, or empty: the run's */
    struct gate_select select;
    struct gate_label_match *where;
    uint32_t where_count;
    const struct gate_label_match *part; /* the value of --by that it looks at (budget/by.h); NULL: all samples */
    struct gate_limit *limits;
    uint32_t limit_count;
    double min_share; /* a frame below this share on both sides is not looked at */
    double max_mde;   /* growth in share that may go unseen; 0: twice the limit; of a ratio limit the larger of both,
                         and growth below it that is not significant is not held against the frame */
    bool must_match;
    bool requires_work;            /* left out where the work done is not told */
    enum gate_severity shift;      /* what a cost shift does: warn by default */
    uint32_t sustain_k, sustain_n; /* 0: not asked */
    struct gate_str owner, message, reason;
    struct gate_str expires; /* YYYY-MM-DD, or empty */
    struct gate_str source;  /* the file that line and column are of: not the rules' own after `extends` */
    uint32_t line, column;
    uint32_t extends_line; /* of the rules' own file, where its `extends` brought the budget; 0: that file wrote it */
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

/** Sections of a file that are compared as they are written (rules/rules_diff.h). */
enum { GATE_RULES_SECTIONS = 6, GATE_RULES_SECTION_BYTES = 32 };

/** Their names, in order. */
extern const char *const gate_rules_section_names[GATE_RULES_SECTIONS];

struct gate_rules {
    bool is_default;        /* nobody asked for these: budget/default_rules.h may choose others */
    struct gate_str source; /* a path, or "recommended (built in)" */
    struct gate_str digest; /* SHA-256, as hex, of the bytes of all files that these were read from, in the order in
                               which they were laid over each other; empty: they were not read (gate_rules_digest) */
    uint8_t sections[GATE_RULES_SECTIONS][GATE_RULES_SECTION_BYTES]; /* digests of what all files say there; zero: none
                                                                       does */
    double alpha;                                                    /* family-wise, 0.01 */
    double alpha_margin;                                             /* 0.05 */
    double min_samples;                                              /* GATE_RULES_MIN_SAMPLES */
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
    struct gate_try_rules trial; /* the section `try` */
    struct gate_regex **regexes; /* every compiled pattern: for gate_rules_free alone */
    uint32_t regex_count;
};

/** Free the compiled patterns; the rest is arena memory. */
void gate_rules_free(struct gate_rules *rules);

#endif
