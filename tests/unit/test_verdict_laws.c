/* SPDX-License-Identifier: Apache-2.0 */
/* budget/verdict.h: properties that hold for any samples. More samples of a frame never help it, the two sides are
 * opposites, and the order of frames does not matter. Checked on random small pairs, the same in each run. */
#include "tests/unit/counts_fixture.h"

enum { FRAMES = 7, RUNS_MAX = 3, DRAWS = 400 };

/* A pair as plain counts. */
struct draw {
    uint32_t runs[GATE_SIDES];
    int64_t counts[FRAMES][GATE_SIDES][RUNS_MAX];
    enum gate_limit_kind kind;
    enum gate_budget_measure measure;
    double limit, max_mde;
    bool work_is_known;
};

static double uniform(uint64_t *seed) {
    return (double)(gate_hash_mix(++*seed) >> 11) * 0x1p-53;
}

static const enum gate_limit_kind kinds[] = {GATE_LIMIT_SHARE_INCREASE, GATE_LIMIT_INCREASE, GATE_LIMIT_SHARE,
                                             GATE_LIMIT_NEW_FRAME, GATE_LIMIT_DECREASE};

/* Frames with 30 to 3,000 counts per run, which vary by sampling or somewhat more. Frame 1 grew by a factor of up to
 * ten. */
static struct draw draw_pair(uint64_t *seed) {
    struct draw d = {.kind = kinds[(int)(uniform(seed) * 5)]};
    d.runs[GATE_BASELINE] = 1 + (uint32_t)(uniform(seed) * RUNS_MAX);
    d.runs[GATE_CANARY] = uniform(seed) < 0.7 ? d.runs[GATE_BASELINE] : 1 + (uint32_t)(uniform(seed) * RUNS_MAX);
    d.measure = uniform(seed) < 0.7 ? GATE_MEASURE_SELF : GATE_MEASURE_CUMULATIVE;
    d.limit = d.kind == GATE_LIMIT_INCREASE   ? 1.0 + 2.0 * uniform(seed)
              : d.kind == GATE_LIMIT_DECREASE ? 0.5 + 0.5 * uniform(seed)
                                              : 0.1 * uniform(seed);
    d.max_mde = uniform(seed) < 0.3 ? 0.1 * uniform(seed) : 0.0;
    d.work_is_known = uniform(seed) < 0.3;
    for (uint32_t i = 0; i < FRAMES; i++) {
        double mean = 30.0 * exp(4.6 * uniform(seed)), growth = i == 1 ? exp(2.3 * uniform(seed)) : 1.0;
        if (i == 1 && (d.kind == GATE_LIMIT_NEW_FRAME || uniform(seed) < 0.1))
            mean = 0.0;
        for (int side = 0; side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < RUNS_MAX; r++) {
                double wave = 1.0 + 0.1 * (uniform(seed) - 0.5), factor = side == GATE_CANARY ? growth : 1.0;
                bool is_new = mean == 0.0 && side == GATE_CANARY;
                d.counts[i][side][r] = (int64_t)(is_new ? 40.0 * growth * growth * wave : mean * factor * wave);
            }
    }
    return d;
}

/* Frame `place[i]` of the pair is frame i of the draw. If `place` is NULL, they are in order. The caller ends it with
 * counts_end. */
static void reach(struct counts_fixture *f, const struct draw *d, const uint32_t *place) {
    static const char *const names[FRAMES] = {"rest", "a", "b", "c", "d", "e", "f"};
    counts_begin(f, FRAMES, d->runs[0], d->runs[1], 0);
    for (uint32_t i = 0; i < FRAMES; i++) {
        uint32_t at = place == NULL ? i : place[i];
        f->frames[at].name = gate_str_from(names[i]);
        for (int side = 0; side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < d->runs[side]; r++) {
                struct gate_run *run = &f->runs[side][r];
                int64_t count = d->counts[i][side][r];
                counts_set(f, at, side, r, count);
                run->total += count;
                run->events += (double)count;
                run->stacks.weight_sq += (double)count;
                f->comparison.pair.sides[side].total += count;
                f->comparison.pair.sides[side].events += (double)count;
            }
    }
    if (d->work_is_known)
        f->options.work[GATE_BASELINE] = f->options.work[GATE_CANARY] = 1000;
    counts_budget(f, "b", d->measure, d->kind, d->limit)->max_mde = d->max_mde;
    f->rules.min_samples = 0;
    counts_reach(f);
}

/* Return the outcome of "a"; a pass if the limit ignores it. */
static enum gate_outcome outcome_of(const struct counts_fixture *f) {
    for (size_t i = 0; i < f->verdict.hypothesis_count; i++)
        if (gate_str_equal(f->verdict.hypotheses[i].name, GATE_STR("a")))
            return f->verdict.hypotheses[i].outcome;
    return GATE_OUTCOME_PASS;
}

