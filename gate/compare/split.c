/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the cost of one side into own code, third parties, libraries and the rest. */
#include "gate/compare/split.h"

#include "gate/compare/delta.h"
#include "gate/compare/frames.h"
#include "gate/names/own_code.h"

static bool is_unnamed(const struct gate_pair *pair, const struct gate_frame *frame) {
    return gate_unsymbolised_is_frame(pair, frame);
}

bool gate_split_is_hidden(const struct gate_pair *pair, const struct gate_frame *frame) {
    if (!is_unnamed(pair, frame))
        return false;
    bool is_kernel = gate_str_starts(frame->mapping, GATE_STR("[kernel"));
    if (pair->has_no_own || !(is_kernel || gate_is_shared_library(frame->mapping)))
        return true;
    const struct gate_code_place place = {
        .function = GATE_STR(""), .file = GATE_STR(""), .mapping = frame->mapping, .is_main_mapping = false};
    return gate_own_code_of(GATE_LANGUAGE_NATIVE, &place) != GATE_CODE_LIBRARY;
}

static void add_self(double share[GATE_SIDES], const struct gate_pair *pair, const struct gate_delta_list *deltas,
                     bool (*is_counted)(const struct gate_pair *, const struct gate_frame *)) {
    for (uint32_t side = 0; side < GATE_SIDES; side++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < pair->frame_count; i++)
            if (is_counted(pair, &pair->frames[i]))
                sum += deltas->items[i].value[GATE_SELF][side];
        share[side] = gate_share(sum, pair->sides[side].total);
    }
}

void gate_split_unnamed(double share[GATE_SIDES], const struct gate_pair *pair, const struct gate_delta_list *deltas) {
    add_self(share, pair, deltas, is_unnamed);
}

void gate_split_hidden(double share[GATE_SIDES], const struct gate_pair *pair, const struct gate_delta_list *deltas) {
    add_self(share, pair, deltas, gate_split_is_hidden);
}
