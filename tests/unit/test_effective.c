/* SPDX-License-Identifier: Apache-2.0 */
/* compare/noise.h: effective sample size of a frame's events, and dispersion of the runs of a side. */
#include "tests/unit/counts_fixture.h"

#include "gate/compare/noise.h"
#include "tests/unit/near.h"

static struct gate_effective of(const struct counts_fixture *f, uint32_t frame, enum gate_side_name side) {
    struct gate_effective sums;
    assert_true(gate_effective_of(&sums, &f->comparison.pair, &f->comparison.deltas, frame, GATE_SELF, side));
    return sums;
}

TEST(the_sample_size_of_equal_events_is_their_number) {
    COUNTS(f, 2, 2, 3, 1000);
    counts_set_all(&f, 1, 50, 100);
    struct gate_effective sums = of(&f, 1, GATE_CANARY);
    assert_near(sums.value, 300, 0);
    assert_near(sums.total, 3000, 0);
    assert_near(sums.item_sq, 300, 0);
    assert_near(sums.total_sq, 3000, 0);
    assert_near(sums.share, 0.1, 1e-15);
    assert_near(sums.n, 3000, 1e-12);
    assert_near(of(&f, 1, GATE_BASELINE).n, 2000, 1e-12);
}

/* Var(p) = [Q_f (1 - p)^2 + (Q - Q_f) p^2] / V^2, n = p q / Var. A finer unit (`unit_ratio` 1000) changes nothing. */
TEST(unequal_event_weights_reduce_the_sample_size) {
    for (int64_t ratio = 1; ratio <= 1000; ratio *= 1000) {
        COUNTS(f, 2, 1, 1, 1000 * ratio);
        counts_set_all(&f, 1, 200 * ratio, 0);
        double square = (double)ratio * (double)ratio;
        f.comparison.deltas.tallies[GATE_SELF][1].weight_sq = 4000 * square;
        f.runs[GATE_BASELINE][0].unit_ratio = ratio;
        f.runs[GATE_BASELINE][0].stacks.weight_sq = 4800;
        double variance = (4000 * 0.64 + 800 * 0.04) / 1e6;
        assert_near(of(&f, 1, GATE_BASELINE).n, 0.16 / variance, 1e-12);
    }
}

/* At a share of 0 or 1 the formula is 0 / 0, so n is the whole side's. If the frame's squared weights exceed the
 * side's, the rest counts as 0, not as negative. */
TEST(at_a_share_of_0_or_1_the_sample_size_is_the_sides) {
    COUNTS(f, 2, 1, 1, 1000);
    counts_set_all(&f, 0, 1000, 1000);
    f.runs[GATE_BASELINE][0].stacks.weight_sq = 4000;
    assert_near(of(&f, 0, GATE_BASELINE).n, 250, 1e-12);
    assert_near(of(&f, 1, GATE_BASELINE).n, 250, 1e-12);
    counts_set_all(&f, 1, 500, 500);
    f.comparison.deltas.tallies[GATE_SELF][1].weight_sq = 5000; /* more than the side's 4000 */
    assert_near(of(&f, 1, GATE_BASELINE).n, 0.25 / (5000 * 0.25 / 1e6), 1e-12);
    f.comparison.deltas.tallies[GATE_SELF][1].weight_sq = 0.0;
    assert_near(of(&f, 1, GATE_BASELINE).n, 250, 1e-12);
}

TEST(uncountable_events_have_no_sample_size) {
    for (int why = 0; why < 3; why++) {
        struct gate_effective sums;
        COUNTS(f, 2, 2, 2, 1000);
        counts_set_all(&f, 1, 100, 100);
        if (why == 0)
            f.runs[GATE_BASELINE][1].counts.kind = GATE_COUNTS_UNKNOWN;
        else if (why == 1)
            f.comparison.pair.sides[GATE_BASELINE].total = 0;
        else
            f.runs[GATE_BASELINE][0].stacks.weight_sq = f.runs[GATE_BASELINE][1].stacks.weight_sq = 0.0;
        assert_false(gate_effective_of(&sums, &f.comparison.pair, &f.comparison.deltas, 1, GATE_SELF, GATE_BASELINE));
        assert_true(sums.n == 0.0);
        assert_near(of(&f, 1, GATE_CANARY).n, 2000, 1e-12); /* the other side is unaffected */
    }
}

/* chi_square grows by the squared residuals of the runs around their side's share, over their sampling variance. The
 * previous sums in `out` are kept. */
TEST(runs_scatter_around_their_side) {
    COUNTS(f, 2, 1, 3, 1000);
    for (uint32_t r = 0; r < 3; r++)
        counts_set(&f, 1, GATE_CANARY, r, 90 + 10 * (int64_t)r);
    counts_set_all(&f, 0, 900, 900);
    struct gate_dispersion out = {.chi_square = 1.0, .df = 4.0};
    const struct gate_comparison *c = &f.comparison;
    struct gate_effective sums = of(&f, 1, GATE_CANARY), lone = of(&f, 1, GATE_BASELINE);
    gate_dispersion_add(&out, &c->pair, &c->deltas, 1, GATE_SELF, GATE_CANARY, &sums);
    assert_near(out.chi_square, 1.0 + 2 * 0.01 * 0.01 * 1000 / 0.09, 1e-12);
    assert_near(out.df, 6.0, 0);
    gate_dispersion_add(&out, &c->pair, &c->deltas, 1, GATE_SELF, GATE_BASELINE, &lone); /* one run adds nothing */
    assert_near(out.df, 6.0, 0);
    sums.share = 1.0;
    gate_dispersion_add(&out, &c->pair, &c->deltas, 1, GATE_SELF, GATE_CANARY, &sums);
    sums.share = 0.0;
    gate_dispersion_add(&out, &c->pair, &c->deltas, 1, GATE_SELF, GATE_CANARY, &sums);
    assert_near(out.df, 6.0, 0);
    f.runs[GATE_CANARY][1].total = 0; /* a run without events has no residual */
    sums = of(&f, 1, GATE_CANARY);
    out = (struct gate_dispersion){0};
    gate_dispersion_add(&out, &c->pair, &c->deltas, 1, GATE_SELF, GATE_CANARY, &sums);
    assert_near(out.chi_square, 2 * 0.01 * 0.01 * 1000 / 0.09, 1e-12);
}
