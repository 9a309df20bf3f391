/* SPDX-License-Identifier: Apache-2.0 */
/* Reports being made: in memory, and as far as that goes written beside their places, where none is seen before all are
 * made.
 * Pipeline: report/formats.c -> cli/reports_made.h -> cli/reports.h */
#ifndef GATE_CLI_REPORTS_MADE_H
#define GATE_CLI_REPORTS_MADE_H

#include "gate/base/outfile.h"
#include "gate/cli/cli.h"
#include "gate/report/report.h"

/** By row of gate_report_formats. Begin with gate_reports_made_begin; `is_wanted` and `path` are the caller's to set.
 */
struct gate_reports_made {
    bool is_wanted[GATE_REPORT_FORMATS_MAX];
    const char *path[GATE_REPORT_FORMATS_MAX]; /* its only place, or NULL */
    struct gate_buf bytes[GATE_REPORT_FORMATS_MAX];
    struct gate_outfile ahead[GATE_REPORT_FORMATS_MAX]; /* with `path`, where that went well */
    struct gate_buf text;                               /* for people */
    const char *folder;                                 /* of the usual set, or NULL */
    bool is_new_folder;                                 /* made here */
    bool is_held;                                       /* signals wait */
    sigset_t before;
};

/** `folder` is made before the reports are, as far as it goes. */
void gate_reports_made_begin(struct gate_reports_made *made, const char *folder, const struct gate_arena *arena);

/**
 * Make every report that is wanted, and the text for people. Where there is a page, call trees and reports are made by
 * threads, and each report is written beside its place while others are made. From then on, signals wait for
 * gate_reports_made_settle.
 *
 * err   GATE_ERR_MEMORY, GATE_ERR_LIMIT; what cannot be written is not said here: it is not `ahead`
 */
GATE_MUST_CHECK
bool gate_reports_made_make(struct gate_reports_made *made, const struct gate_verdict *verdict,
                            const struct gate_report_options *options, struct gate_cli *cli, struct gate_error *err);

/** Remove what is still beside its place, and where the run failed (`!ok`) a new folder that is empty. */
void gate_reports_made_settle(struct gate_reports_made *made, bool ok);

void gate_reports_made_free(struct gate_reports_made *made);

#endif
