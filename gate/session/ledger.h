/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger: a file with the looks (interim analyses) at one change, so that a repeated run spends one error
 * budget. */
#ifndef GATE_SESSION_LEDGER_H
#define GATE_SESSION_LEDGER_H

#include "gate/budget/verdict.h"
#include "gate/session/judge.h"

/* ---- the ledger's content ---------------------------------------------------------------------------------------- */

/** A profile of an earlier look. */
struct gate_ledger_run {
    struct gate_str path;   /* relative to the ledger's folder, or absolute */
    struct gate_str digest; /* digest as in reports (compare/pair_types.h) */
    double work;            /* 0: not known */
};

/** The runs of one side in a look. */
struct gate_ledger_runs {
    struct gate_ledger_run *items;
    uint32_t count;
};

/** One look, and its result. */
struct gate_ledger_look {
    struct gate_str time; /* "2026-11-21T20:00:00Z" */
    enum gate_outcome outcome;
    struct gate_str found;                    /* headline of the verdict */
    struct gate_ledger_runs runs[GATE_SIDES]; /* runs that were new in this look */
};

/** All zero except `planned`: no looks yet. Look i (from 0) is at information (i + 1) / planned. */
struct gate_ledger {
    struct gate_str rules;
    struct gate_str rules_digest; /* of all that decides (session/judge.h); a run with another digest is refused */
    struct gate_str change;       /* --change; may be empty */
    struct gate_str builds[GATE_SIDES]; /* build ids, separated by spaces; empty: not known */
    uint32_t planned;
    struct gate_ledger_look *looks;
    uint32_t count;
};

/** Parse a ledger strictly: unknown keys are errors. Strings are allocated from `arena`. err: GATE_ERR_CONFIG with the
 * position and the cause. */
GATE_MUST_CHECK
bool gate_ledger_read(struct gate_ledger *out, struct gate_str text, struct gate_arena *arena, struct gate_error *err);

/** Append the ledger as JSON, in the form that gate_ledger_read parses. */
void gate_ledger_write(struct gate_buf *out, const struct gate_ledger *ledger);

/** Append a look. */
GATE_MUST_CHECK
bool gate_ledger_add(struct gate_ledger *ledger, const struct gate_ledger_look *look, struct gate_arena *arena,
                     struct gate_error *err);

/** Return the run with this digest, of either side, or NULL if no look has it. */
const struct gate_ledger_run *gate_ledger_find(const struct gate_ledger *ledger, struct gate_str digest);

/* ---- paths of profiles in a ledger ------------------------------------------------------------------------------- */

/** Return the path of the file `path` relative to the folder of `ledger`. `.ptr` is NULL if the arena is full. */
struct gate_str gate_ledger_pool_relative(const char *ledger, struct gate_str path, struct gate_arena *arena);

/* ---- the ledger file of a run ------------------------------------------------------------------------------------ */

/** Options of the command line. All zero: no ledger. */
struct gate_ledger_options {
    const char *path;   /* --ledger, or NULL */
    const char *change; /* --change; NULL: the build id identifies the change */
    uint32_t looks;     /* --looks; 0: not given */
};

/**
 * Call gate_judge_reach, as one look of the ledger. Without a ledger, do nothing else.
 *
 * The ledger is locked meanwhile. Sets `judging->looks`, and puts the profiles and the work of the earlier looks in
 * front of those given. The verdict is that of the last look if this run is not a new one. A new look is appended to
 * the file before any report is written: a look that someone may have seen counts.
 *
 * If earlier profiles are missing: after an inconclusive look, this run uses the remaining error budget alone; any
 * other verdict is kept. If the canary has another build or another --change, a new ledger begins, with a note.
 *
 * err   GATE_ERR_USAGE if combined with --pair, --history, standard input or the looks of a manifest; if --looks
 *       differs from the ledger's; if the work cannot be merged; if there is no --change and the runs of the canary do
 *       not share one build id. GATE_ERR_CONFIG if the ledger cannot be parsed. GATE_ERR_INPUT if it has other rules or
 *       another baseline. GATE_ERR_IO, also if another process uses the ledger. Errors of gate_judge_reach.
 */
GATE_MUST_CHECK
bool gate_ledger_judge(struct gate_verdict *out, const struct gate_ledger_options *options, struct gate_rules *rules,
                       struct gate_profile_options *profiles, struct gate_judge_options *judging,
                       struct gate_session *session, struct gate_error *err);

#endif
