/* SPDX-License-Identifier: Apache-2.0 */
/* budget/leak.h through a whole verdict: what the canary holds grows from round to round. */

#include "gate/budget/verdict.h"
#include "gate/rules/rules_parse.h"
#include "pair_fixture.h"

enum { ROUNDS = 10, TEXT = 256 };

/* Number of goroutines that wait in two functions of a side, in each round. */
struct rounds {
    int cache[ROUNDS], other[ROUNDS];
};

/* A constant series with noise, and one that rises to the end. */
#define LEVEL                                                                                                          \
    { 900, 903, 897, 901, 899, 902, 898, 900, 901, 899 }
#define RISING                                                                                                         \
    { 401, 420, 445, 466, 490, 511, 532, 556, 577, 601 }

static const char any[] = "version: 1\nbudgets: [{name: leaks, measure: leak, per: hour, limit: {growth: +100count}, "
                          "min_growth: 50count}]\n";

/* A round every six minutes, so that all ten take 0.9 hours. */
static const int64_t APART_NS = INT64_C(360000000000);

struct leaking {
    struct pair_fixture pair;
    struct gate_comparison comparison;
    struct gate_rules rules;
    struct gate_verdict verdict;
};

struct asked {
    const char *rules;
    int rounds;              /* 0: all */
    int baseline_rounds;     /* 0: as many */
    struct gate_looks looks; /* none: one look */
    bool is_of_one_time;     /* all rounds have the time of the first */
    bool is_untimed;         /* the profiles have no time, but the manifest has */
    uint32_t numbers[2];     /* durations of the first and second round of each side in a manifest; 0: none */
    const char *type, *unit; /* NULL: goroutines */
    int parts;               /* number of functions among which `other` is divided equally; 0: one */
};

static void judge(struct leaking *leaking, const struct rounds *baseline, const struct rounds *canary,
                  const struct asked *asked) {
    const struct gate_verdict_options given = {.looks = asked->looks};
    const struct rounds *const sides[GATE_SIDES] = {baseline, canary};
    char text[GATE_SIDES][ROUNDS][TEXT];
    struct pair_fixture *pair = &leaking->pair;
    fixture_begin(pair);
    for (int side = 0; side < GATE_SIDES; side++)
        for (int round = 0; round < (asked->rounds == 0 ? ROUNDS : asked->rounds); round++) {
            char *at = text[side][round];
            int parts = asked->parts == 0 ? 1 : asked->parts;
            if (side == GATE_BASELINE && asked->baseline_rounds > 0 && round >= asked->baseline_rounds)
                continue;
            (void)snprintf(at, TEXT, "main;load;cache %d\nmain;other %d\n", sides[side]->cache[round],
                           sides[side]->other[round] / parts);
            for (int part = 1; part < parts; part++)
                (void)snprintf(at + strlen(at), TEXT - strlen(at), "main;part%d %d\n", part,
                               sides[side]->other[round] / parts);
            fixture_add(pair, (enum gate_side_name)side, text[side][round]);
            int64_t time_ns = 1000000 + (asked->is_of_one_time ? 0 : round * APART_NS);
            pair->profiles[side][round].time_ns = asked->is_untimed ? 0 : time_ns;
            pair->inputs[side][round].start_ms = asked->is_untimed ? time_ns / 1000000 : 0;
        }
    for (int side = 0; side < GATE_SIDES; side++)
        for (int round = 0; round < 2; round++)
            pair->inputs[side][round].round = asked->numbers[round];
    fixture_make(pair, NULL);
    pair->pair.type.type = gate_str_from(asked->type == NULL ? "goroutine" : asked->type);
    pair->pair.type.unit = gate_str_from(asked->unit == NULL ? "count" : asked->unit);
    leaking->comparison =
        (struct gate_comparison){.name = GATE_STR("goroutine"), .pair = pair->pair, .deltas = pair->deltas};
    struct gate_str rules = gate_str_from(asked->rules == NULL ? any : asked->rules);
    if (!gate_rules_parse(&leaking->rules, rules, GATE_STR("rules.yml"), NULL, &pair->arena, &pair->err) ||
        !gate_verdict_reach(&leaking->verdict, &leaking->rules, &leaking->comparison, 1, &given, &pair->arena,
                            &pair->err))
        fail_msg("%s", pair->err.message);
}

static void end(struct leaking *leaking) {
    gate_rules_free(&leaking->rules);
    fixture_end(&leaking->pair);
}

static const struct rounds steady = {{400, 401, 399, 400, 402, 400, 398, 401, 400, 399}, LEVEL};

