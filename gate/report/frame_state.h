/* SPDX-License-Identifier: Apache-2.0 */
/* How sure a frame's change is, in a word.
 * Pipeline: compare/comparison.h -> report/frame_state.h -> the tables of frames */
#ifndef GATE_REPORT_FRAME_STATE_H
#define GATE_REPORT_FRAME_STATE_H

#include "gate/compare/comparison.h"

/** The more certain one is larger. */
enum gate_frame_state { GATE_FRAME_NOT_TESTED, GATE_FRAME_WITHIN_NOISE, GATE_FRAME_SIGNIFICANT, GATE_FRAME_STATES };

/** Of one measure. */
enum gate_frame_state gate_frame_state_of(const struct gate_frame_judgement *frame, enum gate_measure measure);

/** The most certain of all measures. */
enum gate_frame_state gate_frame_state_most(const struct gate_frame_judgement *frame);

/** "too few samples", "within noise", "significant"; static text. The page's script gets the same table. */
const char *gate_frame_state_name(enum gate_frame_state state);

#endif
