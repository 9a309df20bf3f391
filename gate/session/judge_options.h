/* SPDX-License-Identifier: Apache-2.0 */
/* Options of commands that reach a verdict: work, noise models, earlier canaries. */
#ifndef GATE_SESSION_JUDGE_OPTIONS_H
#define GATE_SESSION_JUDGE_OPTIONS_H

#include "gate/budget/call_trees.h"
#include "gate/compare/cost.h"
#include "gate/compare/error_spending.h"
#include "gate/compare/work.h"
#include "gate/guards/guard_check.h"
#include "gate/session/file_roles.h"

/* ---- --work: what each run did while it was captured ------------------------------------------------------------- */

/**
 * Add the numbers in `text` as the work of one side, as an environment variable has them: "N1,N2".
 *
 * name   of the variable or option, for messages
 * err    GATE_ERR_USAGE, with `name` in front
 */
GATE_MUST_CHECK
bool gate_work_option_text(struct gate_work *work, enum gate_side_name side, const char *name, const char *text,
                           struct gate_arena *arena, struct gate_error *err);

/** Add the value of --work to `work`: "baseline=N", "canary=N1,N2,N3" (one per run) or "canary:LABEL=VALUE:N". err:
 * GATE_ERR_USAGE, with `name` in front. */
GATE_MUST_CHECK
bool gate_work_option_sides(struct gate_work *work, const char *name, const char *text, struct gate_arena *arena,
                            struct gate_error *err);

/** Add work of runs that have no side: "N1,N2" or "LABEL=VALUE:N1,N2". It is stored as work of the baseline. err:
 * GATE_ERR_USAGE, with `name` in front. */
GATE_MUST_CHECK
bool gate_work_option_good_runs(struct gate_work *work, const char *name, const char *text, struct gate_arena *arena,
                                struct gate_error *err);

/**
 * Read a YAML or JSON map with the keys `baseline` and `canary`, or `runs` for runs without sides. Each value is a
 * number, a list of one number per run, or a map. A map has `total` (a number or list) and a label whose values map to
 * numbers or lists:
 *
 *     baseline: {total: [39752, 40120], endpoint: {/search: [12000, 11800], /cart: [900, 950]}}
 *
 * New counts replace those in `work` for the same side and label. O(bytes).
 *
 * err   GATE_ERR_CONFIG with line and column
 */
GATE_MUST_CHECK
bool gate_work_file_read(struct gate_work *work, struct gate_str text, struct gate_arena *arena,
                         struct gate_error *err);

/** Add the work in a file (gate_work_file_read); "-" is standard input. The file's entries come before those already in
 * `work`. err: names the file, with line and column. */
GATE_MUST_CHECK
bool gate_work_option_file(struct gate_work *work, struct gate_session *session, const char *path,
                           struct gate_error *err);

/* ---- the options ------------------------------------------------------------------------------------------------- */

struct gate_stored_baseline;

struct gate_rules_from;

/** All zero: no options. */
struct gate_judge_options {
    struct gate_work work;        /* work from options and environment */
    const char *work_file;        /* file with more work, or NULL */
    enum gate_equal equal;        /* what both sides have equal; GATE_EQUAL_UNKNOWN: as in the rules */
    struct gate_paths noise;      /* files with noise models */
    struct gate_rules_from *from; /* revision that rules and models are read from (session/rules_in_force.h); or NULL */
    struct gate_paths history;    /* earlier canaries of this change, oldest first; files only, once finished */
    struct gate_str judged_by; /* digest of the rules by which a captured folder was judged while it was taken; empty:
                                  it was not */
    struct gate_looks looks;   /* number of this look; not an option: set by callers that judge repeatedly */
    const struct gate_stored_baseline *accepted; /* baseline of a store (session/stored_baseline.h); NULL: of none */
    const struct gate_str *left_out; /* sentences on rounds that are not compared (session/manifest_dir.h) */
    uint32_t left_out_count;
    const struct gate_str *missing; /* sentences on kinds of profile that only one side has (guard missing_kind) */
    uint32_t missing_count;
    struct gate_warning_list taken;   /* warnings about how the runs of a folder were taken (session/manifest_dir.h) */
    struct gate_str command;          /* command line that repeats this run */
    bool draws_trees;                 /* the reports need call trees */
    bool walks_stacks;                /* the reports need stacks besides call trees */
    struct gate_background_task task; /* work for the reports, done in the background while the budgets are decided */
};

/** Add the files that the options name to `roles`. */
GATE_MUST_CHECK
bool gate_judge_options_note(const struct gate_judge_options *options, struct gate_file_roles *roles,
                             struct gate_arena *arena, struct gate_error *err);

/** List the work of the canary alone, from the options, the file and the environment, for a run that compares nothing.
 * A single number is the total of `runs` runs of a kind; each of `files` profiles gets an equal part of it. err: errors
 * of gate_work_option_text and gate_work_option_file. */
GATE_MUST_CHECK
bool gate_judge_options_canary_work(struct gate_work *out, const struct gate_judge_options *options, uint32_t files,
                                    double runs, struct gate_session *session, struct gate_error *err);

/**
 * Complete the options: take the work from PPROFGATE_WORK_BASELINE and PPROFGATE_WORK_CANARY if no --work is given, and
 * expand the history to files.
 *
 * err   GATE_ERR_USAGE if only one side has work, or if a variable is not a number above zero; errors of
 *       gate_paths_expand
 */
GATE_MUST_CHECK
bool gate_judge_options_finish(struct gate_judge_options *options, struct gate_arena *arena, struct gate_error *err);

#endif
