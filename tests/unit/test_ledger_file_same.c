/* SPDX-License-Identifier: Apache-2.0 */
/* session/ledger.h: what must be equal for a run to be the next look, and what the ledger stores of each look. */
#include "tests/unit/ledger_fixture.h"

static void another_change_begins_anew(void **state) {
    begin();
    assert_status(RUN("profiles/base0.txt", "profiles/bad0.txt", "--ledger", "l.json", "--change", "one"), 1);
    assert_status(RUN("profiles/base1.txt", "profiles/good0.txt", "--ledger", "l.json", "--change", "two"), 0);
    assert_holds(said, "note: l.json: the canary is another one than it was, so a new ledger begins");
    assert_status(RUN("profiles/base2.txt", "profiles/good1.txt", "--ledger", "l.json", "--change", "two"), 0);
    assert_string_equal(said, "");
}

/* Profiles without a build id do not identify the change, so its name must be given. */
static void a_change_needs_a_name_or_a_build_id(void **state) {
    begin();
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", "--ledger", "l.json"), 2);
    assert_holds(said, "'--ledger' needs the name of the change, and profiles/open0.txt has no build id; give it with "
                       "'--change NAME'");
    assert_int_not_equal(access("l.json", F_OK), 0);
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER), 3);
    assert_status(RUN("profiles/base1.txt", "profiles/open1.txt", "--ledger", "l.json"), 2);
    assert_status(RUN("profiles/base1.txt", "profiles/open1.txt", LEDGER), 3);
}

#define CAPTURES GATE_SOURCE_DIR "/fixtures/captures/"
#define OTHERS GATE_SOURCE_DIR "/fixtures/captures-pairs/"

/* The builds of all runs of a side are compared, in any order. */
static void build_ids_of_all_runs_are_stored(void **state) {
    const char *const other = OTHERS "duet-2a.cpu.pb.gz", *const next = OTHERS "duet-2b.cpu.pb.gz";
    char text[SAID_BYTES];
    begin();
    write_text("cpu.yml",
               "version: 1\nequal: run\nbudgets:\n  - {name: b, measure: self, limit: {share_increase: \"+50pp\"}}\n");
#define CPU(...) run((const char *const[]){"--rules", "cpu.yml", "--ledger", "l.json", __VA_ARGS__, NULL})
    assert_status(
        CPU("--baseline", CAPTURES "p1-7.cpu.pb.gz", "--canary", CAPTURES "mix-6.cpu.pb.gz", "--canary", other), 2);
    assert_holds(said, "'--ledger' needs the name of the change, and the canary's profiles are of 2 builds (");
    assert_true(CPU("--baseline", CAPTURES "p1-7.cpu.pb.gz", "--canary", other) != 2);
    assert_true(CPU("--baseline", CAPTURES "mix-6.cpu.pb.gz", "--canary", next) != 2);
    read_text(text, sizeof text, "l.json");
    assert_holds(text, "\"looks\": [ { \"time\"");
    assert_status(CPU("--baseline", CAPTURES "noisy-3.cpu.pb.gz", "--baseline", other, "--canary", next), 2);
    assert_holds(said, "l.json: this ledger is of the baseline build");
    assert_status(CPU("--change", "x", "profiles/base0.txt", "profiles/open0.txt"), 2);
    assert_holds(said, "l.json: this ledger identifies its change by a build id, and this run has none");
#undef CPU
}

static void the_work_of_each_run_is_kept(void **state) {
    char text[SAID_BYTES];
    begin();
    assert_status(
        RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER, "--work", "baseline=1000", "--work", "canary=1100"), 3);
    read_text(text, sizeof text, "l.json");
    assert_holds(text, "\"work\": 1100}");
    assert_status(RUN("profiles/base1.txt", "profiles/open1.txt", LEDGER, "--work", "baseline=1000", "--work",
                      "canary=900", "--json", "j.json"),
                  3);
    read_text(text, sizeof text, "j.json");
    assert_holds(text, "\"work\": {\"ratio\": 1, \"is_known\": true");
    begin();
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER), 3);
    assert_status(
        RUN("profiles/base1.txt", "profiles/open1.txt", LEDGER, "--work", "baseline=1000", "--work", "canary=900"), 2);
    assert_holds(said,
                 "the work of the baseline was not given in every look at this change: give it for all runs, or for "
                 "none");
    begin();
    assert_status(
        RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER, "--work", "baseline=1000", "--work", "canary=1100"), 3);
    assert_status(RUN("profiles/base1.txt", "profiles/open1.txt", LEDGER), 2);
    assert_holds(said, "the work of the baseline was not given in every look at this change");
    assert_status(RUN("profiles/base0.txt", "profiles/open1.txt", LEDGER), 2);
    assert_holds(said, "the work of the canary was not given in every look at this change");
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER, "--json", "j.json"), 3);
    read_text(text, sizeof text, "j.json"); /* the same profiles: the ledger contains their work */
    assert_holds(text, "\"is_known\": true");
}

