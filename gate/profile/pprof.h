/* SPDX-License-Identifier: Apache-2.0 */
/* The pprof decoder: plain protobuf bytes to a checked profile. protobuf-c is used here and nowhere else.
 * Pipeline: profile/inflate.h -> profile/pprof.h -> profile/profile.h. Format and checks: docs/formats.md. */
#ifndef GATE_PROFILE_PPROF_H
#define GATE_PROFILE_PPROF_H

#include "gate/profile/limits.h"
#include "gate/profile/profile.h"

/**
 * Decode `bytes`, in which the samples stay: they must outlive the profile.
 *
 * out   written on success; `container` and `format` are set by the caller afterwards
 * err   GATE_ERR_FORMAT malformed or cut bytes (with the offset), ids that are zero, repeated or refer to nothing (with
 *       kind and id), values unlike the types, string indices out of range, two concatenated profiles;
 *       GATE_ERR_LIMIT a cap of `limits`, or the arena is full
 *
 * O(bytes). Memory: tables in the arena, nothing a sample.
 */
GATE_MUST_CHECK
bool gate_pprof_decode(struct gate_profile *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *arena, struct gate_error *err);

/** The same of bytes that may be rewritten, so that they take less memory: false, and they are of no use any more. */
GATE_MUST_CHECK
bool gate_pprof_decode_own(struct gate_profile *out, uint8_t *bytes, size_t len, const struct gate_limits *limits,
                           struct gate_arena *arena, struct gate_error *err);

#endif
