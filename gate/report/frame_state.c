/* SPDX-License-Identifier: Apache-2.0 */
/* How certain the change of a frame is. */
#include "gate/report/frame_state.h"

#include "gate/budget/verdict.h"

enum gate_frame_state gate_frame_state_of(const struct gate_frame_judgement *frame, enum gate_measure measure) {
    if (!frame->evidence[measure]->is_tested)
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

bool gate_frame_state_words(struct gate_frame_words *out, const struct gate_verdict *verdict, uint32_t comparison,
                            struct gate_arena *arena, struct gate_error *err) {
    uint32_t count = verdict->comparisons[comparison].pair.frame_count;
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        out->of[measure] = gate_arena_calloc(arena, (size_t)count + 1, 1);
        if (out->of[measure] == NULL)
            return gate_arena_error(arena, err);
    }
    for (uint32_t b = 0; b < verdict->budget_count; b++) {
        const struct gate_budget_result *result = &verdict->budgets[b];
        for (uint32_t i = 0; i < result->finding_count && result->comparison == comparison; i++) {
            const struct gate_finding *finding = &result->findings[i];
            uint8_t state = finding->outcome == GATE_OUTCOME_FAIL           ? GATE_FRAME_BROKEN
                            : finding->outcome == GATE_OUTCOME_INCONCLUSIVE ? GATE_FRAME_UNDECIDED
                                                                            : 0;
            if (finding->frame == GATE_NO_INDEX || !gate_cause_tells(finding))
                continue;
            uint8_t *word = &out->of[finding->measure][finding->frame];
            *word = state > *word ? state : *word;
        }
    }
    return true;
}

enum gate_frame_state gate_frame_state_told(const struct gate_frame_words *words,
                                            const struct gate_comparison *comparison, uint32_t frame,
                                            enum gate_measure measure) {
    enum gate_frame_state state = gate_frame_state_of(&comparison->frames[frame], measure);
    uint8_t word = words->of[measure][frame];
    return word != 0 && state != GATE_FRAME_NOT_TESTED ? (enum gate_frame_state)word : state;
}

const char *gate_frame_state_name(enum gate_frame_state state) {
    static const char *const names[GATE_FRAME_STATES] = {
        [GATE_FRAME_NOT_TESTED] = "too few samples", [GATE_FRAME_WITHIN_NOISE] = "within noise",
        [GATE_FRAME_SIGNIFICANT] = "significant",    [GATE_FRAME_UNDECIDED] = "not decided",
        [GATE_FRAME_BROKEN] = "breaks a budget",
    };
    return names[state];
}
