/* SPDX-License-Identifier: Apache-2.0 */
/* What each leaf of a profile's samples cost: tables of who has names are by value, not by number.
 * Pipeline: profile/sample.h -> profile/leaf_values.h -> profile/mapping_names.h, profile/short_names.h */
#ifndef GATE_PROFILE_LEAF_VALUES_H
#define GATE_PROFILE_LEAF_VALUES_H

#include "gate/profile/profile.h"

/** Gets the leaf of one sample, and the size of its value, which is never negative. */
typedef void gate_leaf_visit(void *context, const struct gate_location *leaf, double value);

/**
 * Visit the leaf of each sample of `profile` that has one, in their order, with the size of the value in `column`.
 *
 * total  the sum of these sizes over all samples, those without a stack too
 * err    what gate_sample_next says
 *
 * O(samples).
 */
GATE_MUST_CHECK
bool gate_leaf_values(double *total, const struct gate_profile *profile, uint32_t column, gate_leaf_visit *visit,
                      void *context, struct gate_error *err);

#endif
