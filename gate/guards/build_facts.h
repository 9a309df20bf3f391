/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a build and its machine that a profile records. */
#ifndef GATE_GUARDS_BUILD_FACTS_H
#define GATE_GUARDS_BUILD_FACTS_H

#include "gate/model/profile.h"

struct gate_build_facts {
    int64_t built_ns;        /* since the epoch; 0: unknown, or several builds */
    struct gate_str version; /* as recorded, a view into the profile; empty: unknown, or several builds */
};

/**
 * Read build facts from labels such as `version`, `service.version` and `build_time`, and from comments "KEY=VALUE" or
 * "KEY: VALUE" with the same keys. Labels are read from the first 256 samples only, because all samples of a process
 * have them. O(1) without labels, else O(labels of 256 samples).
 */
void gate_build_facts_read(struct gate_build_facts *out, const struct gate_profile *profile);

/**
 * Parse "2026-11-20", "2026-11-20T10:00:00Z" with or without fractions and an offset, or a count since 1970 in seconds
 * to nanoseconds. Returns false if `text` is none of these.
 */
bool gate_build_facts_time(int64_t *ns, struct gate_str text);

/** Compare versions such as "v1.10.2"; `*order` is negative if `a` is older. Returns false if they have no order, like
 * hashes. */
bool gate_build_facts_order(int *order, struct gate_str a, struct gate_str b);

#endif
