/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring until it is decided: a round of runs, a look at all of them, and the next round only where that left
 * something open.
 * Pipeline: capture/, trial/ -> cli/rounds.h -> cli/manifest_dir.h + cli/judge.h -> cmd_gate, cmd_try */
#ifndef GATE_CLI_ROUNDS_H
#define GATE_CLI_ROUNDS_H

#include "gate/capture/manifest.h"
#include "gate/cli/decision.h"

/** Rounds that may be taken. */
struct gate_rounds {
    const char *dir;                /* where `take` leaves profiles and their manifest */
    struct gate_manifest *manifest; /* of `dir`, as `take` writes it: gets the looks */
    uint32_t planned;               /* at most, 1 to GATE_SPENDING_LOOKS_MAX: the levels are spent over so many looks */
    bool goes_on;                   /* the same command goes on in the same folder */
    double max_seconds; /* from the first one on; no round begins that would end later by the longest so far; 0: none */
    /** Take round `round`, 1, 2, ...: add the runs of both sides to `dir`. */
    bool (*take)(void *context, uint32_t round, struct gate_error *err);
    void *context;
    const bool *is_over; /* set where `take` failed for want of time: then what was taken before is judged; or NULL */
};

/**
 * Take rounds and judge all that `dir` holds after each, as `check DIR` would, until the verdict is pass or fail, no
 * further round fits, or no further round would help (a guard forbids the comparison, say). Each look has the levels of
 * compare/looks.h: at look k of n, k/n of the information; 1 where it is known to be the last one. Until then an
 * inconclusive verdict is none, whatever the rules make of it. A line on standard error tells what each look left open.
 *
 * A folder in which somebody has looked already is gone on with where something was left open in the middle of a plan,
 * by that plan; one that is decided is refused: nobody knows whether the canary is the same. A plan is in the manifest
 * before the first round.
 *
 * out    the verdict of the last look
 * rules  loaded; chosen anew at each look where nobody asked for any
 * err    what `take` says; GATE_ERR_USAGE a folder that is decided, or was judged by other rules; what
 * gate_manifest_dir_fill and gate_judge_reach say
 */
GATE_MUST_CHECK
bool gate_rounds_run(struct gate_verdict *out, const struct gate_rounds *rounds, struct gate_decision *decision,
                     struct gate_rules *rules, struct gate_cli *cli, struct gate_error *err);

#endif
