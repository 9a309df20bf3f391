/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles without names (see unsymbolised.h). */
#include "gate/compare/unsymbolised.h"

bool gate_unsymbolised_refuse(const struct gate_pair *pair, struct gate_error *err) {
    if (pair->granularity == GATE_BY_MAPPING || pair->frame_count == 0)
        return true;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (pair->frames[i].is_symbolised)
            return true;
    return gate_error_set(
        err, GATE_ERR_INPUT,
        "%.*s: no function has a name on either side, so nothing can be told apart: profile binaries "
        "with symbols, name theirs with --symbols, or compare whole binaries with '--granularity mapping'",
        GATE_STR_ARG(pair->sides[GATE_BASELINE].runs[0].input.path));
}
