/* SPDX-License-Identifier: Apache-2.0 */
/* compare/plant.h: the expected factor of each record in drawn runs, with and without planted growth. */
#include "gate/compare/plant.h"

#include "pair_fixture.h"

#include <math.h>

enum { RECORDS = 4 };

/* Of 1000 samples, 200 are charged to main.work (100 of them through a library) and 100 to main.small. */
static const char stacks[] = "main.main;main.work 100\n"
                             "main.main;main.work;fmt.Sprintf 100\n"
                             "main.main;main.small 100\n"
                             "main.main 700\n";

struct planted {
    struct pair_fixture f;
    struct gate_plant_base base;
};

static void begin(struct planted *p) {
    const struct gate_pair_options options = {.sample_type = GATE_STR("")};
    const struct gate_plant_variation variation = {.noise = NULL};
    fixture_begin(&p->f);
    fixture_add(&p->f, GATE_BASELINE, stacks);
    fixture_add(&p->f, GATE_CANARY, stacks);
    fixture_make(&p->f, &options);
    /* Collapsed stacks do not tell own code from libraries. */
    for (uint32_t i = 0; i < p->f.pair.frame_count; i++)
        p->f.pair.frames[i].is_own = gate_str_starts(p->f.pair.frames[i].name, GATE_STR("main."));
    assert_true(gate_delta_fold(&p->f.deltas, &p->f.pair, NULL, &p->f.arena, &p->f.err));
    if (!gate_plant_prepare(&p->base, &p->f.pair, &p->f.deltas, &variation, 1.0, &p->f.arena, &p->f.err))
        fail_msg("%s", p->f.err.message);
}

/* Return the mean share of a frame over many drawn runs. */
static double expected_share(const struct planted *p, const struct gate_plant *plant, enum gate_side_name side,
                             uint32_t frame) {
    static const double counts[RECORDS] = {100, 100, 100, 700};
    double of_frame = 0.0, total = 0.0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        float factors[RECORDS];
        gate_plant_expect(factors, &p->base, plant, side, seed);
        for (int i = 0; i < RECORDS; i++) {
            total += counts[i] * (double)factors[i];
            of_frame += p->base.records[i].owner == frame ? counts[i] * (double)factors[i] : 0.0;
        }
    }
    return of_frame / total;
}

TEST(records_are_charged_to_their_owners) {
    struct planted p;
    begin(&p);
    uint32_t work = fixture_frame(&p.f, "main.work");
    assert_int_equal(p.base.record_count, RECORDS);
    assert_int_equal(p.base.records[0].owner, work);
    assert_int_equal(p.base.records[1].owner, work); /* through its library */
    assert_int_equal(p.base.records[2].owner, fixture_frame(&p.f, "main.small"));
    assert_int_equal(p.base.records[3].owner, fixture_frame(&p.f, "main.main"));
    /* main.main is on all stacks, so it is not an entry frame */
    assert_int_equal(p.base.records[1].entry, work);
    /* no frame qualifies here, so the owner is the entry frame */
    assert_int_equal(p.base.records[3].entry, fixture_frame(&p.f, "main.main"));
    assert_true(fabs(gate_plant_share(&p.base, work) - 0.2) < 1e-12);
    fixture_end(&p.f);
}

/* Only the canary grows, on average by the planted growth. */
TEST(growth_is_more_in_the_canary) {
    struct planted p;
    begin(&p);
    uint32_t work = fixture_frame(&p.f, "main.work");
    const struct gate_plant nothing = {.frame = GATE_NO_INDEX}, plant = {.frame = work, .growth = 0.1},
                            fresh = {.frame = work, .growth = 0.1, .is_new = true};
    assert_true(fabs(expected_share(&p, &nothing, GATE_BASELINE, work) - 0.2) < 0.01);
    assert_true(fabs(expected_share(&p, &nothing, GATE_CANARY, work) - 0.2) < 0.01);
    assert_true(fabs(expected_share(&p, &plant, GATE_BASELINE, work) - 0.2) < 0.01);
    assert_true(fabs(expected_share(&p, &plant, GATE_CANARY, work) - 0.3) < 0.01);
    assert_true(expected_share(&p, &fresh, GATE_BASELINE, work) == 0.0);
    assert_true(fabs(expected_share(&p, &fresh, GATE_CANARY, work) - 0.1) < 0.01);
    fixture_end(&p.f);
}

