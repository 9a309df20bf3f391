/* SPDX-License-Identifier: Apache-2.0 */
/* budget/decide.h: a decision copied from an equal hypothesis in the cache is what would have been decided. Hypotheses
 * that differ in anything relevant are not equal. */
#include "decide_fixture.h"

#include "gate/base/hash.h"
#include "gate/budget/decide.h"

enum { MANY = 4000 };

static const struct gate_limit limits[] = {{.kind = GATE_LIMIT_SHARE_INCREASE, .value = 0.02},
                                           {.kind = GATE_LIMIT_INCREASE, .value = 1.1},
                                           {.kind = GATE_LIMIT_SHARE, .value = 0.3}};

/* Return a random hypothesis. Its counts are so small that many are equal. Its flags affect how strictly it is
 * decided. */
static struct gate_hypothesis drawn(struct gate_evidence *evidence, uint64_t seed) {
    uint64_t random = gate_hash_mix(seed);
    struct gate_counts2 counts = {(double)(random & 3), 500.0, 4.0 * (double)(random >> 3 & 3), 500.0};
    const struct gate_limit *limit = &limits[(random >> 7) % 3];
    *evidence = decide_evidence(counts, 1.0, (random >> 10 & 31) != 0);
    evidence->is_tested = counts.k1 + counts.k2 >= 10.0;
    struct gate_hypothesis h = {.limit = limit,
                                .limit_value = limit->value,
                                .evidence = evidence,
                                .severity = random >> 15 & 1 ? GATE_SEVERITY_ERROR : GATE_SEVERITY_WARN,
                                .measure = GATE_CHARGED,
                                .is_runtime = random >> 16 & 1,
                                .is_bystander = random >> 17 & 1,
                                .is_restrained = (random >> 18 & 7) == 0,
                                .log_level = log(0.01)};
    gate_hypothesis_test(&h, 0.05);
    h.log_p_adjusted = fmin(h.log_p + log(3.0), 0.0);
    return h;
}

static void what_is_known_is_decided_alike(void **state) {
    (void)state;
    static struct gate_evidence evidence[MANY];
    static struct gate_hypothesis all[MANY];
    const struct gate_decision_rules rules = decide_rules(&(struct decide_row){.kind = GATE_LIMIT_SHARE_INCREASE});
    struct gate_decision_cache known = {{NULL}}, asked = {{NULL}};
    uint32_t taken = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        all[i] = drawn(&evidence[i], i);
        struct gate_hypothesis plain = all[i];
        gate_hypothesis_decide(&plain, &rules);
        taken += gate_decision_cache_lookup(&asked, &all[i]) != NULL;
        gate_decision_cache_decide(&known, &all[i], &rules);
        assert_int_equal(all[i].outcome, plain.outcome);
        assert_int_equal(all[i].reason, plain.reason);
        assert_true(all[i].level_margin == plain.level_margin && all[i].settle_factor == plain.settle_factor);
        assert_true(all[i].detectable == plain.detectable);
        assert_true(gate_hypothesis_detectable(&all[i]) == gate_hypothesis_detectable(&plain));
    }
    assert_true(taken > MANY / 50 && taken < MANY);
}

/* Each of these differences alone makes a hypothesis unequal. Own-cost evidence does so even if both have the same. */
static void what_differs_is_not_known(void **state) {
    (void)state;
    struct gate_evidence evidence, other;
    struct gate_hypothesis h = drawn(&evidence, 1), same = h, differs[15];
    struct gate_decision_cache known = {{NULL}};
    (void)gate_decision_cache_lookup(&known, &h);
    assert_ptr_equal(gate_decision_cache_lookup(&known, &same), &h);
    for (size_t i = 0; i < sizeof differs / sizeof *differs; i++)
        differs[i] = h;
    other = evidence;
    other.share[GATE_CANARY] += 0.01;
    differs[0].evidence = &other;
    differs[1].own = &evidence;
    differs[2].limit = h.limit == limits ? &limits[1] : limits;
    differs[3].limit_value += 0.01;
    differs[4].least_share += 0.01;
    differs[5].log_level -= 1.0;
    differs[6].log_p -= 1.0;
    differs[7].log_p_adjusted -= 1.0;
    differs[8].is_runtime = !h.is_runtime;
    differs[9].is_bystander = !h.is_bystander;
    differs[10].is_named = !h.is_named;
    differs[11].is_restrained = !h.is_restrained;
    differs[12].severity = h.severity == GATE_SEVERITY_ERROR ? GATE_SEVERITY_WARN : GATE_SEVERITY_ERROR;
    differs[13].measure = GATE_SELF;
    differs[14].detectable = 0.5;
    for (size_t i = 0; i < sizeof differs / sizeof *differs; i++) {
        (void)gate_decision_cache_lookup(&known, &h);
        if (gate_decision_cache_lookup(&known, &differs[i]) != NULL)
            fail_msg("difference %zu is not seen", i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_known_is_decided_alike),
                                       cmocka_unit_test(what_differs_is_not_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
