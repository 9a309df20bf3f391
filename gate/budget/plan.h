/* SPDX-License-Identifier: Apache-2.0 */
/* Plans and makes the comparisons that a rules file needs. */
#ifndef GATE_BUDGET_PLAN_H
#define GATE_BUDGET_PLAN_H

#include "gate/compare/comparison.h"
#include "gate/compare/work.h"
#include "gate/model/limits.h"
#include "gate/rules/rules.h"

/** The runs of one `--pair LABEL=BASELINE,CANARY`, or of the two positional sides (empty label). */
struct gate_plan_input {
    struct gate_str label;
    const struct gate_run_input *runs[GATE_SIDES];
    uint32_t counts[GATE_SIDES];
    const struct gate_label_match *part; /* only samples with this label value (budget/by.h); NULL: all */
    bool same;                           /* both sides are byte-identical */
    struct gate_str kind;                /* kind of profile, from its name or a manifest: "wall"; empty: unknown */
    struct gate_str void_types; /* types with this prefix cannot be compared: "inuse_" if the profile covers a period;
                                   empty: all types can */
    bool is_half;               /* one of two inputs that one capture was split into: a budget for either is enough */
    double work[GATE_SIDES];    /* work of these runs alone; 0: the work given for all inputs applies */
    const struct gate_work *given_work; /* the work as given, also by label; or NULL */
};

struct gate_plan_options {
    struct gate_str sample_type;    /* for budgets without a sample type; empty: the baseline's default */
    struct gate_label_filter where; /* applied to every comparison, in addition to a budget's own filter */
    struct gate_frame_options frames;
    struct gate_counts_options counts;
    bool is_series; /* all runs are on the baseline side, so no function is folded */
};

/**
 * Replace the runs by copies whose `cpu` is the CPU time that the system counted (formats/counted_cpu.h), if every run
 * of all lists has that count. Otherwise nothing changes: by two clocks, equal builds would differ.
 *
 * runs, counts  of each list; `runs` are replaced
 * err           errors of gate_counted_cpu_apply, with the path in front
 *
 * O(samples * depth).
 */
GATE_MUST_CHECK
bool gate_plan_count_cpu(const struct gate_run_input *runs[], const uint32_t counts[], int lists,
                         const struct gate_limits *limits, struct gate_arena *arena, struct gate_error *err);

/**
 * Return whether a Go heap profile has no sample of memory in use on one side. Go samples one object per 512 kB
 * allocated, so a small heap may have none. Memory in use can then not be compared, and `inuse_space` counts as
 * missing. False for allocations of a window, whose memory in use is a difference.
 *
 * is_much  if not NULL, set to true if the baseline has no such sample and the canary ten or more
 */
bool gate_plan_has_nothing_in_use(const struct gate_plan_input *input, bool *is_much);

/** Return whether a side has a comparable sample type for `type`, and set `*found` to it. */
bool gate_plan_side_holds(struct gate_value_type *found, const struct gate_plan_input *input, enum gate_side_name side,
                          struct gate_str type);

/** Return whether both sides have a comparable sample type for `type` (as in gate_sample_type_find). */
bool gate_plan_holds(const struct gate_plan_input *input, struct gate_str type);

/** Return "NAME{KEY=VALUE,...}" of the labels `where` and `part` (may be NULL). `.ptr` is NULL if `arena` is full. */
struct gate_str gate_plan_name(struct gate_str name, const struct gate_label_match *where, uint32_t count,
                               const struct gate_label_match *part, struct gate_arena *arena);

/**
 * Set `*out` to the sample type that `budget` needs from `input`; empty: the default. `given_type` is the sample type
 * of the command line, or empty. Returns false if the input does not have it.
 */
bool gate_plan_type(struct gate_str *out, const struct gate_rules *rules, const struct gate_budget *budget,
                    const struct gate_plan_input *input, struct gate_str given_type);

/**
 * The comparisons made. Budget i of the rules applies to comparisons[budget_comparison[i]]; GATE_NO_INDEX: no input has
 * its sample type.
 */
struct gate_plan {
    struct gate_comparison *comparisons;
    uint32_t comparison_count;
    uint32_t *budget_comparison;
};

/** Make every comparison that a budget with a severity other than off needs, and at least one, so that a report is not
 * empty. Fills name, pair, deltas, part, work, same_input and is_filtered of each. O(comparisons * bytes of samples).
 * err: as gate_pair_make and gate_delta_fold; GATE_ERR_INPUT the profiles lack symbols. */
GATE_MUST_CHECK
bool gate_plan_make(struct gate_plan *out, const struct gate_rules *rules, const struct gate_plan_input *inputs,
                    uint32_t input_count, const struct gate_plan_options *options, struct gate_arena *arena,
                    struct gate_error *err);

/** Assign every budget to the pairs that its sample type names, else to those that have its type; to all pairs if it
 * has no type. With several pairs it becomes one budget per pair, named "NAME (LABEL)". `out` is a copy that shares the
 * patterns of `rules`. Budgets of a built-in preset whose values no input has are left out, unless none would remain.
 * Otherwise inputs without a label change nothing. err: GATE_ERR_CONFIG no budget applies to a pair, so it would pass
 * unchecked (of two halves of one capture, one may have none); GATE_ERR_LIMIT. */
GATE_MUST_CHECK
bool gate_plan_spread(struct gate_rules *out, const struct gate_rules *rules, const struct gate_plan_input *inputs,
                      uint32_t input_count, struct gate_arena *arena, struct gate_error *err);

/** A sample type of a budget that one side of an input lacks. */
struct gate_plan_missing {
    struct gate_str label; /* of the input */
    struct gate_str type;  /* as the other side has it */
    enum gate_side_name side;
};

/**
 * Find sample types that budgets of `rules` (after gate_plan_spread) need and that only one side has. Such a budget
 * uses the next type of its alias, or none. One item per budget and input; several may be equal.
 *
 * given_type  sample type of the command line, which replaces the one that the input's label names; or empty
 *
 * O(budgets * inputs * sample types).
 */
GATE_MUST_CHECK
bool gate_plan_find_missing(struct gate_plan_missing **out, uint32_t *count, const struct gate_rules *rules,
                            const struct gate_plan_input *inputs, uint32_t input_count, struct gate_str given_type,
                            struct gate_arena *arena, struct gate_error *err);

#endif
