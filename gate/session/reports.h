/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that end in a verdict have in common: options, acceptance of an intended growth, rules, reports. */
#ifndef GATE_SESSION_REPORTS_H
#define GATE_SESSION_REPORTS_H

#include "gate/base/buf.h"
#include "gate/base/file.h"
#include "gate/budget/call_trees.h"
#include "gate/budget/verdict.h"
#include "gate/report/report.h"
#include "gate/session/file_roles.h"
#include "gate/session/judge.h"
#include "gate/session/rules_in_force.h"
#include "gate/session/session.h"

/* ---- output to a file or to standard output ---------------------------------------------------------------------- */

/** Write `bytes` to `path`, atomically as base/file.h does, and create missing folders. "-" is the command's standard
 * output. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_output_write(struct gate_session *session, const char *path, struct gate_str bytes, struct gate_error *err);

/** Like gate_output_write, but sync the file to disk (gate_outfile_keep), for files that later runs depend on. */
GATE_MUST_CHECK
bool gate_output_keep(struct gate_session *session, const char *path, struct gate_str bytes, struct gate_error *err);

/** Output that is written in parts. A regular file appears complete or not at all (base/file.h); any other output is
 * buffered until it is complete. */
struct gate_output_parts {
    struct gate_session *session;
    const char *path;
    struct gate_outfile_parts file;
    bool is_file;
    struct gate_buf held;
    struct gate_sink sink; /* write the parts to this sink */
};

/** Begin an output. If it returns true, call gate_output_parts_end. Call it while there is one thread. err: GATE_ERR_IO
 * if a folder cannot be created. */
GATE_MUST_CHECK
bool gate_output_parts_begin(struct gate_output_parts *parts, struct gate_session *session, const char *path,
                             struct gate_error *err);

/** End an output: publish the file if `is_whole`, else discard it, return false and leave `err` unchanged. err:
 * GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_output_parts_end(struct gate_output_parts *parts, bool is_whole, struct gate_error *err);

/** One file of a group that is written together. */
struct gate_output_file {
    const char *path; /* NULL: not wanted */
    struct gate_str bytes;
};

/** Write all files with a path. If one cannot be written, remove those written before it; standard output cannot be
 * taken back. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_output_write_all(struct gate_session *session, const struct gate_output_file *files, size_t count,
                           struct gate_error *err);

/**
 * Refuse to write a binary format to a terminal: `path` is "-" and standard output is a terminal, or `path` is a
 * terminal such as /dev/stdout.
 *
 * path  NULL: nothing is written
 * err   GATE_ERR_USAGE
 */
GATE_MUST_CHECK
bool gate_output_spare_terminal(const struct gate_session *session, const char *path, const char *option,
                                struct gate_error *err);

/* ---- the reports of a run; all are made before the first is written ---------------------------------------------- */

enum gate_reports_annotations { GATE_ANNOTATIONS_AUTO, GATE_ANNOTATIONS_ALWAYS, GATE_ANNOTATIONS_NEVER };

/** Options of the command line; initialised by the group gate_reports_details. */
struct gate_reports {
    const char *paths[GATE_REPORT_FORMATS_MAX]; /* for each row of gate_report_formats, or NULL */
    const char *folder;                         /* --report, or NULL */
    int annotations;                            /* enum gate_reports_annotations */
    int junit_flavor;                           /* enum gate_junit_flavor */
    int junit_inconclusive;                     /* enum gate_junit_inconclusive */
    const char *url;                            /* --report-url, or NULL */
    struct gate_report_options options;
    struct gate_checkout *checkout; /* found ahead of time by gate_reports_look_ahead, or NULL */
};

/** Return whether `text` is an http or https address that is valid between < and > in Markdown. */
bool gate_reports_is_link(const char *text);

/**
 * Add all files that will be written to `roles`. Call it after all inputs are added.
 *
 * err   GATE_ERR_USAGE if two reports use standard output or the same file, if one would overwrite an input or a file
 *       that pprofgate did not write, or if a binary one would go to a terminal
 */
GATE_MUST_CHECK
bool gate_reports_note(const struct gate_reports *reports, struct gate_file_roles *roles, struct gate_session *session,
                       struct gate_error *err);

/** Set `task` to the search of the checkout that gate_decision_report needs: Go modules, for links to source files.
 * Running it earlier saves time. Does nothing unless a report draws call trees and needs the checkout. Afterwards, also
 * after a failure, call gate_checkout_end for `reports->checkout` unless it is NULL. */
GATE_MUST_CHECK
bool gate_reports_look_ahead(struct gate_reports *reports, struct gate_background_task *task,
                             struct gate_session *session, struct gate_error *err);

/** Write the reports of a run that compared nothing: the text for people, and the formats that can express it. Remove
 * the other reports before. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_reports_write_nothing(const struct gate_reports *reports, const struct gate_nothing_compared *nothing,
                                struct gate_session *session, struct gate_error *err);

/** Remove the reports of an earlier run, so that no old verdict stays next to a run without one. Removes regular
 * files that pprofgate wrote in that format (session/file_roles.h), and no input in `roles`. Prints a note if a file
 * cannot be removed. */
void gate_reports_remove(const struct gate_reports *reports, const struct gate_file_roles *roles,
                         struct gate_session *session);

/** Like gate_reports_remove, after a run that failed with `err`. Removes nothing if the command line was invalid,
 * because an output option may name an input; a note states that. */
void gate_reports_remove_failed(const struct gate_reports *reports, const struct gate_file_roles *roles,
                                struct gate_session *session, const struct gate_error *err);

/** Remove one file as gate_reports_remove does. Does nothing if `path` is NULL. */
void gate_reports_remove_file(const char *path, enum gate_own_mark mark, const struct gate_file_roles *roles,
                              struct gate_session *session);

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

/** Parsed command line; initialised by its option groups. */
struct gate_decision {
    struct gate_profile_options profiles;
    struct gate_judge_options judging;
    struct gate_reports reports;
    struct gate_rules_from from;               /* --rules-from */
    struct gate_acceptance_options acceptance; /* --accepted and --head */
    const char *rules;                         /* --rules, or NULL */
    int on_inconclusive;                       /* enum gate_on_inconclusive; -1: as the rules have it */
};

/** Add every file that is read to `roles`. err: errors of gate_file_roles_read. */
GATE_MUST_CHECK
bool gate_decision_note(const struct gate_decision *decision, struct gate_file_roles *roles, struct gate_arena *arena,
                        struct gate_error *err);

/** Assign the arguments to the two sides. A single folder with a manifest gives both sides. err: errors of
 * gate_manifest_dir_expand and gate_profile_options_deal; GATE_ERR_USAGE the folder cannot be used. */
GATE_MUST_CHECK
bool gate_decision_deal(struct gate_decision *decision, struct gate_session *session, struct gate_error *err);

/** Check the combination of options, and add the reports to `roles`. err: errors of gate_judge_options_finish,
 * gate_file_roles_check and gate_reports_note. */
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
