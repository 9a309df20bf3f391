/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of options that several commands share. */
#ifndef GATE_CLI_OPTION_GROUPS_H
#define GATE_CLI_OPTION_GROUPS_H

#include "gate/cli/options.h"
#include "gate/session/reports.h"
#include "gate/session/session.h"

/** --symbols, --debuginfod, …; fills a struct gate_symbol_options. */
extern const struct gate_option_group gate_symbol_options_group;

/** Read "N1,N2" or "LABEL=VALUE:N1,N2" into a struct gate_work: work of runs without sides, stored as the
 * baseline's. */
gate_option_reader gate_work_option_runs;

/* Groups that fill a struct gate_profile_options. */
extern const struct gate_option_group gate_acceptance_group; /* --accepted, --head; fills gate_acceptance_options */

extern const struct gate_option_group gate_profile_options_sides; /* --baseline, --canary */

extern const struct gate_option_group gate_profile_options_pair;

extern const struct gate_option_group gate_profile_options_by; /* --by, for commands that judge */

extern const struct gate_option_group gate_profile_options_read; /* how profiles are read */

extern const struct gate_option_group gate_profile_options_counts; /* the part that `inspect` takes too */

extern const struct gate_option_group gate_profile_options_limits; /* limits on hostile input */

/* Groups that fill a struct gate_judge_options. */
extern const struct gate_option_group gate_judge_options_equal; /* --equal */

extern const struct gate_option_group gate_judge_options_work; /* --work, --work-file, ... */

extern const struct gate_option_group gate_judge_options_noise; /* --noise */

extern const struct gate_option_group gate_judge_options_history; /* --history */

/* Groups that fill a struct gate_store_options. */
extern const struct gate_option_group gate_store_options_place; /* --store, --service, --environment */

extern const struct gate_option_group gate_store_options_change; /* --revision, --fact, --elsewhere */

/** --store-in-checkout, for commands that decide by the content of the store. */
extern const struct gate_option_group gate_store_options_reading;

/** --store alone, for commands that read the whole store. */
extern const struct gate_option_group gate_store_options_folder;

/* Groups that fill a struct gate_backend_windows: time windows of profile stores. */
extern const struct gate_option_group gate_backend_windows_options; /* the window and its slices */

extern const struct gate_option_group gate_backend_windows_work; /* work queries; continues the group before */

extern const struct gate_option_group gate_backend_windows_coming; /* the window of slices that are captured live */

/* Groups that fill a struct gate_capture_options. */
extern const struct gate_option_group gate_capture_options_what; /* addresses, kinds, duration, work */

extern const struct gate_option_group gate_capture_options_how; /* timeouts, retries, credentials */

/** Like gate_capture_options_how, for commands that query only profile stores. */
extern const struct gate_option_group gate_capture_options_stores;

/* Groups that fill a struct gate_reports. */
extern const struct gate_option_group gate_reports_files;

/** Options of the rarely used formats. */
extern const struct gate_option_group gate_reports_more_files; /* --report, and one option per format */

extern const struct gate_option_group gate_reports_details;

/** --frames of other commands, whose default depends on the output: N, 0 for none, or `all`. */
struct gate_row_limit {
    bool is_given;
    uint32_t rows; /* frame_limit of report/report.h */
};
gate_option_reader gate_reports_read_row_limit;

/** Read --source-url: a web address that contains {path}. Writes const char *. */
gate_option_reader gate_reports_read_source_url;

extern const struct gate_option_group gate_rules_from_options; /* --rules-from; fills a struct gate_rules_from */

/** Fills a struct gate_ledger_options. */
extern const struct gate_option_group gate_ledger_file_options;

/** Baseline from a store; fills a struct gate_stored_baseline. */
extern const struct gate_option_group gate_stored_baseline_group;

/* Groups that fill a struct gate_decision. */
extern const struct gate_option_group gate_decision_rules; /* --rules */

extern const struct gate_option_group gate_decision_inconclusive; /* --on-inconclusive */

/* ---- the command line that repeats a decision, for reports ------------------------------------------------------- */

/** Words of the command line to leave out: those that concern how profiles are captured, not how they are judged. */
struct gate_decision_without {
    const struct gate_option_group *const *groups; /* options to leave out, NULL-terminated */
    const struct gate_paths *arguments;            /* arguments to leave out, or NULL */
};

/**
 * Store the command line that repeats this decision, quoted for a shell: "pprofgate check", `dir`, and the words of
 * `session` except those in `without` and "--".
 *
 * dir      folder with the profiles; NULL: the words name them
 * without  NULL: keep every word
 */
GATE_MUST_CHECK
bool gate_decision_command(struct gate_decision *decision, const char *dir, const struct gate_decision_without *without,
                           struct gate_session *session, struct gate_error *err);

#endif
