/* SPDX-License-Identifier: Apache-2.0 */
/* How certain the change of a frame is, in one word. */
#ifndef GATE_REPORT_FRAME_STATE_H
#define GATE_REPORT_FRAME_STATE_H

#include "gate/budget/verdict.h"

/** Certainty, increasing. The last two come from budgets and take precedence over the table's own test. */
enum gate_frame_state {
    GATE_FRAME_NOT_TESTED,
    GATE_FRAME_WITHIN_NOISE,
    GATE_FRAME_SIGNIFICANT,
    GATE_FRAME_UNDECIDED,
    GATE_FRAME_BROKEN,
    GATE_FRAME_STATES
};

/** Outcome of the budgets for each measure and frame: an enum gate_frame_state, or 0 if no budget has one. */
struct gate_frame_words {
    uint8_t *of[GATE_MEASURES];
};

/** Collect the outcomes for the frames of one comparison. err: GATE_ERR_LIMIT `arena` is full. O(frames + findings). */
GATE_MUST_CHECK
bool gate_frame_state_words(struct gate_frame_words *out, const struct gate_verdict *verdict, uint32_t comparison,
                            struct gate_arena *arena, struct gate_error *err);

/**
 * Return the state of one measure of a frame: that of `words`, else by the table's test. Without enough samples it is
 * GATE_FRAME_NOT_TESTED in any case.
 */
enum gate_frame_state gate_frame_state_told(const struct gate_frame_words *words,
                                            const struct gate_comparison *comparison, uint32_t frame,
                                            enum gate_measure measure);

/** Return the state of one measure by the table's test alone. */
enum gate_frame_state gate_frame_state_of(const struct gate_frame_judgement *frame, enum gate_measure measure);

/** Return the most certain state of all measures, by the table's test alone. */
enum gate_frame_state gate_frame_state_most(const struct gate_frame_judgement *frame);

/** Return "too few samples", "within noise", "significant", ...; static text. The page's script gets the same texts. */
const char *gate_frame_state_name(enum gate_frame_state state);

#endif
