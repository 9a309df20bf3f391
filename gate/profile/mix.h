/* SPDX-License-Identifier: Apache-2.0 */
/* One run's traffic as if it had been another's: samples weigh more or less by a label that says what they were for.
 * Pipeline: compare/work.h makes it, profile/stacks.h applies it */
#ifndef GATE_PROFILE_MIX_H
#define GATE_PROFILE_MIX_H

#include "gate/profile/sample.h"

struct gate_mix_part {
    struct gate_str value; /* of the label */
    double factor;         /* > 0 */
};

struct gate_mix {
    struct gate_str key; /* of the label */
    const struct gate_mix_part *parts;
    uint32_t count;
};

/** What the cursor's sample weighs; false, and 1, where it has no such label, or one of another value.
 * O(labels + parts). */
bool gate_mix_find(double *factor, const struct gate_mix *mix, const struct gate_sample_cursor *cursor,
                   const struct gate_sample *sample);

#endif
