/* SPDX-License-Identifier: Apache-2.0 */
/* budget/verdict.h: K of the last N runs, as a table of the outcomes of earlier runs. */
#include "gate/budget/verdict.h"
#include "tests/unit/unit.h"

enum { HISTORY_MAX = 4 };

struct row {
    const char *name;
    uint32_t k, n;
    const char *history; /* oldest first: f failed on "a", w warned, o failed on "other", b failed by another budget, -
                            nothing failed */
    enum gate_outcome before, after;
};

#define FAIL GATE_OUTCOME_FAIL
#define WARN GATE_OUTCOME_WARN

static const struct row rows[] = {
    {"not asked for", 0, 0, "", FAIL, FAIL},
    {"not asked for, whatever was before", 0, 0, "--", FAIL, FAIL},
    {"one of any is this run", 1, 3, "", FAIL, FAIL},
    {"two of two, no history", 2, 2, "", FAIL, WARN},
    {"two of two, the last agrees", 2, 2, "f", FAIL, FAIL},
    {"two of two, the last does not", 2, 2, "-", FAIL, WARN},
    {"two of two looks at the last alone", 2, 2, "ff-", FAIL, WARN},
    {"two of two, older ones do not matter", 2, 2, "--f", FAIL, FAIL},
    {"two of three, the one before the last", 2, 3, "f-", FAIL, FAIL},
    {"two of three, too long ago", 2, 3, "f--", FAIL, WARN},
    {"three of three, one agrees", 3, 3, "-f", FAIL, WARN},
    {"three of three, all agree", 3, 3, "ff", FAIL, FAIL},
    {"three of four with less history", 3, 4, "ff", FAIL, FAIL},
    {"a warning is no agreement", 2, 2, "w", FAIL, WARN},
    {"another frame is no agreement", 2, 2, "o", FAIL, WARN},
    {"another budget is no agreement", 2, 2, "b", FAIL, WARN},
    {"what did not fail stays as it is", 2, 2, "", GATE_OUTCOME_INCONCLUSIVE, GATE_OUTCOME_INCONCLUSIVE},
    {"and so does what passed", 2, 2, "f", GATE_OUTCOME_PASS, GATE_OUTCOME_PASS},
};

/* Three hypotheses per run; the one that matters is in the middle. */
static void fill(struct gate_hypothesis *items, char said) {
    for (uint32_t i = 0; i < 3; i++)
        items[i] = (struct gate_hypothesis){.name = i == 1 ? GATE_STR("a") : GATE_STR("rest"), .budget = i == 1};
    if (said == 'f' || said == 'w')
        items[1].outcome = said == 'f' ? FAIL : WARN;
    if (said == 'o')
        items[2] = (struct gate_hypothesis){.name = GATE_STR("other"), .budget = 1, .outcome = FAIL};
    if (said == 'b')
        items[2] = (struct gate_hypothesis){.name = GATE_STR("a"), .budget = 0, .outcome = FAIL};
}

static void sustains(void **state) {
    const struct row *row = *state;
    struct gate_hypothesis earlier[HISTORY_MAX][4], now[3];
    struct gate_sustain_run history[HISTORY_MAX];
    struct gate_budget budgets[] = {{.sustain_k = 0}, {.sustain_k = row->k, .sustain_n = row->n}};
    const struct gate_rules rules = {.budgets = budgets, .budget_count = 2};
    uint32_t count = 0;
    for (; row->history[count] != '\0'; count++) {
        fill(earlier[count], row->history[count]);
        earlier[count][3] =
            (struct gate_hypothesis){.name = GATE_STR("a"), .budget = 1, .outcome = FAIL}; /* past the end */
        history[count] = (struct gate_sustain_run){earlier[count], 3};
    }
    fill(now, '-');
    now[0].outcome = now[2].outcome = FAIL; /* a budget without K of N */
    now[0].reason = now[1].reason = now[2].reason = GATE_REASON_OVER;
    now[1].outcome = row->before;
    struct gate_hypothesis_list list = {.items = now, .count = 3};
    gate_sustain_apply(&list, &rules, history, count);
    assert_int_equal(now[0].outcome, FAIL);
    assert_int_equal(now[2].outcome, FAIL);
    assert_int_equal(now[1].outcome, row->after);
    assert_int_equal(now[1].reason, row->before == row->after ? GATE_REASON_OVER : GATE_REASON_NOT_SUSTAINED);
}

/* The last hypothesis of a list is checked like the first. */
static void every_failure_is_compared_with_earlier_runs(void **state) {
    struct gate_budget budget = {.sustain_k = 2, .sustain_n = 2};
    const struct gate_rules rules = {.budgets = &budget, .budget_count = 1};
    struct gate_hypothesis items[3] = {{.outcome = FAIL}, {.outcome = WARN}, {.outcome = FAIL}};
    struct gate_hypothesis_list list = {.items = items, .count = 3};
    gate_sustain_apply(&list, &rules, NULL, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(items[i].outcome, WARN);
}

enum { ROWS = sizeof rows / sizeof *rows };

int main(void) {
    static struct CMUnitTest tests[ROWS + 1] = {cmocka_unit_test(every_failure_is_compared_with_earlier_runs)};
    for (size_t i = 0; i < ROWS; i++) {
        union {
            const struct row *row;
            void *state;
        } at = {&rows[i]}; /* cmocka's state is not const */
        tests[i + 1] = (struct CMUnitTest){rows[i].name, sustains, NULL, NULL, at.state};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
