/* SPDX-License-Identifier: Apache-2.0 */
/* session/manifest_dir.h: what a manifest shows about how its runs were taken. */
#include "gate/session/manifest_dir.h"
#include "sweep.h"
#include "tests/unit/unit.h"

enum { RUNS_MAX = 48 };

/* Runs of one kind, in the order of the manifest. */
struct folder {
    struct gate_manifest_run runs[GATE_SIDES][RUNS_MAX];
    const struct gate_manifest_run *pointers[GATE_SIDES][RUNS_MAX];
    uint32_t counts[GATE_SIDES];
};

static const char *const urls[GATE_SIDES] = {"http://a/", "http://b/"};

/* Add a run from `source`, which is taken from `from` to `to` milliseconds. */
static struct gate_manifest_run *run_add(struct folder *folder, enum gate_side_name side, uint32_t round,
                                         const char *source, int64_t from, int64_t to, enum gate_retried retried) {
    assert_true(folder->counts[side] < RUNS_MAX);
    struct gate_manifest_run *run = &folder->runs[side][folder->counts[side]];
    *run = (struct gate_manifest_run){.round = round,
                                      .side = side,
                                      .kind = GATE_STR("cpu"),
                                      .source = gate_str_from(source),
                                      .instance = gate_str_slice(gate_str_from(source), 7, 8),
                                      .start_ms = from,
                                      .end_ms = to,
                                      .retried = retried};
    folder->pointers[side][folder->counts[side]++] = run;
    return run;
}

/* Add a round in which the program was busy with the profile of the baseline when that of the canary was requested. */
static void round_add(struct folder *folder, uint32_t round) {
    run_add(folder, GATE_BASELINE, round, urls[GATE_BASELINE], 0, 1000, GATE_RETRIED_NOT);
    run_add(folder, GATE_CANARY, round, urls[GATE_CANARY], 1000, 2000, GATE_RETRIED_BUSY);
}

static struct gate_taken_kind kind_of(struct folder *folder) {
    struct gate_taken_kind of = {.kind = GATE_STR("cpu")};
    for (int side = 0; side < GATE_SIDES; side++) {
        of.runs[side] = folder->pointers[side];
        of.counts[side] = folder->counts[side];
    }
    return of;
}

static struct gate_warning_list warned(struct folder *folder, uint32_t last) {
    struct gate_warning_list list = {0};
    const struct gate_taken_kind of = kind_of(folder);
    if (!gate_taken_runs_warn(&list, &of, last, &arena, &err))
        fail_msg("%s", err.message);
    return list;
}

/* Return whether the only warning is that both sides are one process. */
static bool is_one_process(struct folder *folder) {
    const struct gate_warning_list list = warned(folder, 9);
    assert_true(list.count <= 1);
    return list.count == 1 && list.items[0].guard == GATE_GUARD_ONE_PROCESS;
}

static void assert_warning(const struct gate_warning *warning, enum gate_guard guard, const char *message) {
    assert_int_equal(warning->guard, guard);
    if (!gate_str_equal(warning->message, gate_str_from(message)))
        fail_msg("%.*s", GATE_STR_ARG(warning->message));
}

/* ---- one process under two addresses ----------------------------------------------------------------------------- */

TEST(one_process_is_busy_with_the_other_side_in_each_round) {
    struct folder folder = {0};
    struct gate_warning_list list;
    round_add(&folder, 1);
    list = warned(&folder, 1);
    assert_int_equal(list.count, 1);
    assert_warning(&list.items[0], GATE_GUARD_ONE_PROCESS,
                   "cpu: both sides seem to be one process under two addresses (a and b): in its only round the "
                   "program was busy with the profile of one side when that of the other was requested; give the "
                   "address of each side's own process, and stop other profilers");
    assert_true(list.items[0].may_end);
    round_add(&folder, 2);
    list = warned(&folder, 2);
    assert_int_equal(list.count, 1);
    assert_warning(&list.items[0], GATE_GUARD_ONE_PROCESS,
                   "cpu: both sides seem to be one process under two addresses (a and b): in each of 2 rounds the "
                   "program was busy with the profile of one side when that of the other was requested; give the "
                   "address of each side's own process, and stop other profilers");
    assert_false(list.items[0].may_end);
}