static void plan_and_rules_must_be_equal(void **state) {
    begin();
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER), 3);
    assert_status(RUN("profiles/base1.txt", "profiles/open1.txt", LEDGER, "--looks", "3"), 2);
    assert_holds(said, "l.json: this ledger has a plan of at most 2 looks, but '--looks' is 3; the plan cannot change");
    write_text("lax.yml",
               "version: 1\nequal: run\nbudgets:\n  - {name: b, measure: self, limit: {share_increase: \"+50pp\"}}\n");
    assert_status(
        run((const char *const[]){"--rules", "lax.yml", "profiles/base1.txt", "profiles/open1.txt", LEDGER, NULL}), 2);
    assert_holds(said, "l.json: this ledger is of other rules or options (rules.yml), and this run has lax.yml;");
}

/* A run belongs to the ledger only if everything that affects the verdict is equal: keys of the rules, also ones that
 * the first look did not have, options and noise models. */
static void everything_that_decides_must_be_equal(void **state) {
#define LIMIT "limit: {share_increase: \"+5pp\"}}\n"
    static const char *const others[] = {
        "version: 1\nequal: run\nbudgets:\n  - {name: b, measure: self, sustain: \"2 of 3\", " LIMIT,
        "version: 1\nequal: run\nbudgets:\n  - {name: b, measure: self, reason: r, expires: 2999-01-01, " LIMIT,
        "version: 1\nequal: run\nguards: {few_samples: \"off\"}\nbudgets:\n  - {name: b, measure: self, " LIMIT,
        "version: 1\nequal: run\nframes: {granularity: file}\nbudgets:\n  - {name: b, measure: self, " LIMIT,
        "version: 1\nequal: run\ncounts: {period: 2}\nbudgets:\n  - {name: b, measure: self, " LIMIT,
        "version: 1\nequal: run\nsample_types: {cpu: [samples/count]}\nbudgets:\n  - {name: b, measure: self, " LIMIT,
    };
    static const char *const options[][2] = {{"--sample-type", "samples"}, {"--granularity", "file"},
                                             {"--names", "exact"},         {"--period", "2"},
                                             {"--where", "a=b"},           {"--noise", "noise.yml"}};
#undef LIMIT
    begin();
    write_text("noise.yml", "anything");
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER), 3);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        write_text("other.yml", others[i]);
        assert_status(run((const char *const[]){"--rules", "other.yml", "profiles/base1.txt", "profiles/open1.txt",
                                                LEDGER, NULL}),
                      2);
        assert_holds(said, "l.json: this ledger is of other rules or options (rules.yml), and this run has other.yml;");
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        assert_status(RUN("profiles/base1.txt", "profiles/open1.txt", LEDGER, options[i][0], options[i][1]), 2);
        assert_holds(said, "l.json: this ledger is of other rules or options (rules.yml), and this run has rules.yml;");
    }
    assert_status(RUN("profiles/base1.txt", "profiles/open1.txt", LEDGER, "--granularity", "function"), 3);
}

static void names_are_from_the_ledgers_folder(void **state) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    begin();
    assert_int_equal(mkdir("other", 0777), 0);
    static const struct {
        const char *ledger, *path, *expected;
    } rows[] = {{"l.json", "profiles/base0.txt", "profiles/base0.txt"},
                {"other/l.json", "profiles/base0.txt", "../profiles/base0.txt"},
                {"profiles/l.json", "profiles/base0.txt", "base0.txt"},
                {"l.json", "not/there.txt", "not/there.txt"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_str found = gate_ledger_pool_relative(rows[i].ledger, gate_str_from(rows[i].path), &arena);
        if (!gate_str_equal(found, gate_str_from(rows[i].expected)))
            fail_msg("found '%.*s', expected '%s'", GATE_STR_ARG(found), rows[i].expected);
    }
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER, "--ledger", "other/l.json"), 3);
    assert_status(
        RUN("profiles/base1.txt", "profiles/open1.txt", LEDGER, "--ledger", "other/l.json", "--json", "j.json"), 3);
    char json[SAID_BYTES];
    read_text(json, sizeof json, "j.json");
    assert_holds(json, "\"path\": \"other/../profiles/open0.txt\"");
}

int main(void) {
    char folder[] = "/tmp/gate-ledger-XXXXXX";
    if (!enter(folder))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_change_begins_anew),        cmocka_unit_test(a_change_needs_a_name_or_a_build_id),
        cmocka_unit_test(build_ids_of_all_runs_are_stored),  cmocka_unit_test(the_work_of_each_run_is_kept),
        cmocka_unit_test(plan_and_rules_must_be_equal),      cmocka_unit_test(everything_that_decides_must_be_equal),
        cmocka_unit_test(names_are_from_the_ledgers_folder),
    };
    return leave(folder, cmocka_run_group_tests_name("ledger_file_same", tests, NULL, NULL));
}
