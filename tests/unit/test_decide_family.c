/* SPDX-License-Identifier: Apache-2.0 */
/* budget/decide.h: which hypotheses are tested and in the Holm family, and log_attainable (gate_hypothesis_test). */
#include "tests/unit/decide_fixture.h"

TEST(only_countable_hypotheses_are_tested) {
    static const struct {
        const char *name;
        enum gate_limit_kind kind;
        struct gate_counts2 counts;
        bool is_rare, is_uncounted, is_tested, is_in_family;
    } rows[] = {{"enough counts", GATE_LIMIT_SHARE_INCREASE, {500, 1e4, 500, 1e4}, false, false, true, true},
                {"too few counts", GATE_LIMIT_SHARE_INCREASE, {500, 1e4, 500, 1e4}, true, false, false, false},
                {"no counts", GATE_LIMIT_SHARE_INCREASE, {500, 1e4, 500, 1e4}, false, true, false, false},
                {"ratio, 10 in the canary", GATE_LIMIT_INCREASE, {500, 1e4, 10, 1e4}, false, false, true, true},
                {"ratio, 9 in the canary", GATE_LIMIT_INCREASE, {500, 1e4, 9, 1e4}, false, false, false, true},
                {"points, 9 in the canary", GATE_LIMIT_SHARE_INCREASE, {500, 1e4, 9, 1e4}, false, false, true, true},
                {"decrease, 9 in the canary", GATE_LIMIT_DECREASE, {500, 1e4, 9, 1e4}, false, false, false, false},
                {"decrease, 10 in the canary", GATE_LIMIT_DECREASE, {500, 1e4, 10, 1e4}, false, false, true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_limit limit = {.kind = rows[i].kind};
        struct gate_evidence evidence = decide_evidence(rows[i].counts, 1.0, !rows[i].is_uncounted);
        evidence.is_tested = !rows[i].is_rare;
        struct gate_hypothesis h = {.limit = &limit,
                                    .limit_value = rows[i].kind == GATE_LIMIT_SHARE_INCREASE ? 0.01 : 1.5,
                                    .log_p = 7.0,
                                    .evidence = &evidence};
        gate_hypothesis_test(&h, 0.05);
        if (h.is_tested != rows[i].is_tested || h.is_in_family != rows[i].is_in_family)
            fail_msg("%s: tested %d, in the family %d", rows[i].name, h.is_tested, h.is_in_family);
        assert_true(h.is_tested ? h.log_p == gate_hypothesis_family_log_p(&h, h.evidence) : h.log_p == 0.0);
    }
}

static struct gate_evidence with_split(const struct gate_hypothesis *h, double k2) {
    struct gate_evidence e = *h->evidence;
    e.counts.k1 += e.counts.k2 - k2;
    e.counts.k2 = k2;
    return e;
}

/* Check log_attainable by trying the splits of the counts between the sides, from the mildest on. Expected is the p
 * value of the first split that is confirmed to be over the limit, to about 1e-4 of the counts. The limit applies from
 * `least` counts in the canary on. */
static void assert_attainable(const struct gate_hypothesis *h, double least) {
    const struct gate_counts2 *c = &h->evidence->counts;
    double all = c->k1 + c->k2, step = all * 2e-5, even = all * c->n2 / (c->n1 + c->n2);
    for (double k2 = fmax(even, least); k2 <= fmin(all, c->n2); k2 += step) {
        struct gate_evidence e = with_split(h, k2);
        if (gate_hypothesis_margin_log_p(h, &e) > log(0.05))
            continue;
        struct gate_evidence milder = with_split(h, fmax(least, k2 - all * 1.2e-4));
        double found = h->log_attainable, strictest = gate_hypothesis_family_log_p(h, &e);
        if (!(found >= strictest - 1e-9) || !(found <= gate_hypothesis_family_log_p(h, &milder) + 1e-9))
            fail_msg("limit %g: found %.9g, expected %.9g or a little more", h->limit_value, found, strictest);
        assert_true(h->is_in_family);
        return;
    }
    assert_true(h->log_attainable == -INFINITY && !h->is_in_family);
}

TEST(the_attainable_p_belongs_to_the_mildest_split) {
    static const struct {
        enum gate_limit_kind kind;
        double limit;
        struct gate_counts2 counts;
        double least_share, least; /* `least`: counts in the canary, by hand */
    } rows[] = {{GATE_LIMIT_SHARE_INCREASE, 0.05, {500, 4000, 480, 5000}, 0, 0},
                {GATE_LIMIT_SHARE_INCREASE, 0.0, {500, 4000, 480, 5000}, 0, 0},
                {GATE_LIMIT_SHARE_INCREASE, 0.05, {50, 4000, 200, 5000}, 0, 0}, /* all 250 are 5%, not more */
                {GATE_LIMIT_SHARE_INCREASE, 0.05, {100, 4000, 170, 5000}, 0, 0},
                {GATE_LIMIT_SHARE_INCREASE, 0.05, {900, 1000, 900, 1000}, 0, 0},
                {GATE_LIMIT_INCREASE, 1.5, {500, 4000, 480, 5000}, 0, 0},
                {GATE_LIMIT_INCREASE, 1.5, {6, 4000, 16, 5000}, 0, 10},
                {GATE_LIMIT_INCREASE, 1.0, {15, 4000, 9, 1000}, 0, 10},        /* 10 counts are required */
                {GATE_LIMIT_INCREASE, 1.1, {20, 4000, 480, 5000}, 0.1, 500},   /* applies only with all 500 */
                {GATE_LIMIT_INCREASE, 1.1, {500, 4000, 480, 5000}, 0.12, 600}, /* applies from 12% on */
                {GATE_LIMIT_INCREASE, 1.1, {500, 4000, 480, 5000}, 0.3, 1500}, /* never applies */
                {GATE_LIMIT_SHARE_INCREASE, 0.01, {500, 4000, 480, 5000}, 0.13, 650}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decide_room room;
        struct gate_hypothesis h = decide_make(&room, rows[i].kind, rows[i].limit, rows[i].counts);
        h.least_share = rows[i].least_share;
        gate_hypothesis_test(&h, 0.05);
        assert_attainable(&h, rows[i].least);
    }
}

/* All 64 counts in the canary equal the limit. That is not over it, however lax the level is. */
TEST(at_its_limit_a_hypothesis_cannot_be_rejected) {
    struct decide_room room;
    struct gate_hypothesis h =
        decide_make(&room, GATE_LIMIT_SHARE_INCREASE, 0.0625, (struct gate_counts2){56, 1024, 8, 1024});
    gate_hypothesis_test(&h, 0.9);
    assert_false(h.is_in_family);
}

/* A new frame has one split only: all counts in the canary. A limit that does not bound growth needs no split. */
TEST(share_limits_attain_every_p_and_new_frames_that_of_all_counts) {
    struct decide_room room;
    struct gate_hypothesis h =
        decide_make(&room, GATE_LIMIT_NEW_FRAME, 0.02, (struct gate_counts2){100, 1e4, 300, 1e4});
    struct gate_evidence all = *h.evidence;
    all.counts = (struct gate_counts2){0, 1e4, 400, 1e4};
    decide_assert_near(h.log_attainable, gate_hypothesis_family_log_p(&h, &all), 1e-12);
    h = decide_make(&room, GATE_LIMIT_SHARE, 0.02, (struct gate_counts2){100, 1e4, 300, 1e4});
    assert_true(h.log_attainable == 0.0 && h.is_in_family);
    h = decide_make(&room, GATE_LIMIT_DECREASE, 0.9, (struct gate_counts2){100, 1e4, 300, 1e4});
    assert_true(h.log_attainable == 0.0 && h.is_in_family);
}

/* Costs per unit of work are rates. The same checks apply on the scale of shares. */
TEST(the_attainable_p_of_rates_is_computed) {
    struct decide_row row = {.limit = 0.1, .counts = {4000, 4e7, 4400, 4e7}, .dilution = RATES};
    struct decide_room room;
    struct gate_hypothesis h = decide_hypothesis(&row, &room);
    assert_attainable(&h, 0);
    row.kind = GATE_LIMIT_INCREASE;
    row.limit = 1.1;
    h = decide_hypothesis(&row, &room);
    h.least_share = 1.2; /* 4800 counts */
    gate_hypothesis_test(&h, 0.05);
    assert_attainable(&h, 4800);
}
