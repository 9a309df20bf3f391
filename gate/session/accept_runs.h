/* SPDX-License-Identifier: Apache-2.0 */
/* Accepts profiles into a store, and reports the result of a check that finds no baseline there. */
#ifndef GATE_SESSION_ACCEPT_RUNS_H
#define GATE_SESSION_ACCEPT_RUNS_H

#include "gate/compare/work.h"
#include "gate/report/report.h"
#include "gate/rules/rules.h"
#include "gate/session/load_sides.h"
#include "gate/session/session.h"
#include "gate/session/store_options.h"
#include "gate/session/stored_baseline.h"
#include "gate/store/record.h"
#include "gate/store/store.h"

/* ---- accept profiles: `baseline accept` and `check --accept-first` ----------------------------------------------- */

enum { GATE_ACCEPT_RUNS_KEEP = 20 };

/** The profiles to accept, and the reason. */
struct gate_accept_request {
    const struct gate_store_options *where;
    const struct gate_run_files *files;
    const struct gate_work *work; /* of the runs in their order, or of all together, as the baseline's; NULL: unknown */
    const struct gate_checked *checked; /* report of the check of these profiles, or NULL */
    struct gate_str verdict;            /* if `checked` is NULL: "first", or empty */
    struct gate_str reason;             /* --reason; may be empty */
    uint32_t keep;                      /* number of records of each kind to keep */
    const struct gate_limits *limits;
};

/**
 * Write the profiles and their record to the store. The profiles count as accepted once the record is written. Then
 * delete the service's old records, and the profiles that only they refer to.
 *
 * record    written: the accepted runs
 * removed   written: number of deleted records and profiles
 * err       GATE_ERR_USAGE if no revision is given and there is no checkout, or if the work has another number of runs;
 *           GATE_ERR_INPUT if a profile is given twice, if the report of the check is not about a profile, or if the
 *           check failed and no reason is given
 */
GATE_MUST_CHECK
bool gate_accept_runs(struct gate_record *record, struct gate_keep_counts *removed,
                      const struct gate_accept_request *request, struct gate_session *session, struct gate_error *err);

/** Append a summary such as "3 runs (cpu) of shop in ci, revision 0123456789ab". */
void gate_accept_runs_print(struct gate_buf *out, const struct gate_record *record);

/* ---- check without a baseline ------------------------------------------------------------------------------------ */

/**
 * Decide what a check reports if its store holds no baseline. It is never a pass.
 *
 * With --accept-first, and if the store has nothing of this service and environment, accepts the canary and reports
 * FIRST. Else reports NO BASELINE. Sets `session->status`: 0 after FIRST; else by the severity of the guard
 * baseline_missing: inconclusive for `error` (a failure if the rules turn inconclusive into failure), 0 for `warn` and
 * `off`.
 *
 * out   texts are allocated from the run's arena
 * work  of the canary's runs, which is accepted with them (gate_judge_options_canary_work)
 * err   errors of gate_accept_runs
 */
GATE_MUST_CHECK
bool gate_no_baseline_end(struct gate_nothing_compared *out, const struct gate_stored_baseline *accepted,
                          const struct gate_work *work, const struct gate_rules *rules,
                          const struct gate_limits *limits, struct gate_session *session, struct gate_error *err);

#endif
