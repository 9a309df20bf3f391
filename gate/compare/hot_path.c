/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the hot path. */
#include "gate/compare/hot_path.h"

#include "gate/compare/pair.h"
#include "gate/compare/tree.h"

bool gate_hot_path_costs(struct gate_pair *pair, struct gate_delta_list *deltas,
                         const struct gate_run_input *const inputs[GATE_SIDES], const uint32_t counts[GATE_SIDES],
                         const struct gate_pair_options *options, struct gate_arena *arena, struct gate_error *err) {
    return gate_pair_make(pair, inputs, counts, options, arena, err) && gate_delta_fold(deltas, pair, NULL, arena, err);
}
