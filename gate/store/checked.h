/* SPDX-License-Identifier: Apache-2.0 */
/* Read the JSON report of a check, so that `accept` knows the verdict on the profiles that it accepts. */
#ifndef GATE_STORE_CHECKED_H
#define GATE_STORE_CHECKED_H

#include "gate/base/str.h"

struct gate_checked {
    struct gate_str verdict;  /* "pass", "inconclusive", "fail" */
    struct gate_str accepted; /* "accepted by WHO: REASON" if somebody accepted a fail; else empty */
    struct gate_str *digests; /* digest of each file of the canary, as in the report */
    uint32_t digest_count;
};

/** Read the report in `text`. err: GATE_ERR_FORMAT it is not the JSON report of a check, or it lists no canary run. */
GATE_MUST_CHECK
bool gate_checked_read(struct gate_checked *out, struct gate_str text, struct gate_arena *arena,
                       struct gate_error *err);

/** Return whether the report lists a canary file with these bytes. */
bool gate_checked_has(const struct gate_checked *checked, struct gate_str bytes);

#endif
