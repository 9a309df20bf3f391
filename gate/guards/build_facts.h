/* SPDX-License-Identifier: Apache-2.0 */
/* What a profile says of the build that it was taken of, in labels or comments that its service put there.
 * Pipeline: profile/sample.h -> guards/build_facts.h -> guards/guards_sides.h */
#ifndef GATE_GUARDS_BUILD_FACTS_H
#define GATE_GUARDS_BUILD_FACTS_H

#include "gate/profile/profile.h"

struct gate_build_facts {
    int64_t built_ns;        /* since the epoch; 0: not told, or not of one build */
    struct gate_str version; /* as told, a view into the profile; empty: the same */
};

/**
 * Facts from labels such as `version`, `service.version` and `build_time`, and from comments "KEY=VALUE" or "KEY:
 * VALUE" of the same names. Of labels the first samples are read: they are of the process, and all samples have them.
 * O(1) where there are no labels, else O(labels of 256 samples).
 */
void gate_build_facts_read(struct gate_build_facts *out, const struct gate_profile *profile);

/** "2026-11-20", "2026-11-20T10:00:00Z" with or without fractions and an offset, or seconds to nanoseconds since 1970.
 */
bool gate_build_facts_time(int64_t *ns, struct gate_str text);

/** Negative: `a` is the older of two versions such as "v1.10.2". False where they have no order, as hashes have none.
 */
bool gate_build_facts_order(int *order, struct gate_str a, struct gate_str b);

#endif
