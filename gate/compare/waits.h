/* SPDX-License-Identifier: Apache-2.0 */
/* How often functions waited, by the number of waits in profiles of delays: it follows the load. */
#ifndef GATE_COMPARE_WAITS_H
#define GATE_COMPARE_WAITS_H

#include "gate/compare/comparison.h"

/** If a side had this many times the load, waiting per second says little about the code. */
#define GATE_WAITS_LOAD_MOST 1.5

/**
 * Set `comparison->waits_ratio` of delays whose profiles count the waits (`contentions`): canary / baseline of the
 * waits per second. It stays 0 unless it shows the load. Three functions or more then have 20 waits on each side, and
 * 80% of all waits. Their ratios differ by a factor of 1.5 at most. One lock that is held longer also has more waits,
 * but not all functions alike.
 *
 * options  those of the comparison; `sample_type` is not used
 *
 * O(bytes of samples).
 */
GATE_MUST_CHECK
bool gate_waits_find(struct gate_comparison *comparison, const struct gate_pair_options *options,
                     struct gate_arena *arena, struct gate_error *err);

/** Return whether nothing states the load of both sides, and by their waits it differs much. */
bool gate_waits_are_uneven(const struct gate_comparison *comparison);

#endif
