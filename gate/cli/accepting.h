/* SPDX-License-Identifier: Apache-2.0 */
/* Taking profiles into a store: for `baseline accept`, and for `check --accept-first`.
 * Pipeline: cli/run_files.h + cli/store_options.h -> cli/accepting.h -> store/records.h, store/keep.h */
#ifndef GATE_CLI_ACCEPTING_H
#define GATE_CLI_ACCEPTING_H

#include "gate/cli/cli.h"
#include "gate/cli/run_files.h"
#include "gate/cli/store_options.h"
#include "gate/compare/work.h"
#include "gate/store/checked.h"
#include "gate/store/keep.h"

enum { GATE_ACCEPTING_KEEP = 20 };

/** What is accepted, and why. */
struct gate_accepting {
    const struct gate_store_options *where;
    const struct gate_run_files *files;
    const struct gate_work *work;       /* of the runs in their order, as of a baseline; NULL: not told */
    const struct gate_checked *checked; /* what a check said of them, or NULL */
    struct gate_str verdict;            /* where there is no report of a check: "first", or empty */
    struct gate_str reason;             /* may be empty */
    uint32_t keep;                      /* records of each kind that stay */
    const struct gate_limits *limits;
};

/**
 * Store the profiles and their record: after this, and not before, they are accepted. Then old records of the service
 * go, and what only they named.
 *
 * record   what was accepted
 * err      GATE_ERR_USAGE no revision is told and there is no checkout, work for another number of runs; GATE_ERR_INPUT
 *          one profile twice, a profile that the report of the check is not about, a failed check without a reason
 */
GATE_MUST_CHECK
bool gate_accepting_do(struct gate_record *record, struct gate_keep_counts *removed,
                       const struct gate_accepting *accepting, struct gate_cli *cli, struct gate_error *err);

/** "3 runs (cpu) of shop in ci, revision 0123456789ab". */
void gate_accepting_print(struct gate_buf *out, const struct gate_record *record);

#endif
