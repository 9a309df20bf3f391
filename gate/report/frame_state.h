/* SPDX-License-Identifier: Apache-2.0 */
/* How sure a frame's change is, in a word.
 * Pipeline: budget/verdict.h -> report/frame_state.h -> the tables of frames */
#ifndef GATE_REPORT_FRAME_STATE_H
#define GATE_REPORT_FRAME_STATE_H

#include "gate/budget/verdict.h"

/** The more telling one is larger. The last two are a budget's word, which goes before the table's own tests. */
enum gate_frame_state {
    GATE_FRAME_NOT_TESTED,
    GATE_FRAME_WITHIN_NOISE,
    GATE_FRAME_SIGNIFICANT,
    GATE_FRAME_UNDECIDED,
    GATE_FRAME_BROKEN,
    GATE_FRAME_STATES
};

/** What budgets say of each frame and measure: enum gate_frame_state, or 0 where they say nothing. */
struct gate_frame_words {
    uint8_t *of[GATE_MEASURES];
};

/** Of one comparison's frames. err: GATE_ERR_LIMIT the arena is full. O(frames + findings). */
GATE_MUST_CHECK
bool gate_frame_state_words(struct gate_frame_words *out, const struct gate_verdict *verdict, uint32_t comparison,
                            struct gate_arena *arena, struct gate_error *err);

/** Of one measure of a frame of the comparison, by budgets or else by the table's tests. */
enum gate_frame_state gate_frame_state_told(const struct gate_frame_words *words,
                                            const struct gate_comparison *comparison, uint32_t frame,
                                            enum gate_measure measure);

/** Of one measure. */
enum gate_frame_state gate_frame_state_of(const struct gate_frame_judgement *frame, enum gate_measure measure);

/** The most certain of all measures. */
enum gate_frame_state gate_frame_state_most(const struct gate_frame_judgement *frame);

/** "too few samples", "within noise", "significant", ...; static text. The page's script gets the same table. */
const char *gate_frame_state_name(enum gate_frame_state state);

#endif