TEST(an_amount_that_rises_to_the_end_is_a_leak) {
    const struct {
        enum gate_outcome outcome;
        const char *function; /* NULL: there is no finding */
        enum gate_reason reason;
        struct rounds baseline, canary;
    } rows[] = {
        /* +200 in 0.9 hours, over +100 per hour */
        {GATE_OUTCOME_FAIL, "cache", GATE_REASON_OVER, .baseline = steady, .canary = {RISING, LEVEL}},
        /* The cache grows on both sides. */
        {GATE_OUTCOME_PASS, NULL, GATE_REASON_WITHIN, .baseline = {RISING, LEVEL},
         .canary = {{402, 419, 446, 465, 491, 510, 533, 555, 578, 600},
                    {901, 902, 898, 900, 900, 901, 899, 899, 902, 898}}},
        /* The cache is full after six rounds. */
        {GATE_OUTCOME_WARN, "cache", GATE_REASON_SLOWER, .baseline = steady,
         .canary = {{401, 460, 505, 541, 570, 590, 598, 600, 601, 602}, LEVEL}},
        /* It rises, but to less than the baseline has from the start. */
        {GATE_OUTCOME_INCONCLUSIVE, "cache", GATE_REASON_FILLS,
         .baseline = {{900, 901, 899, 900, 902, 900, 898, 901, 900, 899}, LEVEL}, .canary = {RISING, LEVEL}},
        /* +40, less than min_growth */
        {GATE_OUTCOME_PASS, NULL, GATE_REASON_WITHIN, .baseline = steady,
         .canary = {{400, 404, 409, 413, 418, 422, 427, 431, 436, 440}, LEVEL}},
        /* +80 in 0.9 hours is within the limit */
        {GATE_OUTCOME_PASS, NULL, GATE_REASON_WITHIN, .baseline = steady,
         .canary = {{400, 409, 418, 426, 436, 444, 453, 462, 471, 480}, LEVEL}},
        /* The baseline falls, and the canary is constant. */
        {GATE_OUTCOME_PASS, NULL, GATE_REASON_WITHIN,
         .baseline = {{601, 577, 556, 532, 511, 490, 466, 445, 420, 401}, LEVEL}, .canary = steady},
        /* The leak in one function is smaller than the noise of the other. */
        {GATE_OUTCOME_FAIL, "cache", GATE_REASON_OVER,
         .baseline = {{400, 401, 399, 400, 402, 400, 398, 401, 400, 399},
                      {9100, 8800, 9300, 8900, 9400, 8600, 9200, 8700, 9000, 9100}},
         .canary = {RISING, {8900, 9300, 8700, 9200, 8800, 9100, 9000, 8600, 9400, 8900}}},
        /* Both functions leak: the one that grew most is named. */
        {GATE_OUTCOME_FAIL, "other", GATE_REASON_OVER, .baseline = steady,
         .canary = {RISING, {901, 950, 1001, 1049, 1102, 1150, 1203, 1251, 1300, 1352}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct leaking leaking;
        judge(&leaking, &rows[i].baseline, &rows[i].canary, &(struct asked){0});
        const struct gate_budget_result *result = &leaking.verdict.budgets[0];
        enum gate_outcome outcome = result->outcome == GATE_OUTCOME_PROVEN ? GATE_OUTCOME_PASS : result->outcome;
        if (outcome != rows[i].outcome || (result->finding_count > 0) != (rows[i].function != NULL))
            fail_msg("row %zu: outcome %d, %u findings", i, (int)result->outcome, (unsigned)result->finding_count);
        if (rows[i].function == NULL)
            continue;
        const struct gate_finding *found = &result->findings[0];
        if (found->reason != rows[i].reason || !gate_str_equal(found->function, gate_str_from(rows[i].function)))
            fail_msg("row %zu: %s, %.*s", i, gate_reason_name(found->reason), GATE_STR_ARG(found->function));
    }
}

static const struct rounds leaky = {RISING, LEVEL};

/* If two functions leak, the finding has the growth of the larger one, not of both. */
TEST(the_finding_is_of_the_function_that_leaks_most) {
    static const struct rounds both = {RISING, {901, 950, 1001, 1049, 1102, 1150, 1203, 1251, 1300, 1352}};
    AT_END(end) struct leaking leaking;
    judge(&leaking, &steady, &both, &(struct asked){0});
    assert_true(gate_str_starts(leaking.verdict.budgets[0].findings[0].text, GATE_STR("other: +45")));
}

/* The rounds take so little time that a leak has not grown by min_growth. */
TEST(a_leak_below_min_growth_warns) {
    static const struct rounds slow = {{400, 404, 409, 413, 418, 422, 427, 431, 436, 440}, LEVEL};
    static const struct rounds filling = {{401, 412, 421, 428, 434, 438, 439, 440, 440, 440}, LEVEL};
    static const char rules[] = "version: 1\nbudgets: [{name: leaks, measure: leak, per: hour, limit: {growth: "
                                "+20count}, min_growth: 50count}]\n";
    AT_END(end) struct leaking leaks, fills;
    judge(&leaks, &steady, &slow, &(struct asked){.rules = rules});
    judge(&fills, &steady, &filling, &(struct asked){.rules = rules});
    const struct gate_finding *found = &leaks.verdict.budgets[0].findings[0];
    assert_int_equal(leaks.verdict.budgets[0].outcome, GATE_OUTCOME_WARN);
    assert_int_equal(found->reason, GATE_REASON_SMALL);
    assert_true(gate_str_equal(found->function, GATE_STR("cache")));
    assert_non_null(strstr(found->why.ptr, "), but by less than min_growth so far: over the +20count per hour"));
    assert_int_equal(fills.verdict.budgets[0].finding_count, 0);
}

/* V8's heap profiles have no time, but the manifest of a captured folder has. */
TEST(times_may_come_from_a_manifest) {
    AT_END(end) struct leaking leaking;
    judge(&leaking, &steady, &leaky, &(struct asked){.is_untimed = true});
    assert_int_equal(leaking.verdict.budgets[0].outcome, GATE_OUTCOME_FAIL);
}

TEST(a_step_is_not_a_leak) {
    static const struct rounds step = {{400, 401, 399, 402, 400, 403, 599, 602, 601, 604}, LEVEL};
    AT_END(end) struct leaking leaking;
    judge(&leaking, &steady, &step, &(struct asked){0});
    assert_true(leaking.verdict.budgets[0].outcome <= GATE_OUTCOME_PASS);
}

/* Without a series nothing can fail, and the budget's result gives the reason. */
TEST(runs_that_are_not_a_series_are_not_judged) {
    static const struct asked rows[] = {
        {.rounds = 4},
        {.baseline_rounds = 9},
        {.is_of_one_time = true},
        {.numbers = {1, 1}}, /* two instances in one round */
        {.type = "cpu", .unit = "count"},
        {.type = "alloc_space", .unit = "count"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct leaking leaking;
        judge(&leaking, &steady, &leaky, &rows[i]);
        const struct gate_budget_result *result = &leaking.verdict.budgets[0];
        if (result->outcome != GATE_OUTCOME_PASS || result->finding_count != 0 ||
            result->hindrance != GATE_REASON_TOO_FEW_SAMPLES)
            fail_msg("row %zu: outcome %d, %s", i, (int)result->outcome, gate_reason_name(result->hindrance));
    }
}

/* After half of the planned rounds, a possible leak is undecided, a certain one fails, and an impossible one passes. */
TEST(early_looks_are_undecided_unless_proven) {
    const struct {
        int rounds;
        struct rounds canary;
        enum gate_outcome outcome;
        enum gate_reason reason;
        const char *text; /* of the finding; NULL: any */
    } rows[] = {
        {4, leaky, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_TOO_FEW_SAMPLES,
         "a leak shows in 5 rounds or more, and there are 4 so far"},
        {1, leaky, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_TOO_FEW_SAMPLES,
         "a leak shows in 5 rounds or more, and there is 1 so far"},
        {6, leaky, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_UNCONFIRMED, NULL},
        {10, leaky, GATE_OUTCOME_FAIL, GATE_REASON_OVER, NULL},
        /* A cache that fills: it rises more slowly in the second half. */
        {10,
         {{401, 460, 505, 541, 570, 590, 598, 600, 601, 602}, LEVEL},
         GATE_OUTCOME_INCONCLUSIVE,
         GATE_REASON_UNCONFIRMED,
         NULL},
        {10, steady, GATE_OUTCOME_PASS, GATE_REASON_WITHIN, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct leaking leaking;
        double half = 0.5;
        judge(&leaking, &steady, &rows[i].canary,
              &(struct asked){.rounds = rows[i].rounds, .looks = {.fractions = &half, .count = 1}});
        const struct gate_budget_result *result = &leaking.verdict.budgets[0];
        enum gate_outcome outcome = result->outcome == GATE_OUTCOME_PROVEN ? GATE_OUTCOME_PASS : result->outcome;
        enum gate_reason reason = result->finding_count > 0 ? result->findings[0].reason : GATE_REASON_WITHIN;
        if (outcome != rows[i].outcome || reason != rows[i].reason)
            fail_msg("row %zu: outcome %d, %s", i, (int)outcome, gate_reason_name(reason));
        if (rows[i].text != NULL)
            assert_true(gate_str_equal(result->findings[0].text, gate_str_from(rows[i].text)));
    }
}

/* A budget or limit that only warns does not block, and does not need further rounds. */
TEST(a_leak_may_only_warn) {
    static const char *const rules[] = {
        "version: 1\nbudgets: [{name: leaks, measure: leak, per: hour, limit: {growth: +100count}, severity: warn}]\n",
        "version: 1\nbudgets: [{name: leaks, measure: leak, per: hour, limit: {growth: {warn: +100count}}}]\n"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (int early = 0; early < 2; early++) {
            AT_END(end) struct leaking leaking;
            double half = 0.5;
            struct asked asked = {.rules = rules[i], .rounds = early ? 4 : 0};
            if (early)
                asked.looks = (struct gate_looks){.fractions = &half, .count = 1};
            judge(&leaking, &steady, &leaky, &asked);
            assert_int_equal(leaking.verdict.budgets[0].outcome, early ? GATE_OUTCOME_PASS : GATE_OUTCOME_WARN);
        }
}

/* Bytes are sampled, here 1,300 objects per round. So growth by 30 may be chance, even if every round is higher. */
TEST(a_rise_that_the_samples_do_not_show_is_not_a_leak) {
    static const struct rounds drift = {{401, 404, 407, 411, 414, 417, 421, 424, 427, 431}, LEVEL};
    static const char rules[] =
        "version: 1\nbudgets: [{name: leaks, measure: leak, per: hour, limit: {growth: +1B}}]\n";
    static const char counted[] =
        "version: 1\nbudgets: [{name: leaks, measure: leak, per: hour, limit: {growth: +1count}}]\n";
    AT_END(end) struct leaking sampled;
    AT_END(end) struct leaking exact;
    judge(&sampled, &steady, &drift, &(struct asked){.rules = rules, .type = "inuse_space", .unit = "bytes"});
    judge(&exact, &steady, &drift, &(struct asked){.rules = counted});
    assert_true(sampled.verdict.budgets[0].outcome <= GATE_OUTCOME_PASS);
    assert_int_equal(exact.verdict.budgets[0].outcome, GATE_OUTCOME_FAIL);
}

/* If no single function can have grown by min_growth, the total is judged. It names the function that grew most. */
TEST(a_leak_of_the_total_names_the_function_that_grew_most) {
    static const char rules[] = "version: 1\nbudgets: [{name: leaks, measure: leak, per: hour, limit: {growth: "
                                "+100count}, min_growth: 150count}]\n";
    static const struct {
        struct rounds canary;
        int parts;
        const char *function;
    } rows[] = {
        {{{400, 408, 418, 427, 437, 446, 456, 465, 475, 485}, {900, 915, 928, 943, 957, 972, 985, 1000, 1013, 1029}},
         1,
         "other"},
        {{{400, 412, 425, 437, 450, 463, 476, 489, 502, 515}, {900, 911, 919, 930, 940, 951, 959, 970, 979, 990}},
         1,
         "cache"},
        {{{401, 400, 399, 400, 402, 400, 398, 401, 400, 399},
          {900, 935, 970, 1005, 1040, 1075, 1110, 1145, 1180, 1215}},
         5,
         "total"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct leaking leaking;
        judge(&leaking, &steady, &rows[i].canary, &(struct asked){.rules = rules, .parts = rows[i].parts});
        const struct gate_budget_result *result = &leaking.verdict.budgets[0];
        assert_int_equal(result->outcome, GATE_OUTCOME_FAIL);
        if (!gate_str_equal(result->findings[0].function, gate_str_from(rows[i].function)))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(result->findings[0].function));
    }
}

/* It grew by 30 in half of the planned rounds, so it may grow by 60 in all. */
TEST(a_leak_is_ruled_out_for_all_planned_rounds) {
    static const char rules[] = "version: 1\nbudgets: [{name: leaks, measure: leak, per: hour, limit: {growth: "
                                "+1count}, min_growth: 50count}]\n";
    static const struct rounds slow = {{400, 403, 407, 410, 413, 417, 420, 423, 427, 430}, LEVEL};
    static const double fractions[] = {0.5, 0.98};
    for (int i = 0; i < 2; i++) {
        AT_END(end) struct leaking leaking;
        judge(&leaking, &steady, &slow,
              &(struct asked){.rules = rules, .looks = {.fractions = &fractions[i], .count = 1}});
        enum gate_outcome outcome = leaking.verdict.budgets[0].outcome;
        assert_int_equal(outcome == GATE_OUTCOME_INCONCLUSIVE, i == 0);
    }
}
