/* SPDX-License-Identifier: Apache-2.0 */
/* store/match.h: kinds of profile, machines, the record accepted last, signals. tests/store tests ancestors in a
 * repository. */
#include "gate/store/match.h"
#include "tests/unit/unit.h"

#include <signal.h>

static struct gate_record_run runs[] = {{.kind = GATE_STR("cpu")}, {.kind = GATE_STR("heap")}};
static struct gate_record_fact machines[] = {
    {GATE_STR("cpus"), GATE_STR("8")}, {GATE_STR("cpus"), GATE_STR("4")}, {GATE_STR("kernel"), GATE_STR("Linux 1")}};

/* `kinds`: 1 for cpu, 2 for cpu and heap. `machine`: index in `machines`, or -1 for none. */
static struct gate_record record(const char *revision, uint32_t kinds, int machine) {
    struct gate_record out;
    gate_record_begin(&out);
    out.revision = gate_str_from(revision);
    out.runs = runs;
    out.run_count = kinds;
    out.facts = machine < 0 ? NULL : &machines[machine];
    out.fact_count = machine >= 0;
    return out;
}

static struct gate_match match(struct gate_record *items, uint32_t count, const char *revision, uint32_t kind_count,
                               const struct gate_record *machine, struct gate_arena *arena) {
    static const struct gate_str kinds[] = {GATE_STR("cpu"), GATE_STR("heap")};
    const struct gate_records records = {.items = items, .count = count};
    const struct gate_match_change change = {
        .revision = gate_str_from(revision), .machine = machine, .kinds = kinds, .kind_count = kind_count};
    struct gate_match out;
    assert_true(gate_match_find(&out, &records, &change, arena, &err));
    return out;
}

TEST(the_last_accepted_revision_is_found) {
    struct gate_record items[] = {record("c", 1, -1), record("b", 2, -1), record("c", 2, -1), record("a", 2, -1)};
    struct gate_match found = match(items, 4, "z", 1, NULL, &arena);
    assert_int_equal(found.count, 2); /* both records of revision c */
    assert_true(found.records[0] == &items[0] && found.records[1] == &items[2]);
    assert_int_equal(found.relation, GATE_ANCESTRY_UNKNOWN);
    found = match(items, 4, "z", 2, NULL, &arena); /* the newest record, of revision c, has no heap profile */
    assert_true(found.count == 1 && found.records[0] == &items[1]);
    found = match(items, 4, "a", 1, NULL, &arena); /* no ancestor is known, so the change's own revision is chosen */
    assert_true(found.count == 1 && found.records[0] == &items[3] && found.relation == GATE_ANCESTRY_SAME);
    found = match(items, 1, "z", 2, NULL, &arena);
    assert_int_equal(found.count, 0);
    found = match(items, 0, "z", 1, NULL, &arena);
    assert_int_equal(found.count, 0);
}

/* Git is awaited with signals blocked. */
TEST(signal_handling_is_restored_after_git) {
    struct gate_str commit;
    sigset_t before, after;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_false(gate_ancestry_commit(&commit, GATE_STR("no-such-revision"), &arena, &err));
    (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int signal = 1; signal < 32; signal++)
        assert_int_equal(sigismember(&before, signal), sigismember(&after, signal));
}

TEST(a_like_machine_comes_first) {
    const struct gate_record one = record("", 0, 0), two = record("", 0, 1), other = record("", 0, 2);
    struct gate_record items[] = {record("c", 1, 1), record("c", 1, 0), record("b", 1, 0)};
    struct gate_match found = match(items, 3, "z", 1, &two, &arena);
    assert_true(found.count == 1 && found.records[0] == &items[0] && !found.is_other_machine);
    found = match(items, 3, "z", 1, &one, &arena); /* records of another machine are left out */
    assert_true(found.count == 1 && found.records[0] == &items[1] && !found.is_other_machine);
    found = match(items, 1, "z", 1, &one, &arena);
    assert_true(found.count == 1 && found.is_other_machine);
    /* `other` states no cpus, and a missing fact counts as equal */
    found = match(items, 3, "z", 1, &other, &arena);
    assert_false(found.is_other_machine);
    const char *fact = NULL;
    assert_true(gate_match_machines_differ(&one, &two, &fact));
    assert_string_equal(fact, "cpus");
    assert_false(gate_match_machines_differ(&one, &other, &fact));
}

TEST(other_kinds_of_the_revision_are_found_once) {
    struct gate_str *kinds = NULL;
    uint32_t count = 0;
    const struct gate_str cpu = GATE_STR("cpu");
    struct gate_record items[] = {record("c", 1, 0), record("c", 2, 1), record("c", 2, 0), record("c", 2, 0),
                                  record("b", 2, 0)};
    const struct gate_record one = record("", 0, 0);
    const struct gate_records records = {.items = items, .count = 5};
    struct gate_match found = match(items, 5, "z", 1, &one, &arena);
    assert_true(gate_match_other_kinds(&kinds, &count, &found, &records, &cpu, 1, &arena, &err));
    assert_true(count == 1 && gate_str_equal(kinds[0], GATE_STR("heap")));
    const struct gate_records other_machine = {.items = items, .count = 2};
    found = match(items, 2, "z", 1, &one, &arena);
    assert_true(gate_match_other_kinds(&kinds, &count, &found, &other_machine, &cpu, 1, &arena, &err));
    assert_int_equal(count, 0);
    found = match(items, 0, "z", 1, NULL, &arena);
    assert_true(gate_match_other_kinds(&kinds, &count, &found, &records, &cpu, 1, &arena, &err));
    assert_int_equal(count, 0);
}

TEST(the_kinds_of_all_records_are_listed) {
    struct gate_record items[] = {record("a", 2, -1), record("b", 1, -1)};
    struct gate_str kinds[] = {GATE_STR("new"), GATE_STR("heap"), GATE_STR("other"), GATE_STR("cpu")};
    static const char *const expected[] = {"heap", "cpu", "new", "other"};
    const struct gate_records all = {.items = items, .count = 2}, last = {.items = items + 1, .count = 1}, none = {0};
    assert_int_equal(gate_match_known_kinds(kinds, 4, &all), 2);
    for (int i = 0; i < 4; i++)
        assert_true(gate_str_equal(kinds[i], gate_str_from(expected[i])));
    assert_int_equal(gate_match_known_kinds(kinds, 4, &last), 1);
    assert_true(gate_str_equal(kinds[0], GATE_STR("cpu")));
    assert_int_equal(gate_match_known_kinds(kinds, 4, &none), 0);
}
