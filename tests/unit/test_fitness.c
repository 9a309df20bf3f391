/* SPDX-License-Identifier: Apache-2.0 */
/* store/match.h: when each guard on a stored baseline warns, and when it does not. */
#include "gate/store/match.h"

#include "gate/rules/guard_rules.h"
#include "gate/session/stored_baseline.h"
#include "tests/unit/unit.h"

#define DAY_MS INT64_C(86400000)

struct found {
    struct gate_arena arena;
    struct gate_warning_list list;
};

static struct found judge(enum gate_ancestry relation, int64_t age_ms, const char *model,
                          struct gate_guard_rule *guard) {
    struct found found = {.list = {0}};
    struct gate_record_fact there = {GATE_STR("cpu_model"), GATE_STR("M1")};
    struct gate_record_fact here = {GATE_STR("cpu_model"), gate_str_from(model)};
    struct gate_record record, machine;
    gate_record_begin(&record);
    gate_record_begin(&machine);
    record.revision = GATE_STR("0123456789abcdef0123456789abcdef01234567");
    record.accepted_ms = 5;
    record.facts = &there;
    machine.facts = &here;
    record.fact_count = machine.fact_count = 1;
    const struct gate_record *records[] = {&record};
    const struct gate_match match = {.records = records, .count = 1, .relation = relation, .distance = 3};
    const struct gate_match_change change = {.machine = &machine};
    const struct gate_fitness_input input = {&match, &change, GATE_STR("no git"), 5 + age_ms};
    struct gate_rules rules = {.guards = guard, .guard_count = guard != NULL};
    assert_true(gate_fitness_judge(&found.list, &input, &rules, &found.arena, &err));
    return found;
}

static void expect(struct found found, const char *code, const char *part) {
    assert_int_equal(found.list.count, code != NULL);
    if (code != NULL) {
        assert_true(strcmp(gate_guard_name(found.list.items[0].guard), code) == 0);
        if (gate_str_find(found.list.items[0].message, gate_str_from(part), 0) == SIZE_MAX)
            fail_msg("expected '%s' in '%.*s'", part, GATE_STR_ARG(found.list.items[0].message));
    }
    gate_arena_free(&found.arena);
}

TEST(a_fit_baseline_gives_no_warning) {
    expect(judge(GATE_ANCESTRY_ANCESTOR, 30 * DAY_MS, "M1", NULL), NULL, NULL);
    expect(judge(GATE_ANCESTRY_ANCESTOR, -DAY_MS, "M1", NULL), NULL, NULL); /* accepted in the future: clocks differ */
}

TEST(an_old_one_warns) {
    struct gate_guard_rule year = {
        .guard = GATE_GUARD_BASELINE_AGE, .severity = GATE_SEVERITY_WARN, .limit = 365, .limit_is_given = true};
    struct gate_guard_rule off = {.guard = GATE_GUARD_BASELINE_AGE, .severity = GATE_SEVERITY_OFF};
    expect(judge(GATE_ANCESTRY_ANCESTOR, 30 * DAY_MS + 1, "M1", NULL), "baseline_age",
           "revision 0123456789ab was accepted 30 days ago, more than 30: accept");
    expect(judge(GATE_ANCESTRY_ANCESTOR, 365 * DAY_MS, "M1", &year), NULL, NULL);
    expect(judge(GATE_ANCESTRY_ANCESTOR, 366 * DAY_MS, "M1", &year), "baseline_age", "366 days ago, more than 365");
    expect(judge(GATE_ANCESTRY_ANCESTOR, 366 * DAY_MS, "M1", &off), NULL, NULL);
}

TEST(a_baseline_that_is_not_an_ancestor_warns) {
    expect(judge(GATE_ANCESTRY_SAME, 0, "M1", NULL), "baseline_ancestor", "of this very revision, 0123456789ab");
    expect(judge(GATE_ANCESTRY_UNRELATED, 0, "M1", NULL), "baseline_ancestor", "0123456789ab is not an ancestor");
    expect(judge(GATE_ANCESTRY_UNKNOWN, 0, "M1", NULL), "baseline_ancestor", "is unknown, no git");
}

TEST(another_machine_warns) {
    expect(judge(GATE_ANCESTRY_ANCESTOR, 0, "M2", NULL), "baseline_machine", "cpu_model 'M1' there, 'M2' here");
    expect(judge(GATE_ANCESTRY_ANCESTOR, 0, "", NULL), NULL, NULL);
}

TEST(the_distance_of_a_baseline_is_singular_or_plural) {
    struct gate_match match = {.relation = GATE_ANCESTRY_ANCESTOR, .distance = 1};
    assert_true(gate_str_equal(gate_fitness_place(&match, &arena), GATE_STR("1 commit before this change")));
    match.distance = 2;
    assert_true(gate_str_equal(gate_fitness_place(&match, &arena), GATE_STR("2 commits before this change")));
}
