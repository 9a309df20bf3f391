/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the cost of one side into own code, third parties, libraries and the rest. */
#include "gate/compare/split.h"

#include "gate/compare/delta.h"
#include "gate/compare/frames.h"

void gate_split_unnamed(double share[GATE_SIDES], const struct gate_pair *pair, const struct gate_delta_list *deltas) {
    for (uint32_t side = 0; side < GATE_SIDES; side++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < pair->frame_count; i++)
            if (gate_unsymbolised_is_frame(pair, &pair->frames[i]))
                sum += deltas->items[i].value[GATE_SELF][side];
        share[side] = gate_share(sum, pair->sides[side].total);
    }
}
