/* SPDX-License-Identifier: Apache-2.0 */
/* Limits the number of comparisons that `calibrate` and `prove` make. docs/performance.md has the measured weights. */
#include "gate/session/comparison_limit.h"

#include "gate/session/session.h"

enum { FRAME_STEPS = 64, PAIRS_PART = 16, DRAWS_LEAST = 10, DRAWS_TIMES = 8, USUAL_TIMES = 2 };

static uint64_t times(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

uint64_t gate_comparison_limit_steps(uint64_t records, uint64_t frames) {
    uint64_t of_frames = times(frames, FRAME_STEPS);
    return records > UINT64_MAX - of_frames ? UINT64_MAX : records + of_frames;
}

static void note(struct gate_session *session, struct gate_str text) {
    if (text.ptr != NULL)
        gate_session_note(session, text);
}

uint64_t gate_comparison_limit_pairs(uint64_t wanted, uint64_t each, const struct gate_limits *limits,
                                     struct gate_session *session) {
    uint64_t most = gate_steps_most(&session->steps, limits) / PAIRS_PART / (each == 0 ? 1 : each);
    most = most < GATE_COMPARISON_LIMIT_PAIRS_LEAST ? GATE_COMPARISON_LIMIT_PAIRS_LEAST : most;
    if (wanted <= most)
        return wanted;
    note(session,
         gate_str_format(session->arena,
                         "the runs have so many functions and stacks that about %llu pairs of them are compared, "
                         "not %llu; --max-steps compares more",
                         (unsigned long long)most, (unsigned long long)wanted));
    return most;
}

bool gate_comparison_limit_draws(uint32_t *out, const struct gate_comparison_limit_draws *request,
                                 const struct gate_limits *limits, struct gate_session *session,
                                 struct gate_error *err) {
    const bool is_insisted = request->wanted > 0 || request->decides;
    uint64_t most = times(gate_steps_most(&session->steps, limits), is_insisted ? DRAWS_TIMES : USUAL_TIMES);
    uint64_t a_draw = times(request->sizes, request->each);
    uint64_t fit = most / (a_draw == 0 ? 1 : a_draw);
    uint64_t draws = request->wanted > 0 ? request->wanted : request->usual;
    if (request->wanted == 0 && draws > fit && fit >= DRAWS_LEAST) {
        note(session, gate_str_format(session->arena,
                                      "the baseline has so many functions and stacks that %llu draws are made of each "
                                      "size, not %llu; --draws or --max-steps makes more",
                                      (unsigned long long)fit, (unsigned long long)draws));
        draws = fit;
    }
    if (request->wanted == 0 && draws > fit)
        draws = DRAWS_LEAST;
    *out = (uint32_t)draws;
    if (draws <= fit)
        return true;
    return gate_error_set(err, GATE_ERR_LIMIT,
                          "%llu draws of %u sizes of growth ask for %llu steps of work, more than %llu; name functions "
                          "with --frame, make fewer %s--runs, or raise --max-steps if the input is trusted",
                          (unsigned long long)draws, (unsigned)request->sizes, (unsigned long long)times(draws, a_draw),
                          (unsigned long long)most, is_insisted ? "--draws or " : "");
}
