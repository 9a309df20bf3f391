/* SPDX-License-Identifier: Apache-2.0 */
/* A profile's bytes are given back once nobody walks its samples and locations any more: what is left of it are its
 * strings and what stands beside the bytes.
 * Pipeline: profile/pprof.h -> profile/own_bytes.h -> compare/pair.h, which knows when all walks are over */
#ifndef GATE_PROFILE_OWN_BYTES_H
#define GATE_PROFILE_OWN_BYTES_H

#include "gate/profile/profile.h"

/** Note that `own`, the bytes of `profile`, are nobody else's; its strings are read. False: no memory. */
GATE_MUST_CHECK
bool gate_own_bytes_note(struct gate_profile *profile, uint8_t *own, struct gate_arena *arena);

/** Give back all but strings, for all who have this profile: from then on nobody may begin a walk. Nothing where the
 * bytes are somebody else's too. */
void gate_own_bytes_spend(const struct gate_profile *profile);

#endif
