/* SPDX-License-Identifier: Apache-2.0 */
/* Compares profiles and decides. Used by every command that judges, and by the library. */
#ifndef GATE_SESSION_JUDGE_H
#define GATE_SESSION_JUDGE_H

#include "gate/budget/plan.h"
#include "gate/budget/verdict.h"
#include "gate/rules/rules.h"
#include "gate/session/judge_options.h"
#include "gate/session/profile_options.h"
#include "gate/session/session.h"

/* ---- from loaded profiles to a verdict; the program and the library share this path and its guards --------------- */

/** All loaded profiles of the command line: one input, or one per --pair. */
struct gate_judge_inputs {
    struct gate_plan_input *items;
    uint32_t count;
};

/* ---- from a command line to a verdict: check, gate, try and explain ---------------------------------------------- */

/** Load and compare all profiles without judging budgets, for a report of every frame. `rules` has no budgets. err: as
 * gate_judge_reach. */
GATE_MUST_CHECK
bool gate_judge_diff(struct gate_verdict *out, struct gate_session *session,
                     const struct gate_profile_options *profiles, const struct gate_rules *rules,
                     struct gate_error *err);

/**
 * Compare and decide, as gate_judge_reach does after loading. The library calls it with profiles in memory.
 *
 * inputs   the loaded profiles; runs are copied where their work is set
 * err      as gate_judge_reach
 */
GATE_MUST_CHECK
bool gate_judge_reach_loaded(struct gate_verdict *out, const struct gate_judge_inputs *inputs,
                             struct gate_session *session, const struct gate_profile_options *profiles,
                             struct gate_rules *rules, const struct gate_judge_options *options,
                             struct gate_error *err);

/**
 * Load, compare, decide. Each earlier canary of `options->history` is judged first, against the same baseline, which is
 * loaded once. Their work is unknown, so their own cost is estimated. If no rules were given, they are chosen by the
 * type of the profiles (budget/default_rules.h).
 *
 * err   GATE_ERR_CONFIG if a noise model is not of these profiles; GATE_ERR_INPUT if the canary is in its own history;
 *       GATE_ERR_USAGE if --history is combined with --pair or --by; errors of loading, comparing and deciding
 */
GATE_MUST_CHECK
bool gate_judge_reach(struct gate_verdict *out, struct gate_session *session,
                      const struct gate_profile_options *profiles, struct gate_rules *rules,
                      const struct gate_judge_options *options, struct gate_error *err);

/* ---- digest of everything that decides; a ledger or a folder is continued only by runs with the same digest ------ */

/**
 * Compute the SHA-256, in hex, of the rules (rules/rules_diff.h), of the options that override them (--sample-type,
 * --where, --granularity, --names, --period, --mutex-fraction) and of the bytes of each noise model. It does not cover
 * the profiles, the work, the number of the look, and on_inconclusive.
 *
 * rules  the same digest results before and after gate_judge_reach
 * out    allocated from the run's arena
 * err    GATE_ERR_USAGE if a noise model is standard input, which cannot be read twice; errors of reading a noise model
 */
GATE_MUST_CHECK
bool gate_judge_digest(struct gate_str *out, const struct gate_rules *rules,
                       const struct gate_profile_options *profiles, const struct gate_judge_options *judging,
                       const struct gate_session *session, struct gate_error *err);

#endif
