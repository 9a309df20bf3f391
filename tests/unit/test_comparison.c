/* SPDX-License-Identifier: Apache-2.0 */
/* compare/comparison.h: facts about every frame before any budget: evidence, suspects, order by change, and work. */
#include "tests/unit/counts_fixture.h"

#include "gate/compare/holm.h"
#include "sweep.h"
#include "tests/unit/near.h"

static void judge(struct counts_fixture *f, double baseline_work, double canary_work) {
    const double work[GATE_SIDES] = {baseline_work, canary_work};
    if (!gate_comparison_judge(&f->comparison, work, &f->arena, &f->err))
        fail_msg("%s", f->err.message);
}

TEST(each_measure_has_its_own_evidence) {
    COUNTS(f, 4, 3, 3, 2000);
    counts_set_all(&f, 1, 100, 300);
    counts_set_all(&f, 2, 200, 200);
    f.comparison.deltas.items[2].value[GATE_CUMULATIVE][GATE_CANARY] += 900; /* 300 per run in its callees */
    for (uint32_t r = 3; r < 6; r++)
        f.comparison.deltas.tallies[GATE_CUMULATIVE][r * 4 + 2] = (struct gate_tally){500, 500};
    f.comparison.deltas.items[2].set_id[GATE_CUMULATIVE] ^= 1;
    judge(&f, 0, 0);
    struct gate_evidence_options options = {.noise = NULL};
    assert_true(gate_evidence_prior(&options, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    for (uint32_t i = 0; i < 4; i++)
        for (int m = 0; m < GATE_MEASURES; m++) {
            struct gate_evidence alone = gate_evidence_of(&f.comparison.pair, &f.comparison.deltas, i,
                                                          (enum gate_measure)m, f.frames[i].name, &options);
            const struct gate_evidence *found = f.comparison.frames[i].evidence[m];
            assert_near(found->z, alone.z, 0);
            assert_near(found->log_p, alone.log_p, 0);
            assert_near(gate_evidence_two_sided(found), gate_evidence_two_sided(&alone), 0);
            assert_near(found->share[GATE_CANARY], alone.share[GATE_CANARY], 0);
        }
    assert_true(f.comparison.frames[2].evidence[GATE_CUMULATIVE]->z > f.comparison.frames[2].evidence[GATE_SELF]->z);
}

/* Frames with the same samples share one evidence. Frames without samples share one per class of variation. Frames with
 * other samples never share it, even if their values are equal. */
TEST(equal_evidence_of_frames_is_shared) {
    COUNTS(f, 6, 1, 1, 2000);
    counts_set_all(&f, 1, 100, 300);
    counts_set_all(&f, 2, 100, 300);
    f.comparison.deltas.items[2].set_id[GATE_CUMULATIVE] ^= 1;
    for (uint32_t i = 3; i < 6; i++)
        for (int m = 0; m < GATE_MEASURES; m++)
            f.comparison.deltas.items[i].set_id[m] = 0;
    f.frames[5].is_runtime = !f.frames[5].is_runtime;
    judge(&f, 0, 0);
    const struct gate_frame_judgement *frames = f.comparison.frames;
    assert_ptr_equal(frames[1].evidence[GATE_CUMULATIVE], frames[1].evidence[GATE_SELF]);
    assert_ptr_not_equal(frames[2].evidence[GATE_CUMULATIVE], frames[2].evidence[GATE_SELF]);
    assert_ptr_not_equal(frames[2].evidence[GATE_CHARGED], frames[2].evidence[GATE_CUMULATIVE]);
    assert_true(frames[2].evidence[GATE_CHARGED]->log_p < 0.0); /* equal counts: copied */
    assert_near(frames[2].evidence[GATE_CHARGED]->log_p, frames[2].evidence[GATE_CUMULATIVE]->log_p, 0);
    assert_near(frames[2].evidence[GATE_CHARGED]->z, frames[2].evidence[GATE_CUMULATIVE]->z, 0);
    assert_ptr_not_equal(frames[2].evidence[GATE_SELF], frames[1].evidence[GATE_SELF]);
    assert_ptr_equal(frames[4].evidence[GATE_SELF], frames[3].evidence[GATE_SELF]);
    assert_ptr_equal(frames[4].evidence[GATE_CHARGED], frames[3].evidence[GATE_SELF]);
    assert_ptr_not_equal(frames[5].evidence[GATE_SELF], frames[3].evidence[GATE_SELF]);
    assert_true(frames[5].evidence[GATE_SELF]->is_wide != frames[3].evidence[GATE_SELF]->is_wide);
}

/* Suspects are found by Benjamini-Hochberg at 1%, two-sided, over the frames with enough counts. Other frames are never
 * suspects. */
TEST(suspects_are_the_frames_that_benjamini_hochberg_rejects) {
    COUNTS(f, 8, 3, 3, 5000);
    static const int64_t counts[8][2] = {{2000, 2000}, {500, 900}, {700, 400}, {300, 300},
                                         {250, 290},   {2, 3},     {0, 1},     {200, 260}};
    for (uint32_t i = 0; i < 8; i++)
        counts_set_all(&f, i, counts[i][0], counts[i][1]);
    judge(&f, 0, 0);
    double log_p[8], adjusted[8];
    struct gate_ranked scratch[8];
    uint32_t tested = 0, at = 0;
    for (uint32_t i = 0; i < 8; i++)
        if (f.comparison.frames[i].evidence[GATE_SELF]->is_tested)
            log_p[tested++] = gate_evidence_two_sided(f.comparison.frames[i].evidence[GATE_SELF]);
    gate_holm_bh_adjust(log_p, adjusted, scratch, tested, tested);
    assert_int_equal(tested, 6);
    for (uint32_t i = 0; i < 8; i++) {
        const struct gate_frame_judgement *frame = &f.comparison.frames[i];
        bool is_tested = i != 5 && i != 6;
        assert_int_equal(frame->evidence[GATE_SELF]->is_tested, is_tested);
        assert_near(frame->log_p_bh[GATE_SELF], is_tested ? adjusted[at] : 0.0, 1e-12);
        assert_int_equal(frame->is_suspect[GATE_SELF], is_tested && adjusted[at] <= log(0.01));
        at += is_tested;
        assert_false(frame->is_broken);
    }
    assert_true(f.comparison.frames[1].is_suspect[GATE_SELF] && f.comparison.frames[2].is_suspect[GATE_SELF]);
    assert_true(f.comparison.frames[1].is_suspect[GATE_CUMULATIVE]);
    assert_false(f.comparison.frames[0].is_suspect[GATE_SELF]);
}

TEST(movers_come_first_then_names) {
    COUNTS(f, 6, 1, 1, 10000);
    static const int64_t counts[6][2] = {{5000, 5000}, {500, 600}, {800, 500}, {300, 300}, {600, 500}, {0, 0}};
    for (uint32_t i = 0; i < 6; i++)
        counts_set_all(&f, i, counts[i][0], counts[i][1]);
    f.frames[3].name = f.frames[5].name; /* equal names are in order of index */
    judge(&f, 0, 0);
    static const uint32_t order[] = {2, 1, 4, 3, 5, 0};
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(f.comparison.by_self[i], order[i]);
}

TEST(work_is_given_or_estimated) {
    static const struct {
        double work[2];
        bool is_known;
        double ratio;
    } works[] = {{{50, 100}, true, 2.0},
                 {{0.5, 0.25}, true, 0.5},
                 {{0, 100}, false, 500.5 / 400.5},
                 {{50, 0}, false, 500.5 / 400.5},
                 {{0, 0}, false, 500.5 / 400.5}};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        COUNTS(f, 8, 1, 1, 10000);
        for (uint32_t frame = 0; frame < 8; frame++)
            counts_set_all(&f, frame, 400, 500);
        f.comparison.pair.has_no_own = true;
        judge(&f, works[i].work[0], works[i].work[1]);
        assert_int_equal(f.comparison.work_is_known, works[i].is_known);
        assert_near(f.comparison.work_ratio, works[i].ratio, 1e-9);
        assert_int_equal(f.comparison.work_is_estimated, !works[i].is_known);
    }
}

/* The canary did half the work with as many samples, so the total costs twice as much. */
TEST(a_function_that_grew_like_all_others_does_not_explain_the_total) {
    static const struct {
        int64_t large[GATE_SIDES], small[GATE_SIDES];
        uint32_t found;
    } rows[] = {{{800, 800}, {100, 100}, GATE_NO_INDEX}, /* everything doubled: a slower machine */
                {{800, 760}, {100, 100}, GATE_NO_INDEX},
                {{800, 800}, {100, 350}, 2},             /* 30% of the growth, 7 times its cost, beats 40% at 2 times */
                {{800, 800}, {100, 240}, GATE_NO_INDEX}, /* 19% of the growth: too little */
                {{800, 1400}, {100, 100}, 1},            /* 3.5 times, all others 1.1 times */
                {{1200, 1200}, {100, 100}, 1},           /* at 60% of the growth, whatever the rest did */
                {{0, 700}, {100, 100}, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        COUNTS(f, 4, 1, 1, 2000);
        counts_set_all(&f, 1, rows[i].large[GATE_BASELINE], rows[i].large[GATE_CANARY]);
        counts_set_all(&f, 2, rows[i].small[GATE_BASELINE], rows[i].small[GATE_CANARY]);
        f.frames[1].is_own = f.frames[2].is_own = true;
        judge(&f, 200, 100);
        assert_int_equal(gate_comparison_most_grown(&f.comparison), rows[i].found);
    }
}

TEST(any_limit_on_memory_is_a_clean_error) {
    const double work[GATE_SIDES] = {0, 0};
    COUNTS(f, 8, 1, 1, 1000);
    counts_set_all(&f, 1, 100, 200);
    struct sweep s = {0};
    while (sweep_next(&s, 64))
        s.done = gate_comparison_judge(&f.comparison, work, &s.arena, &s.err);
    assert_true(s.refused > 5);
}
