/* SPDX-License-Identifier: Apache-2.0 */
/* Which reports a command line asks for, and writing them: all are made before the first is written.
 * Pipeline: report/formats.c -> cli/reports.h -> cli/output.h */
#ifndef GATE_CLI_REPORTS_H
#define GATE_CLI_REPORTS_H

#include "gate/budget/tree_ahead.h"
#include "gate/cli/cli.h"
#include "gate/cli/file_roles.h"
#include "gate/cli/options.h"
#include "gate/report/report.h"

enum gate_reports_annotations { GATE_ANNOTATIONS_AUTO, GATE_ANNOTATIONS_ALWAYS, GATE_ANNOTATIONS_NEVER };

/** What a command line says of reports; begin with gate_reports_begin. */
struct gate_reports {
    const char *paths[GATE_REPORT_FORMATS_MAX]; /* of each row of gate_report_formats, or NULL */
    const char *folder;                         /* --report, or NULL */
    int annotations;                            /* enum gate_reports_annotations */
    int junit_flavor;                           /* enum gate_junit_flavor */
    int junit_inconclusive;                     /* enum gate_junit_inconclusive */
    const char *url;                            /* --report-url, or NULL */
    struct gate_report_options options;
    struct gate_checkout *checkout; /* found ahead, or NULL */
};

/* Groups of rows; each fills a struct gate_reports. */
extern const struct gate_option_group gate_reports_files; /* "Reports": --report, and an option a format */
extern const struct gate_option_group gate_reports_details;

/** The value of --frames, which other commands take too: N, 0 for none, or `all`. `use->out`: uint32_t frame_limit. */
gate_option_reader gate_reports_read_frames;

/** The value of --source-url: an address of the web with {path} in it. `use->out`: const char *. */
gate_option_reader gate_reports_read_source_url;

void gate_reports_begin(struct gate_reports *reports);

/** Whether a report is wanted that shows every view of the call trees. */
bool gate_reports_draw_views(const struct gate_reports *reports);

/** Whether one is wanted that walks the stacks, whatever trees there are. */
bool gate_reports_walk_stacks(const struct gate_reports *reports);

/**
 * Note what will be written in `roles`, after all that is read.
 *
 * err   GATE_ERR_USAGE two reports want standard output or one file, one would overwrite an input, or a binary one
 *       would go to a terminal
 */
GATE_MUST_CHECK
bool gate_reports_note(const struct gate_reports *reports, struct gate_file_roles *roles, struct gate_cli *cli,
                       struct gate_error *err);

/**
 * Let `errand` look for what gate_reports_write would look for on the disk, so that it is known by then: Go modules of
 * the checkout, where a frame's file may be of one. Where reports draw call trees. Ends with gate_reports_look_end,
 * also where it fails. err: the arena is full
 */
GATE_MUST_CHECK
bool gate_reports_look_ahead(struct gate_reports *reports, struct gate_errand *errand, struct gate_cli *cli,
                             struct gate_error *err);

/** Whatever came of it. */
void gate_reports_look_end(struct gate_reports *reports, struct gate_arena *arena);

/**
 * Make and write every report, then the text for people: to standard output, or to standard error when a report went
 * there. In GitHub Actions the Markdown is appended to $GITHUB_STEP_SUMMARY too.
 *
 * err   GATE_ERR_IO; nothing is left half-written
 */
GATE_MUST_CHECK
bool gate_reports_write(const struct gate_reports *reports, const struct gate_verdict *verdict, struct gate_cli *cli,
                        struct gate_error *err);

/**
 * The same where nothing was compared: the reports that can say so, and the text for people. The others are to be
 * removed before. err: GATE_ERR_IO.
 */
GATE_MUST_CHECK
bool gate_reports_write_nothing(const struct gate_reports *reports, const struct gate_nothing_compared *nothing,
                                struct gate_cli *cli, struct gate_error *err);

/**
 * Remove what an earlier run left where reports were asked for, so that no old verdict stands beside a run that decided
 * nothing: regular files alone, and none that `roles` has as an input. What cannot be removed is noted for the user.
 */
void gate_reports_remove(const struct gate_reports *reports, const struct gate_file_roles *roles, struct gate_cli *cli);

/** The same of one file; NULL is none, and what is an input stays. What cannot be removed is told. */
void gate_reports_remove_file(const char *path, const struct gate_file_roles *roles, struct gate_cli *cli);

/** Append Markdown to the step summary of GitHub Actions; elsewhere nothing. err: GATE_ERR_IO. */
GATE_MUST_CHECK bool gate_reports_append_summary(struct gate_str text, struct gate_error *err);

#endif
