/* SPDX-License-Identifier: Apache-2.0 */
/* What a check said of profiles that are to be accepted: its JSON report, of which the verdict and the canary's files
 * are read.
 * Pipeline: `check --json` -> store/checked.h -> cli/cmd_baseline_accept.c */
#ifndef GATE_STORE_CHECKED_H
#define GATE_STORE_CHECKED_H

#include "gate/base/str.h"

struct gate_checked {
    struct gate_str verdict;  /* "pass", "inconclusive", "fail" */
    struct gate_str *digests; /* of the canary's files, as the report has them */
    uint32_t digest_count;
};

/** Read a report. err: GATE_ERR_FORMAT it is not one. */
GATE_MUST_CHECK
bool gate_checked_read(struct gate_checked *out, struct gate_str text, struct gate_arena *arena,
                       struct gate_error *err);

/** Whether a file of these bytes was the canary's. */
bool gate_checked_has(const struct gate_checked *checked, struct gate_str bytes);

#endif
