/* SPDX-License-Identifier: Apache-2.0 */
/* budget/sentence.h: why a finding has its outcome, and what to do, for each reading that contradicts a decision. */
#include "tests/unit/counts_fixture.h"

#include "gate/budget/readings.h"
#include "gate/budget/sentence.h"

struct sentence_case {
    enum gate_reason reason;
    enum gate_outcome outcome;
    bool is_new_code;
    const char *why, *advice;
};

static const char GIVE_WORK[] =
    "give the work done on each side (--work baseline=N --work canary=N); or use --equal time if both sides had the "
    "same load, or --equal run if each profile is one whole execution of the same task";
static const char JOIN[] =
    "check that the new function does the work of the old one; 'frames.rename' in the rules joins them";

static const struct sentence_case CASES[] = {
    {GATE_REASON_OTHERS_CHEAPER, GATE_OUTCOME_INCONCLUSIVE, false,
     "b may only have become cheaper: all other functions grew by the same factor", GIVE_WORK},
    {GATE_REASON_TOTAL_FELL, GATE_OUTCOME_INCONCLUSIVE, false,
     "per run it is within the limit: the canary's total per run is 1.30x the baseline's", GIVE_WORK},
    {GATE_REASON_REPLACED, GATE_OUTCOME_INCONCLUSIVE, true, "the code may have moved out of b, which costs less now",
     JOIN},
    {GATE_REASON_REPLACED, GATE_OUTCOME_WARN, false,
     "it replaced b: together, the new names cost about as much as the names that are gone", JOIN},
    {GATE_REASON_REPLACED, GATE_OUTCOME_INCONCLUSIVE, false,
     "it replaced b at about the same cost, but the total per run is 1.30x the baseline's", JOIN},
    {GATE_REASON_SLOWED, GATE_OUTCOME_INCONCLUSIVE, false,
     "the other functions in b fell by the same factor: the cost moved, or a worker that is always busy completes less "
     "work",
     GIVE_WORK},
    {GATE_REASON_UNEQUAL_LOAD, GATE_OUTCOME_INCONCLUSIVE, false,
     "the two sides had different loads, which changes the cost of the same code",
     "put both sides under the same load and compare again"},
};

static void a_reading_that_contradicts_is_told(void **state) {
    (void)state;
    struct counts_fixture f;
    counts_begin(&f, 3, 1, 1, 1000);
    const struct gate_limit limit = {.value = 0.05, .severity = GATE_SEVERITY_ERROR};
    const struct gate_budget budget = {.name = GATE_STR("a budget")};
    const struct gate_sentence wording = {&f.rules, &budget, &f.comparison, GATE_EQUAL_UNKNOWN, 0, 0.05};
    const struct gate_evidence evidence = {
        .share = {0.1, 0.2}, .delta = 0.1, .dilution = 1.0, .phi = 1.0, .df = INFINITY};
    const struct gate_reading reading = {.frame = 2, .ratio = 1.0, .total = 1.3, .equal = GATE_EQUAL_RUN};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct sentence_case *row = &CASES[i];
        const struct gate_hypothesis h = {.frame = 1,
                                          .name = f.frames[1].name,
                                          .limit = &limit,
                                          .limit_value = limit.value,
                                          .severity = limit.severity,
                                          .evidence = &evidence,
                                          .outcome = row->outcome,
                                          .reason = row->reason,
                                          .reading = &reading,
                                          .is_new_code = row->is_new_code};
        assert_string_equal(gate_sentence_why(&wording, &h, &f.arena).ptr, row->why);
        assert_string_equal(gate_sentence_advice(&wording, &h, &f.arena).ptr, row->advice);
    }
    counts_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_reading_that_contradicts_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