/* A window may overlap the other one by a tenth of the shorter one. */
TEST(windows_of_one_process_hardly_overlap) {
    static const struct {
        int64_t baseline[2], canary[2];
        bool is_one;
    } rows[] = {
        {{0, 1000}, {1000, 2000}, true},      {{0, 1000}, {5000, 6000}, true},      {{5000, 6000}, {0, 1000}, true},
        {{0, 1000}, {900, 1900}, true},       {{0, 1000}, {899, 1899}, false},      {{900, 1900}, {0, 1000}, true},
        {{899, 1899}, {0, 1000}, false},      {{0, 1000}, {900, 10900}, true},      {{0, 1000}, {899, 10899}, false},
        {{0, 10000}, {9900, 10900}, true},    {{0, 10000}, {9899, 10899}, false},   {{0, 1000}, {0, 1000}, false},
        {{0, 10000}, {4000, 5000}, false},    {{4000, 5000}, {0, 10000}, false},    {{-500, 500}, {400, 1400}, true},
        {{7000, 8000}, {7900, 8900}, true},   {{7000, 8000}, {7899, 8899}, false},  {{700, 700}, {700, 700}, true},
        {{7000, 17000}, {7300, 8300}, false}, {{7300, 8300}, {7000, 17000}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct folder folder = {0};
        run_add(&folder, GATE_BASELINE, 1, urls[0], rows[i].baseline[0], rows[i].baseline[1], GATE_RETRIED_NOT);
        run_add(&folder, GATE_CANARY, 1, urls[1], rows[i].canary[0], rows[i].canary[1], GATE_RETRIED_BUSY);
        if (is_one_process(&folder) != rows[i].is_one)
            fail_msg("row %zu", i);
    }
}

TEST(one_side_of_each_round_is_busy) {
    static const struct {
        enum gate_retried retried[2][GATE_SIDES]; /* by round */
        bool is_one;
    } rows[] = {
        {{{GATE_RETRIED_NOT, GATE_RETRIED_BUSY}, {GATE_RETRIED_NOT, GATE_RETRIED_BUSY}}, true},
        {{{GATE_RETRIED_BUSY, GATE_RETRIED_NOT}, {GATE_RETRIED_NOT, GATE_RETRIED_BUSY}}, true},
        {{{GATE_RETRIED_BUSY, GATE_RETRIED_BUSY}, {GATE_RETRIED_BUSY, GATE_RETRIED_BUSY}}, true},
        {{{GATE_RETRIED_NOT, GATE_RETRIED_BUSY}, {GATE_RETRIED_NOT, GATE_RETRIED_NOT}}, false},
        {{{GATE_RETRIED_NOT, GATE_RETRIED_NOT}, {GATE_RETRIED_BUSY, GATE_RETRIED_NOT}}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct folder folder = {0};
        for (uint32_t round = 1; round <= 2; round++) {
            round_add(&folder, round);
            for (int side = 0; side < GATE_SIDES; side++)
                folder.runs[side][round - 1].retried = rows[i].retried[round - 1][side];
        }
        if (is_one_process(&folder) != rows[i].is_one)
            fail_msg("row %zu", i);
    }
}

TEST(one_process_is_of_one_build) {
    static const struct {
        const char *baseline, *canary;
        bool is_one;
    } rows[] = {{"", "", true}, {"1f", "", true}, {"", "1f", true}, {"1f", "1f", true}, {"1f", "2a", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct folder folder = {0};
        round_add(&folder, 1);
        round_add(&folder, 2);
        folder.runs[GATE_BASELINE][1].revision = gate_str_from(rows[i].baseline);
        folder.runs[GATE_CANARY][1].revision = gate_str_from(rows[i].canary);
        if (is_one_process(&folder) != rows[i].is_one)
            fail_msg("row %zu", i);
    }
}

/* One round in which the windows overlap shows two processes: two replicas behind one address. */
TEST(each_round_of_one_process_has_windows_apart) {
    for (uint32_t overlapping = 0; overlapping < 3; overlapping++) {
        struct folder folder = {0};
        for (uint32_t round = 1; round <= 3; round++)
            round_add(&folder, round);
        folder.runs[GATE_CANARY][overlapping].start_ms = 500;
        assert_false(is_one_process(&folder));
    }
}

/* Each side has two replicas. An address of each leads to the same process; the other profiles overlap. */
TEST(each_two_addresses_are_compared) {
    static const char *const sources[GATE_SIDES][2] = {{"http://a/", "http://c/"}, {"http://b/", "http://d/"}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            struct folder folder = {0};
            struct gate_warning_list list;
            char expected[100];
            for (uint32_t round = 1; round <= 2; round++)
                for (int side = 0; side < GATE_SIDES; side++)
                    for (int k = 0; k < 2; k++) {
                        bool is_early = side == GATE_BASELINE && k == i, is_late = side == GATE_CANARY && k == j;
                        run_add(&folder, (enum gate_side_name)side, round, sources[side][k], is_late ? 1000 : 0,
                                is_early ? 1000 : 3000, is_late ? GATE_RETRIED_BUSY : GATE_RETRIED_NOT);
                    }
            list = warned(&folder, 2);
            assert_int_equal(list.count, 1);
            snprintf(expected, sizeof expected, "(%c and %c): in each of 2 rounds", sources[GATE_BASELINE][i][7],
                     sources[GATE_CANARY][j][7]);
            assert_true(gate_str_find(list.items[0].message, gate_str_from(expected), 0) != SIZE_MAX);
        }
}

/* Only rounds count in which both addresses have runs; one without a run shows nothing. */
TEST(a_round_without_one_of_the_addresses_does_not_count) {
    struct folder folder = {0};
    struct gate_warning_list list;
    round_add(&folder, 1);
    run_add(&folder, GATE_BASELINE, 2, "http://c/", 0, 1000, GATE_RETRIED_NOT);
    run_add(&folder, GATE_CANARY, 2, urls[GATE_CANARY], 0, 1000, GATE_RETRIED_NOT);
    run_add(&folder, GATE_BASELINE, 3, urls[GATE_BASELINE], 0, 1000, GATE_RETRIED_NOT);
    run_add(&folder, GATE_CANARY, 3, "http://d/", 0, 1000, GATE_RETRIED_NOT);
    list = warned(&folder, 5);
    assert_int_equal(list.count, 1);
    assert_true(list.items[0].may_end);
    run_add(&folder, GATE_BASELINE, 4, "http://c/", 0, 1000, GATE_RETRIED_NOT);
    run_add(&folder, GATE_CANARY, 4, "http://d/", 0, 1000, GATE_RETRIED_NOT);
    round_add(&folder, 5);
    run_add(&folder, GATE_BASELINE, 6, urls[GATE_BASELINE], 0, 1000, GATE_RETRIED_NOT);
    list = warned(&folder, 6);
    assert_int_equal(list.count, 1);
    assert_false(list.items[0].may_end);
    assert_true(gate_str_find(list.items[0].message, GATE_STR("in each of 2 rounds"), 0) != SIZE_MAX);
}

/* Two replicas behind one address overlap with the other side's, or all profiles of a round were taken in turn. */
TEST(runs_of_two_replicas_in_one_round_are_of_one_round) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (int64_t start = 0; start <= 2000; start += 2000) {
            struct folder folder = {0};
            struct gate_warning_list list;
            round_add(&folder, 1);
            run_add(&folder, (enum gate_side_name)side, 1, urls[side], start, start + 2000, GATE_RETRIED_BUSY);
            list = warned(&folder, 1);
            assert_int_equal(list.count, start == 2000);
            assert_true(list.count == 0 || list.items[0].may_end);
            round_add(&folder, 2);
            list = warned(&folder, 2);
            assert_int_equal(list.count, start == 2000);
            assert_true(list.count == 0 ||
                        gate_str_find(list.items[0].message, GATE_STR("in each of 2 rounds"), 0) != SIZE_MAX);
        }
}

/* The addresses are those of the first round. */
TEST(addresses_of_later_rounds_are_not_compared) {
    for (int late = 0; late < GATE_SIDES; late++) {
        struct folder folder = {0};
        for (int side = 0; side < GATE_SIDES; side++)
            run_add(&folder, (enum gate_side_name)side, 1, side == late ? "http://c/" : urls[side], 0, 1000,
                    GATE_RETRIED_NOT);
        round_add(&folder, 2);
        assert_false(is_one_process(&folder));
    }
}

/* Of the runs of one round, the last one of a side is of the same process as the run of the other side. */
TEST(sixteen_addresses_of_a_side_are_compared) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (int count = 15; count <= 17; count++) {
            static const char letters[] = "cdefghijklmnopqrst";
            struct folder folder = {0};
            char sources[17][10];
            run_add(&folder, (enum gate_side_name)(1 - side), 1, urls[1 - side], 0, 1000, GATE_RETRIED_BUSY);
            for (int i = 0; i < count; i++) {
                bool is_last = i + 1 == count;
                snprintf(sources[i], sizeof sources[i], "http://%c/", letters[i]);
                run_add(&folder, (enum gate_side_name)side, 1, sources[i], is_last ? 1000 : 0, is_last ? 2000 : 1000,
                        GATE_RETRIED_NOT);
            }
            assert_int_equal(is_one_process(&folder), count <= 16);
        }
}

/* ---- programs that broke off a profile --------------------------------------------------------------------------- */

TEST(profiles_that_were_taken_again_are_listed) {
    static const struct {
        enum gate_side_name side;
        enum gate_retried retried;
        uint32_t rounds[4]; /* with `retried`, of 12 */
        const char *message;
    } rows[] = {
        {GATE_CANARY,
         GATE_RETRIED_CUT,
         {1},
         "round 1 of 12: the canary (b) broke off its cpu profile, which was taken "
         "again: did it crash or restart?"},
        {GATE_BASELINE,
         GATE_RETRIED_CUT,
         {2, 12},
         "rounds 2, 12 of 12: the baseline (a) broke off its cpu profiles, "
         "which were taken again: did it crash or restart?"},
        {GATE_CANARY,
         GATE_RETRIED_DOWN,
         {2},
         "round 2 of 12: the canary (b) could not be reached at first, and its "
         "cpu profile was taken later: did it crash or restart?"},
        {GATE_BASELINE,
         GATE_RETRIED_DOWN,
         {3, 4, 6},
         "rounds 3, 4, 6 of 12: the baseline (a) could not be reached at "
         "first, and its cpu profiles were taken later: did it crash or "
         "restart?"},
        /* a program that has just started was down in the first round */
        {GATE_CANARY,
         GATE_RETRIED_DOWN,
         {1, 2},
         "round 2 of 12: the canary (b) could not be reached at first, and its "
         "cpu profile was taken later: did it crash or restart?"},
        {GATE_CANARY, GATE_RETRIED_DOWN, {1}, NULL},
        {GATE_CANARY, GATE_RETRIED_BUSY, {2}, NULL},
        {GATE_CANARY, GATE_RETRIED_NOT, {2}, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct folder folder = {0};
        for (uint32_t round = 1; round <= 12; round++)
            for (int side = 0; side < GATE_SIDES; side++)
                run_add(&folder, (enum gate_side_name)side, round, urls[side], 0, 1000, GATE_RETRIED_NOT);
        for (int k = 0; k < 4 && rows[i].rounds[k] > 0; k++)
            folder.runs[rows[i].side][rows[i].rounds[k] - 1].retried = rows[i].retried;
        const struct gate_warning_list list = warned(&folder, 12);
        assert_int_equal(list.count, rows[i].message != NULL);
        if (list.count == 1)
            assert_warning(&list.items[0], GATE_GUARD_RETRIED, rows[i].message);
        assert_true(list.count == 0 || !list.items[0].may_end);
    }
}

TEST(eight_rounds_are_listed) {
    for (uint32_t count = 8; count <= 9; count++) {
        struct folder folder = {0};
        for (uint32_t round = 1; round <= count; round++)
            run_add(&folder, GATE_CANARY, round, urls[GATE_CANARY], 0, 1000, GATE_RETRIED_CUT);
        const struct gate_warning_list list = warned(&folder, 9);
        assert_int_equal(list.count, 1);
        assert_warning(&list.items[0], GATE_GUARD_RETRIED,
                       count == 8 ? "rounds 1, 2, 3, 4, 5, 6, 7, 8 of 9: the canary (b) broke off its cpu profiles, "
                                    "which were taken again: did it crash or restart?"
                                  : "rounds 1, 2, 3, 4, 5, 6, 7, 8, ... of 9: the canary (b) broke off its cpu "
                                    "profiles, which were taken again: did it crash or restart?");
    }
}

/* A round is listed once for all replicas. The first one is named. */
TEST(a_round_is_listed_once) {
    struct folder folder = {0};
    run_add(&folder, GATE_CANARY, 1, "http://b/", 0, 1000, GATE_RETRIED_NOT);
    run_add(&folder, GATE_CANARY, 1, "http://d/", 0, 1000, GATE_RETRIED_CUT);
    run_add(&folder, GATE_CANARY, 2, "http://b/", 0, 1000, GATE_RETRIED_CUT);
    run_add(&folder, GATE_CANARY, 2, "http://d/", 0, 1000, GATE_RETRIED_CUT);
    const struct gate_warning_list list = warned(&folder, 2);
    assert_int_equal(list.count, 1);
    assert_warning(&list.items[0], GATE_GUARD_RETRIED,
                   "rounds 1, 2 of 2: the canary (d) broke off its cpu profiles, which were taken again: did it crash "
                   "or restart?");
}

/* A folder with every warning: one process, and on both sides a profile that broke off and a program that was down. */
static void every_warning(struct folder *folder) {
    round_add(folder, 1);
    for (uint32_t round = 2; round <= 3; round++)
        for (int side = 0; side < GATE_SIDES; side++)
            run_add(folder, (enum gate_side_name)side, round, side == GATE_BASELINE ? "http://c/" : "http://d/", 0,
                    1000, round == 2 ? GATE_RETRIED_CUT : GATE_RETRIED_DOWN);
}

TEST(warnings_come_by_side_and_reason) {
    static const char *const begins[] = {"cpu: both sides", "round 2 of 3: the baseline (c)",
                                         "round 3 of 3: the baseline (c)", "round 2 of 3: the canary (d)",
                                         "round 3 of 3: the canary (d)"};
    struct folder folder = {0};
    every_warning(&folder);
    const struct gate_warning_list list = warned(&folder, 3);
    assert_int_equal(list.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_true(gate_str_starts(list.items[i].message, gate_str_from(begins[i])));
}

TEST(a_full_arena_is_an_error) {
    struct folder folder = {0};
    every_warning(&folder);
    round_add(&folder, 4);
    const struct gate_taken_kind of = kind_of(&folder);
    for (struct sweep s = {0}; sweep_next(&s, 16);) {
        struct gate_warning_list list = {0};
        s.done = gate_taken_runs_warn(&list, &of, 4, &s.arena, &s.err);
        assert_true(!s.done || list.count == 5);
    }
}
