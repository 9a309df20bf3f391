/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that end in a verdict have in common: options, acceptance of an intended growth, rules, reports. */
#ifndef GATE_SESSION_DECISION_H
#define GATE_SESSION_DECISION_H

#include "gate/budget/verdict.h"
#include "gate/session/judge.h"
#include "gate/session/reports.h"
#include "gate/session/rules_in_force.h"
#include "gate/session/session.h"

/** Options --accepted and --head. */
struct gate_acceptance_options {
    const char *accepted; /* "COMMIT by WHO: REASON", or NULL */
    const char *head;     /* the commit that is judged, or NULL */
};

/**
 * Check the options. err: GATE_ERR_USAGE if --accepted cannot be read, or if one of both options is given without the
 * other.
 */
GATE_MUST_CHECK
bool gate_acceptance_check(const struct gate_acceptance_options *options, struct gate_error *err);

/** Parsed command line; initialise with gate_decision_begin. */
struct gate_decision {
    struct gate_profile_options profiles;
    struct gate_judge_options judging;
    struct gate_reports reports;
    struct gate_rules_from from;               /* --rules-from */
    struct gate_acceptance_options acceptance; /* --accepted and --head */
    const char *rules;                         /* --rules, or NULL */
    int on_inconclusive;                       /* enum gate_on_inconclusive; -1: as the rules have it */
};

/** Set the defaults. `decision` must be all zero. */
void gate_decision_begin(struct gate_decision *decision);

/** Add every file that is read to `roles`. err: errors of gate_file_roles_read. */
GATE_MUST_CHECK
bool gate_decision_note(const struct gate_decision *decision, struct gate_file_roles *roles, struct gate_arena *arena,
                        struct gate_error *err);

/**
 * Assign the arguments to the two sides. A single folder with a manifest gives both sides.
 *
 * err   errors of gate_manifest_dir_expand, gate_profile_options_deal and gate_reports_folder_check
 */
GATE_MUST_CHECK
bool gate_decision_deal(struct gate_decision *decision, struct gate_session *session, struct gate_error *err);

/**
 * Check the combination of options, and add the reports to `roles`.
 *
 * err   errors of gate_judge_options_finish, gate_file_roles_check and gate_reports_note
 */
GATE_MUST_CHECK
bool gate_decision_finish(struct gate_decision *decision, struct gate_file_roles *roles, struct gate_session *session,
                          struct gate_error *err);

/** Load the rules, from --rules-from if it is given, and apply --on-inconclusive to them. Noise models are then read
 * from the same revision. Free `out` with gate_rules_free, on failure too. */
GATE_MUST_CHECK
bool gate_decision_load_rules(struct gate_rules *out, struct gate_decision *decision, struct gate_session *session,
                              struct gate_error *err);

/** Print a note if the change edits the rules that --rules-from takes from a revision. For outputs that have no
 * warnings: with --quiet, and where there is nothing to compare. */
GATE_MUST_CHECK
bool gate_decision_note_edits(const struct gate_decision *decision, struct gate_session *session,
                              struct gate_error *err);

/** Apply the acceptance to a verdict by `rules`, write every report of it, and set the exit status. */
GATE_MUST_CHECK
bool gate_decision_report(const struct gate_decision *decision, const struct gate_rules *rules,
                          const struct gate_verdict *verdict, struct gate_session *session, struct gate_error *err);

#endif
