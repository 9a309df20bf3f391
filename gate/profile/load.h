/* SPDX-License-Identifier: Apache-2.0 */
/* From bytes of any kind to a checked profile: inflate, sniff the format, decode.
 * Pipeline: profile/source.h -> profile/load.h (inflate.h, format.h, pprof.h) -> profile/profile.h */
#ifndef GATE_PROFILE_LOAD_H
#define GATE_PROFILE_LOAD_H

#include "gate/profile/limits.h"
#include "gate/profile/profile.h"

/**
 * Turn bytes into a profile. Plain pprof is read in place: then `bytes` must outlive the profile, and out->bytes.ptr is
 * bytes.ptr. Compressed bytes and other formats are copied: `bytes` may be freed at once.
 *
 * err   GATE_ERR_FORMAT not a profile, cut, a bad checksum, inconsistent references; a known format that is not
 *       supported is named, with the command that converts it; GATE_ERR_LIMIT names the option that lifts the cap.
 *       Messages do not hold the input's name: cli/ puts it in front.
 *
 * All memory is the arena's or a fork's of it, under its limit and limits->memory_bytes, whichever is lower. Not
 * counted: windows of the decompressors, and what one message or one sample needs. O(inflated bytes).
 */
GATE_MUST_CHECK
bool gate_profile_load(struct gate_profile *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *arena, struct gate_error *err);

/** The same of bytes that may be rewritten, so that they take less memory: whatever comes of it, they are of no use but
 * to the profile. */
GATE_MUST_CHECK
bool gate_profile_load_own(struct gate_profile *out, uint8_t *bytes, size_t len, const struct gate_limits *limits,
                           struct gate_arena *arena, struct gate_error *err);

/**
 * Whether the first bytes that `bytes` inflate to may be a profile's, without inflating the rest. True also for bytes
 * that are not packed, or so few that the rest is little.
 */
GATE_MUST_CHECK
bool gate_profile_check_head(struct gate_str bytes, struct gate_arena *arena, struct gate_error *err);

#endif
