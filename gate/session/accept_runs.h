/* SPDX-License-Identifier: Apache-2.0 */
/* Accepts profiles into a store: `baseline accept` and `check --accept-first`. */
#ifndef GATE_SESSION_ACCEPT_RUNS_H
#define GATE_SESSION_ACCEPT_RUNS_H

#include "gate/compare/work.h"
#include "gate/session/load_sides.h"
#include "gate/session/session.h"
#include "gate/session/store_options.h"
#include "gate/store/record.h"
#include "gate/store/store.h"

enum { GATE_ACCEPT_RUNS_KEEP = 20 };

/** The profiles to accept, and the reason. */
struct gate_accept_request {
    const struct gate_store_options *where;
    const struct gate_run_files *files;
    const struct gate_work *work;       /* work of the runs in their order, or of all together, as work of the baseline;
                                         * NULL: not known */
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

#endif
