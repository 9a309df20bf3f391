/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code the frames of a run are: asked while its locations are met, answered for all of them at a time.
 * Pipeline: compare/frame_texts.h + profile/own_code.h -> compare/frame_owners.h -> compare/frames.h */
#ifndef GATE_COMPARE_FRAME_OWNERS_H
#define GATE_COMPARE_FRAME_OWNERS_H

#include "gate/compare/frame_texts.h"
#include "gate/compare/pair_types.h"

/** A frame at one place. */
struct gate_frame_question {
    uint32_t frame;
    uint32_t function, mapping; /* indices of the profile, or GATE_NO_INDEX */
    bool is_new;                /* nobody met the frame before */
    uint8_t code;               /* the answer: an enum gate_code */
};

/** What is asked of one run; `scratch` holds the questions. */
struct gate_frame_owners {
    const struct gate_own_options *options;
    const struct gate_profile *profile;
    const struct gate_frame_texts *texts; /* renamed by rules */
    struct gate_arena *scratch;
    struct gate_own_code_rows rows; /* of the run's language */
    struct gate_frame *frames;      /* while they are answered */
    struct gate_frame_question *questions;
    size_t count, capacity;
};

/** Few enough to be answered by one thread. */
enum { GATE_FRAME_OWNERS_WORTH_A_THREAD = 512 };

void gate_frame_owners_begin(struct gate_frame_owners *owners, const struct gate_own_options *options,
                             const struct gate_profile *profile, const struct gate_frame_texts *texts,
                             struct gate_arena *scratch);

/** `question`: its answer is not read. */
GATE_MUST_CHECK
bool gate_frame_owners_ask(struct gate_frame_owners *owners, const struct gate_frame_question *question,
                           struct gate_error *err);

/**
 * Answer what was asked so far: is_own and code of `frames`, and is_runtime of those that are new. A name that
 * several files have, "<module>" or "run", is the program's own where one of them is: so it does not matter which comes
 * first.
 *
 * err   GATE_ERR_CONFIG a pattern of the rules is too hard
 *
 * O(questions * (rows + patterns)), in two threads where they are many.
 */
GATE_MUST_CHECK bool gate_frame_owners_answer(struct gate_frame_owners *owners, struct gate_frame *frames,
                                              struct gate_error *err);

#endif