static enum gate_outcome outcome_of_draw(const struct draw *d) {
    struct counts_fixture f;
    reach(&f, d, NULL);
    enum gate_outcome outcome = outcome_of(&f);
    counts_end(&f);
    return outcome;
}

/* Add samples of a frame to each run of the canary, in proportion. A fail does not become a pass. */
TEST(more_samples_of_a_frame_never_turn_a_fail_into_a_pass) {
    uint64_t seed = 11;
    uint32_t failed = 0, passed = 0;
    for (int i = 0; i < DRAWS; i++) {
        struct draw d = draw_pair(&seed), more = d;
        double part = 1.0 + 2.0 * uniform(&seed) * uniform(&seed);
        for (uint32_t r = 0; r < RUNS_MAX; r++)
            more.counts[1][GATE_CANARY][r] = (int64_t)ceil(part * (double)d.counts[1][GATE_CANARY][r]);
        enum gate_outcome before = outcome_of_draw(&d), after = outcome_of_draw(&more);
        failed += before == GATE_OUTCOME_FAIL;
        passed += after <= GATE_OUTCOME_PASS;
        if (before == GATE_OUTCOME_FAIL && after <= GATE_OUTCOME_WARN)
            fail_msg("draw %d (limit kind %d): failed, and with %g times the samples is %s", i, d.kind, part,
                     gate_outcome_name(after));
    }
    assert_true(failed > DRAWS / 5 && passed > DRAWS / 10);
}

/* With the sides swapped growth is a decrease, so a limit on growth never fails both ways. */
TEST(swapped_sides_do_not_both_fail) {
    uint64_t seed = 12;
    uint32_t failed = 0;
    for (int i = 0; i < DRAWS; i++) {
        struct draw d = draw_pair(&seed), swapped = d;
        if (d.kind == GATE_LIMIT_SHARE || d.kind == GATE_LIMIT_DECREASE)
            continue;
        for (uint32_t frame = 0; frame < FRAMES; frame++)
            for (int side = 0; side < GATE_SIDES; side++) {
                swapped.runs[side] = d.runs[1 - side];
                memcpy(swapped.counts[frame][side], d.counts[frame][1 - side], sizeof d.counts[frame][side]);
            }
        bool one = outcome_of_draw(&d) == GATE_OUTCOME_FAIL, other = outcome_of_draw(&swapped) == GATE_OUTCOME_FAIL;
        assert_false(one && other);
        failed += one;
    }
    assert_true(failed > DRAWS / 10);
}

/* A canary that is identical to its baseline never fails a limit on growth. */
TEST(equal_sides_never_fail) {
    uint64_t seed = 13;
    for (int i = 0; i < DRAWS; i++) {
        struct draw d = draw_pair(&seed);
        if (d.kind == GATE_LIMIT_SHARE || d.kind == GATE_LIMIT_DECREASE)
            continue;
        d.runs[GATE_CANARY] = d.runs[GATE_BASELINE];
        for (uint32_t frame = 0; frame < FRAMES; frame++)
            memcpy(d.counts[frame][GATE_CANARY], d.counts[frame][GATE_BASELINE], sizeof d.counts[frame][0]);
        assert_true(outcome_of_draw(&d) <= GATE_OUTCOME_INCONCLUSIVE);
    }
}

/* The same frames in another order: each has the same outcome, and the findings have the same order. */
TEST(the_order_of_frames_does_not_matter) {
    uint64_t seed = 14;
    for (int i = 0; i < DRAWS; i++) {
        struct draw d = draw_pair(&seed);
        AT_END(counts_end) struct counts_fixture f, g;
        uint32_t place[FRAMES];
        for (uint32_t k = 0; k < FRAMES; k++)
            place[k] = k;
        for (uint32_t k = FRAMES - 1; k > 0; k--) {
            uint32_t other = (uint32_t)(uniform(&seed) * (k + 1)), kept = place[k];
            place[k] = place[other];
            place[other] = kept;
        }
        reach(&f, &d, NULL);
        reach(&g, &d, place);
        const struct gate_budget_result *a = &f.verdict.budgets[0], *b = &g.verdict.budgets[0];
        assert_int_equal(a->outcome, b->outcome);
        assert_int_equal(a->finding_count, b->finding_count);
        for (uint32_t k = 0; k < a->finding_count; k++) {
            assert_true(gate_str_equal(a->findings[k].function, b->findings[k].function));
            assert_int_equal(a->findings[k].outcome, b->findings[k].outcome);
            assert_int_equal(a->findings[k].reason, b->findings[k].reason);
        }
    }
}
