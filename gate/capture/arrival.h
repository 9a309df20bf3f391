/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what arrived is the profile that was asked for: whole, of its kind, with samples.
 * Pipeline: capture/fetch.h -> capture/arrival.h -> capture/manifest_file.h */
#ifndef GATE_CAPTURE_ARRIVAL_H
#define GATE_CAPTURE_ARRIVAL_H

#include "gate/capture/capture_kind.h"
#include "gate/profile/load.h"

struct gate_arrival {
    struct gate_str build; /* build id, or the version that the profile tells; empty: it tells none */
    const char *extension; /* of its file: ".pb.gz" */
};

/**
 * Read it as `check` will.
 *
 * out   `build` is arena memory
 * err   GATE_ERR_FORMAT it is not a profile; GATE_ERR_INPUT another kind, no samples, a difference; GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_arrival_check(struct gate_arrival *out, struct gate_str bytes, enum gate_capture_kind kind,
                        const struct gate_limits *limits, struct gate_arena *arena, struct gate_error *err);

#endif
