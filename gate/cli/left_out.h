/* SPDX-License-Identifier: Apache-2.0 */
/* Which rounds of a folder have nothing to compare, in words: those of one side alone, and gaps.
 * Pipeline: capture/manifest.h -> cli/left_out.h -> cli/manifest_dir.h */
#ifndef GATE_CLI_LEFT_OUT_H
#define GATE_CLI_LEFT_OUT_H

#include "gate/capture/manifest.h"

/** The runs of one kind of a folder. */
struct gate_left_out_kind {
    struct gate_str kind;
    const struct gate_manifest_run **runs[GATE_SIDES]; /* by round */
    uint32_t counts[GATE_SIDES];
};

/** Sentences; in the arena. */
struct gate_left_out {
    struct gate_str *items;
    uint32_t count;
    size_t capacity;
};

/**
 * Append a sentence for each side that lacks runs in rounds of the other, and one for rounds up to `last` that have
 * none at all: "rounds 3, 5 to 7 of 9 have no cpu profiles of the canary and are left out". O(runs), whatever the
 * rounds are.
 *
 * last  of all kinds of the folder
 * err   the arena is full
 */
GATE_MUST_CHECK
bool gate_left_out_add(struct gate_left_out *out, const struct gate_left_out_kind *of, uint32_t last,
                       struct gate_arena *arena, struct gate_error *err);

#endif
