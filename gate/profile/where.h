/* SPDX-License-Identifier: Apache-2.0 */
/* --where: which samples count by their labels, and why a filter leaves nothing.
 * Pipeline: profile/sample.h -> profile/where.h -> profile/stacks.h */
#ifndef GATE_PROFILE_WHERE_H
#define GATE_PROFILE_WHERE_H

#include "gate/profile/sample.h"

/**
 * key=value of one label; a sample must match all of the filter's. Numeric: "bytes=4096", with unit "size=4kB"; a
 * number without unit is in bytes when its key is bytes, alignment or request, as Go's runtime writes them.
 */
struct gate_label_match {
    struct gate_str key;
    struct gate_str value;
};

struct gate_label_filter {
    const struct gate_label_match *items;
    uint32_t count;
};

/** Whether the cursor's sample matches all of the filter; NULL: none. */
bool gate_where_passes(const struct gate_label_filter *where, const struct gate_sample_cursor *cursor,
                       const struct gate_sample *sample);

/**
 * For a filter that no sample passes: say which label of it no sample has, with the values or the labels that there
 * are; a match without a value (NULL) is for a label that has none. The message lacks the profile's name.
 *
 * err   always GATE_ERR_INPUT; returns false, as gate_error_set does
 *
 * O(samples * labels).
 */
bool gate_where_absent(const struct gate_profile *profile, const struct gate_label_filter *where,
                       struct gate_error *err);

#endif
