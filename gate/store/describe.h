/* SPDX-License-Identifier: Apache-2.0 */
/* What a record says of a profile: kind, types, period, times, who wrote it.
 * Pipeline: profile/load.h -> store/describe.h -> store/record.h */
#ifndef GATE_STORE_DESCRIBE_H
#define GATE_STORE_DESCRIBE_H

#include "gate/profile/profile.h"
#include "gate/store/record.h"

/**
 * Fill what the profile itself tells; all else is empty or 0. Texts are copied, so that the profile may go.
 *
 * err   GATE_ERR_INPUT its default sample type is not in it; GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_describe_run(struct gate_record_run *out, const struct gate_profile *profile, struct gate_arena *arena,
                       struct gate_error *err);

#endif
