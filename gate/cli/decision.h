/* SPDX-License-Identifier: Apache-2.0 */
/* What every command that ends in a verdict takes and does: rules, profiles, judging, reports, exit status.
 * Pipeline: cli/options.h -> cli/decision.h -> cli/judge.h, cli/reports.h -> cmd_check, cmd_gate, cmd_try */
#ifndef GATE_CLI_DECISION_H
#define GATE_CLI_DECISION_H

#include "gate/cli/judge.h"
#include "gate/cli/reports.h"
#include "gate/cli/rulefile.h"

/** A command line of such a command, parsed; begin with gate_decision_begin. */
struct gate_decision {
    struct gate_profile_options profiles;
    struct gate_judge_options judging;
    struct gate_reports reports;
    struct gate_rules_from from; /* --rules-from */
    const char *rules;           /* --rules, or NULL */
    int on_inconclusive;         /* enum gate_on_inconclusive, or -1: the rules' */
};

/* Groups of rows; each fills a struct gate_decision. */
extern const struct gate_option_group gate_decision_rules;        /* --rules */
extern const struct gate_option_group gate_decision_inconclusive; /* --on-inconclusive */

void gate_decision_begin(struct gate_decision *decision);

/** Everything that is read, in `roles`. err: what gate_file_roles_read says. */
GATE_MUST_CHECK
bool gate_decision_note(const struct gate_decision *decision, struct gate_file_roles *roles, struct gate_arena *arena,
                        struct gate_error *err);

/** The sides, from the arguments. err: what gate_manifest_dir_expand and gate_profile_options_deal say. */
GATE_MUST_CHECK
bool gate_decision_deal(struct gate_decision *decision, struct gate_cli *cli, struct gate_error *err);

/** Check what belongs together, and note the reports in `roles`. err: what gate_judge_options_finish,
 * gate_file_roles_check and gate_reports_note say. */
GATE_MUST_CHECK
bool gate_decision_finish(struct gate_decision *decision, struct gate_file_roles *roles, struct gate_cli *cli,
                          struct gate_error *err);

/** Words of a command line that say how profiles are had, and not how they are judged. */
struct gate_decision_without {
    const struct gate_option_group *const *groups; /* options, NULL-terminated */
    const struct gate_paths *arguments;            /* or NULL: none */
};

/**
 * Keep the command line that decides this again, as a shell would take it: "pprofgate check", `dir` and the words of
 * `cli` but for those of `without`, and "--".
 *
 * dir      where the profiles are; NULL: the words say it
 * without  NULL: every word stays
 */
GATE_MUST_CHECK
bool gate_decision_command(struct gate_decision *decision, const char *dir, const struct gate_decision_without *without,
                           struct gate_cli *cli, struct gate_error *err);

/** Read the rules, with what --on-inconclusive says over them; those of --rules-from judge too. Free with
 * gate_rules_free, on failure too. */
GATE_MUST_CHECK
bool gate_decision_load_rules(struct gate_rules *out, struct gate_decision *decision, struct gate_cli *cli,
                              struct gate_error *err);

/** Write every report of a verdict by `rules`, and set the exit status. */
GATE_MUST_CHECK
bool gate_decision_report(const struct gate_decision *decision, const struct gate_rules *rules,
                          const struct gate_verdict *verdict, struct gate_cli *cli, struct gate_error *err);

#endif
