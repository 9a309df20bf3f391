/* SPDX-License-Identifier: Apache-2.0 */
/* compare/evidence.h: the variation of a difference from round to round, and when it is used instead of the variation
 * within sides. */
#include "counts_fixture.h"

#include "gate/compare/evidence.h"

enum { TOTAL = 1000 };

static void assert_near(double found, double expected) {
    if (!(fabs(found - expected) <= 1e-9 * fmax(1.0, fabs(expected))))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

static void begin(struct counts_fixture *f, uint32_t runs, const int64_t counts[GATE_SIDES][COUNTS_RUNS_MAX]) {
    counts_begin(f, 2, runs, runs, TOTAL);
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < runs; r++) {
            counts_set(f, 1, side, r, counts[side][r]);
            counts_set(f, 0, side, r, TOTAL - counts[side][r]);
        }
    f->frames[0].is_own = f->frames[1].is_own = true;
    f->comparison.pair.is_interleaved = true;
}

static struct gate_dispersion dispersion(const struct counts_fixture *f, bool *is_there) {
    struct gate_effective sums[GATE_SIDES];
    struct gate_dispersion out;
    for (int side = 0; side < GATE_SIDES; side++)
        assert_true(gate_effective_of(&sums[side], &f->comparison.pair, &f->comparison.deltas, 1, GATE_SELF,
                                      (enum gate_side_name)side));
    *is_there = gate_paired_dispersion(&out, &f->comparison.pair, &f->comparison.deltas, 1, GATE_SELF, sums);
    return out;
}

/* Both sides rise and fall together: the runs of a side differ, the differences between the sides do not. */
TEST(variation_common_to_both_sides_cancels) {
    static const int64_t counts[GATE_SIDES][COUNTS_RUNS_MAX] = {{50, 150, 100}, {70, 170, 120}};
    AT_END(counts_end) struct counts_fixture f;
    bool is_there = false;
    begin(&f, 3, counts);
    struct gate_dispersion found = dispersion(&f, &is_there);
    assert_true(is_there);
    assert_near(found.df, 2.0);
    assert_near(found.chi_square, 0.0);
}

/* Differences of +20, -20 and 0 samples of 1000, at shares of 10%. The expected value is calculated by hand. */
TEST(only_differences_beyond_sampling_count) {
    static const int64_t counts[GATE_SIDES][COUNTS_RUNS_MAX] = {{100, 100, 100}, {120, 80, 100}};
    AT_END(counts_end) struct counts_fixture f;
    bool is_there = false;
    begin(&f, 3, counts);
    struct gate_dispersion found = dispersion(&f, &is_there);
    double variance_of_one = 2.0 * 0.1 * 0.9 / TOTAL;
    assert_true(is_there);
    assert_near(found.chi_square, 2.0 * 0.02 * 0.02 / variance_of_one);
}

/* Two rounds of two replicas each. The differences of the replicas cancel within a round, so the rounds do not
 * differ. */
TEST(a_round_of_several_runs_is_one) {
    static const int64_t counts[GATE_SIDES][COUNTS_RUNS_MAX] = {{100, 100, 100, 100}, {140, 60, 130, 70}};
    AT_END(counts_end) struct counts_fixture f;
    bool is_there = false;
    begin(&f, 4, counts);
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < 4; r++)
            f.runs[side][r].input.round = 1 + r / 2;
    assert_int_equal(gate_paired_rounds(&f.comparison.pair.sides[GATE_CANARY]), 2);
    struct gate_dispersion found = dispersion(&f, &is_there);
    assert_true(is_there);
    assert_near(found.df, 1.0);
    assert_near(found.chi_square, 0.0);
}

TEST(one_round_gives_no_dispersion) {
    static const int64_t counts[GATE_SIDES][COUNTS_RUNS_MAX] = {{100}, {120}};
    AT_END(counts_end) struct counts_fixture f;
    bool is_there = true;
    begin(&f, 1, counts);
    (void)dispersion(&f, &is_there);
    assert_false(is_there);
}

TEST(pairs_agree_only_if_their_variation_is_much_smaller) {
    assert_true(gate_paired_agrees(0.0, 0.02, 3));
    assert_true(gate_paired_agrees(0.009, 0.02, 3));
    assert_false(gate_paired_agrees(0.011, 0.02, 3));
    assert_false(gate_paired_agrees(0.03, 0.02, 5));
    assert_false(gate_paired_agrees(0.0, 0.0, 5)); /* no variation within the sides, so pairs cannot be better */
    assert_false(gate_paired_agrees(0.0, 0.02, 2));
}

/* Paired evidence is more precise if both sides rise and fall together. Otherwise it equals unpaired evidence. */
TEST(paired_evidence_is_used_if_pairs_agree) {
    static const int64_t together[GATE_SIDES][COUNTS_RUNS_MAX] = {{60, 150, 90, 120}, {80, 170, 110, 140}},
                         apart[GATE_SIDES][COUNTS_RUNS_MAX] = {{60, 150, 90, 120}, {140, 110, 170, 80}};
    for (int is_apart = 0; is_apart < 2; is_apart++) {
        AT_END(counts_end) struct counts_fixture f;
        struct gate_evidence_options options = {.noise = NULL}, unpaired = {.noise = NULL};
        begin(&f, 4, is_apart ? apart : together);
        for (int m = GATE_SELF + 1; m < GATE_MEASURES; m++) /* each measure consists of the samples of self cost */
            for (uint32_t i = 0; i < 2; i++)
                f.comparison.deltas.items[i].set_id[m] = f.comparison.deltas.items[i].set_id[GATE_SELF];
        assert_true(gate_evidence_prior(&options, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
        f.comparison.pair.is_interleaved = false;
        assert_true(gate_evidence_prior(&unpaired, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
        assert_int_equal(options.is_paired, !is_apart);
        assert_false(unpaired.is_paired);
        struct gate_evidence paired = counts_evidence(&f, 1, &options), sides = counts_evidence(&f, 1, &unpaired);
        assert_int_equal(paired.is_paired, !is_apart);
        assert_near(paired.delta, sides.delta);
        if (is_apart)
            assert_near(paired.phi, sides.phi);
        else
            assert_true(paired.phi == 1.0 && sides.phi > 2.0);
        assert_near(paired.df, is_apart ? sides.df : 20.0 + 3.0);
    }
}

/* A noise model covers variation between runs, not between pairs. The part that remains for pairs is estimated. */
TEST(a_noise_model_is_reduced_for_pairs) {
    static const int64_t counts[GATE_SIDES][COUNTS_RUNS_MAX] = {{60, 150, 90, 120}, {80, 170, 110, 140}};
    struct gate_noise noise = {.run_count = 10, .rho = {0.01, 0.01, 0.01}};
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 4, counts);
    struct gate_evidence_options paired = {.noise = &noise}, unpaired = {.noise = &noise};
    paired.paired_part[GATE_SELF][GATE_DISPERSION_OWN] = 1.0; /* value before it is estimated */
    assert_true(gate_evidence_prior(&paired, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    f.comparison.pair.is_interleaved = false;
    assert_true(gate_evidence_prior(&unpaired, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    assert_true(paired.is_paired);
    assert_near(paired.paired_part[GATE_SELF][GATE_DISPERSION_OWN], 0.0);
    assert_true(counts_evidence(&f, 1, &paired).phi < counts_evidence(&f, 1, &unpaired).phi);
}
