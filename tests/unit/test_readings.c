/* SPDX-License-Identifier: Apache-2.0 */
/* budget/readings.h in whole verdicts: another function became cheaper. */
#include "tests/unit/pair_fixture.h"

#include "gate/budget/verdict.h"
#include "gate/rules/rules_parse.h"

/* Functions of the program in order of the columns of a row; "lib.wait" is charged to main.main. */
static const char *const functions[] = {"shop.board", "shop.answer", "shop.reply", "shop.find", "lib.wait"};

enum { FUNCTIONS = sizeof functions / sizeof *functions, RUNS = 3 };

static const char *text_of(struct gate_arena *arena, const int samples[FUNCTIONS], int times) {
    struct gate_str text = GATE_STR("");
    for (int i = 0; i < FUNCTIONS; i++)
        text = gate_str_format(arena, "%.*smain.main;%s %d\n", GATE_STR_ARG(text), functions[i], samples[i] * times);
    return text.ptr;
}

/* Return the outcome of `function`, and its reason. */
static enum gate_outcome judge(enum gate_reason *reason, const int baseline[FUNCTIONS], const int canary[FUNCTIONS],
                               int times, const char *limit, const char *function) {
    const struct gate_pair_options options = {0};
    const struct gate_verdict_options none = {0};
    struct pair_fixture pair;
    struct gate_rules rules;
    struct gate_verdict verdict;
    enum gate_outcome outcome = GATE_OUTCOME_PASS;
    fixture_begin(&pair);
    for (int run = 0; run < RUNS; run++) {
        fixture_add(&pair, GATE_BASELINE, text_of(&pair.arena, baseline, times));
        fixture_add(&pair, GATE_CANARY, text_of(&pair.arena, canary, times));
    }
    fixture_make(&pair, &options);
    for (uint32_t i = 0; i < pair.pair.frame_count; i++)
        pair.pair.frames[i].is_own = gate_str_starts(pair.pair.frames[i].name, GATE_STR("shop."));
    struct gate_comparison comparison = {.name = GATE_STR("cpu"), .pair = pair.pair};
    struct gate_str text =
        gate_str_format(&pair.arena, "version: 1\nbudgets: [{name: b, measure: charged, limit: %s}]\n", limit);
    if (!gate_delta_fold(&comparison.deltas, &comparison.pair, NULL, &pair.arena, &pair.err) ||
        !gate_rules_parse(&rules, text, GATE_STR("rules.yml"), NULL, &pair.arena, &pair.err) ||
        !gate_verdict_reach(&verdict, &rules, &comparison, 1, &none, &pair.arena, &pair.err))
        fail_msg("%s", pair.err.message);
    *reason = GATE_REASON_WITHIN;
    for (uint32_t i = 0; i < verdict.budgets[0].finding_count; i++) {
        const struct gate_finding *finding = &verdict.budgets[0].findings[i];
        if (!gate_str_equal(finding->function, gate_str_from(function)))
            continue;
        outcome = finding->outcome;
        *reason = finding->reason;
    }
    gate_rules_free(&rules);
    fixture_end(&pair);
    return outcome;
}

static void another_function_became_cheaper(void **state) {
    static const struct {
        int baseline[FUNCTIONS], canary[FUNCTIONS];
        int times;
        const char *limit, *function;
        enum gate_outcome outcome;
    } rows[] = {
        /* shop.board nearly vanished. By what the others tell, shop.find costs 2.5 times as much, but few samples do
         * not show that it is more than twice; nor that lib.wait, charged to main.main, is over +5 pp. */
        {{87, 6, 7, 2, 14}, {1, 7, 3, 5, 24}, 1, "+100%", "shop.find", GATE_OUTCOME_INCONCLUSIVE},
        {{87, 6, 7, 2, 14}, {1, 7, 3, 5, 24}, 1, "+5pp", "main.main", GATE_OUTCOME_INCONCLUSIVE},
        /* With forty times the samples they do. */
        {{87, 6, 7, 2, 14}, {1, 7, 3, 5, 24}, 40, "+100%", "shop.find", GATE_OUTCOME_FAIL},
        /* All others grew by one factor. */
        {{87, 6, 6, 6, 6}, {1, 12, 12, 12, 12}, 4, "+100%", "shop.find", GATE_OUTCOME_INCONCLUSIVE},
        /* shop.find grew alone: that another one became cheaper explains nothing. */
        {{40, 40, 40, 10, 10}, {40, 40, 40, 60, 10}, 4, "+100%", "shop.find", GATE_OUTCOME_FAIL},
        {{40, 40, 40, 10, 10}, {38, 40, 40, 34, 10}, 4, "+5pp", "shop.find", GATE_OUTCOME_FAIL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum gate_reason reason;
        enum gate_outcome outcome =
            judge(&reason, rows[i].baseline, rows[i].canary, rows[i].times, rows[i].limit, rows[i].function);
        bool is_read = outcome == GATE_OUTCOME_INCONCLUSIVE && reason != GATE_REASON_OTHERS_CHEAPER;
        if (outcome != rows[i].outcome || is_read)
            fail_msg("row %zu: outcome %d, reason %d", i, (int)outcome, (int)reason);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_function_became_cheaper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