/* Equal seeds draw equal runs. Planted growth leaves all other records unchanged. */
TEST(planted_growth_leaves_other_records_unchanged) {
    struct planted p;
    begin(&p);
    const struct gate_plant nothing = {.frame = GATE_NO_INDEX},
                            plant = {.frame = fixture_frame(&p.f, "main.small"), .growth = 0.05};
    float before[RECORDS], after[RECORDS];
    gate_plant_expect(before, &p.base, &nothing, GATE_CANARY, 3);
    gate_plant_expect(after, &p.base, &plant, GATE_CANARY, 3);
    assert_true(before[0] == after[0] && before[1] == after[1] && before[3] == after[3]);
    assert_true(before[0] == before[1]); /* equal owners have equal factors */
    assert_true(fabs((double)(after[2] / before[2]) - gate_plant_times(0.1, 0.05, false)) < 1e-5);
    gate_plant_expect(after, &p.base, &plant, GATE_BASELINE, 3);
    assert_memory_equal(before, after, sizeof before);
    fixture_end(&p.f);
}

TEST(growth_in_points_is_converted_to_a_factor) {
    /* A frame of 10% that costs 3 times as much has 30 of 120, so it gains 15 pp and has 25%. */
    assert_true(fabs(gate_plant_times(0.1, 0.15, false) - 3.0) < 1e-12);
    assert_true(fabs(gate_plant_times(0.1, 0.25, true) - 3.0) < 1e-12);
    assert_true(fabs(gate_plant_times(0.1, 0.0, false) - 1.0) < 1e-12);
    assert_true(isinf(gate_plant_times(0.1, 0.9, false)));
    assert_true(isinf(gate_plant_times(0.0, 0.1, false)));
}

/* With one pair the variation follows from the assumed rho. A noise model or replicates replace the assumption. */
TEST(variation_is_assumed_without_model_or_replicates) {
    struct planted p;
    begin(&p);
    double large = sqrt(GATE_ASSUMED_RHO_CHARGED / (0.2 * 0.8)), small = sqrt(GATE_ASSUMED_RHO_CHARGED / (0.1 * 0.9));
    assert_true(fabs(p.base.sd[fixture_frame(&p.f, "main.work")] - large) < 1e-12);
    assert_true(fabs(p.base.sd[fixture_frame(&p.f, "main.small")] - small) < 1e-12);
    const struct gate_plant_variation one = {.noise = NULL}, model = {.noise = &(struct gate_noise){.run_count = 3}},
                                      runs = {.replicates = &p.f.pair};
    assert_int_equal(gate_plant_variation_source(&one), GATE_VARIATION_ASSUMED);
    assert_int_equal(gate_plant_variation_source(&model), GATE_VARIATION_MODEL);
    assert_int_equal(gate_plant_variation_source(&runs), GATE_VARIATION_REPLICATES);
    fixture_end(&p.f);
}

TEST(what_cannot_be_counted_is_refused) {
    struct planted p;
    struct gate_plant_base base;
    const struct gate_plant_variation variation = {.noise = NULL};
    begin(&p);
    p.f.pair.sides[GATE_BASELINE].runs[0].counts.kind = GATE_COUNTS_UNKNOWN;
    assert_false(gate_plant_prepare(&base, &p.f.pair, &p.f.deltas, &variation, 1.0, &p.f.arena, &p.f.err));
    assert_int_equal(p.f.err.code, GATE_ERR_INPUT);
    assert_non_null(strstr(p.f.err.message, "cannot be counted"));
    fixture_end(&p.f);
}
