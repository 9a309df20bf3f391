/* SPDX-License-Identifier: Apache-2.0 */
/* How sure a frame's change is (see frame_state.h). */
#include "gate/report/frame_state.h"

enum gate_frame_state gate_frame_state_of(const struct gate_frame_judgement *frame, enum gate_measure measure) {
    if (!frame->evidence[measure].is_tested)
        return GATE_FRAME_NOT_TESTED;
    return frame->is_suspect[measure] ? GATE_FRAME_SIGNIFICANT : GATE_FRAME_WITHIN_NOISE;
}

enum gate_frame_state gate_frame_state_most(const struct gate_frame_judgement *frame) {
    enum gate_frame_state most = GATE_FRAME_NOT_TESTED;
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        enum gate_frame_state state = gate_frame_state_of(frame, (enum gate_measure)measure);
        most = state > most ? state : most;
    }
    return most;
}

const char *gate_frame_state_name(enum gate_frame_state state) {
    static const char *const names[GATE_FRAME_STATES] = {
        [GATE_FRAME_NOT_TESTED] = "too few samples",
        [GATE_FRAME_WITHIN_NOISE] = "within noise",
        [GATE_FRAME_SIGNIFICANT] = "significant",
    };
    return names[state];
}
