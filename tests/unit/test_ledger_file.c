/* SPDX-License-Identifier: Apache-2.0 */
/* session/ledger.h: runs for one change, one after the other, as in a pipeline. test_ledger_file_same.c tests which
 * runs belong to a ledger. */
#include "tests/unit/ledger_fixture.h"

static void a_retry_is_the_next_look_at_all_runs(void **state) {
    begin();
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER), 3);
    assert_status(RUN("profiles/base1.txt", "profiles/open1.txt", LEDGER, "--json", "j.json"), 3);
    char json[SAID_BYTES];
    read_text(json, sizeof json, "j.json");
    assert_holds(json, "\"count\": 2, \"planned\": 2, \"fraction\": 1,");
    assert_holds(json, "\"runs\": 2, \"one_look_runs\": 2, \"stands\": \"\"");
    assert_holds(json, "profiles/open0.txt");
    read_text(json, sizeof json, "l.json");
    assert_holds(json, "{\"path\": \"profiles/open1.txt\", \"digest\":");
}

/* Every report for people contains the number of the look. */
static void reports_have_the_number_of_the_look(void **state) {
    static const char *const files[] = {"r/report.html", "r/report.md", "r/junit.xml"};
    static char text[4 * 1024 * 1024];
    begin();
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER, "--report", "r"), 3);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        read_text(text, sizeof text, files[i]);
        if (strstr(text,
                   "look 1 of at most 2, 1 of 2 planned runs per side; error budget used: 0.00125 of 0.01 for a fail, "
                   "0.00625 of 0.05 for a pass") == NULL)
            fail_msg("%s does not say it", files[i]);
    }
    const char *argv[] = {"pprofgate", "check", "--rules", RULES, "profiles/base0.txt", "profiles/open0.txt", LEDGER};
    FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
    assert_true(in != NULL && out != NULL && err != NULL);
    assert_int_equal(gate_run((int)(sizeof argv / sizeof *argv), argv, in, out, err), 3);
    rewind(out);
    told[fread(told, 1, sizeof told - 1, out)] = '\0';
    assert_holds(told, "look 1 of at most 2, 1 of 2 planned runs per side;");
    (void)fclose(in);
    (void)fclose(out);
    (void)fclose(err);
}

static void a_first_look_needs_more_than_the_only_one(void **state) {
    begin();
    profile("profiles/clear.txt", 205, 1000);
    assert_status(RUN("profiles/base0.txt", "profiles/clear.txt"), 1);
    assert_status(RUN("profiles/base0.txt", "profiles/clear.txt", LEDGER), 3);
}

static void the_same_profiles_are_not_another_look(void **state) {
    char before[SAID_BYTES], after[SAID_BYTES];
    begin();
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER), 3);
    read_text(before, sizeof before, "l.json");
    for (int i = 0; i < 3; i++)
        assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER), 3);
    read_text(after, sizeof after, "l.json");
    assert_string_equal(before, after);
    assert_false(holds(told, "which is final"));
}

static void a_used_up_error_budget_keeps_the_verdict(void **state) {
    begin();
    assert_status(RUN("profiles/base0.txt", "profiles/bad0.txt", LEDGER), 1);
    assert_status(RUN("profiles/base1.txt", "profiles/bad1.txt", LEDGER), 1);
    for (int i = 2; i < 4; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "profiles/good%d.txt", i);
        assert_status(RUN("profiles/base2.txt", path, LEDGER, "--junit", "j.xml"), 1);
        assert_holds(told, "FAIL look 2 of 2 at this change ended with fail (");
        assert_holds(told, "which is final: there are no more looks at this change; a new canary or a new ledger "
                           "starts over");
    }
    char text[SAID_BYTES];
    read_text(text, sizeof text, "j.xml");
    assert_holds(text, "failures=\"1\"");
    assert_holds(text, "<failure type=\"LookStands\" message=\"look 2 of 2");
}

/* A pass is final too. */
static void a_pass_is_final_too(void **state) {
    begin();
    assert_status(RUN("profiles/base0.txt", "profiles/good0.txt", LEDGER, "--looks", "1"), 0);
    assert_status(RUN("profiles/base1.txt", "profiles/bad0.txt", LEDGER, "--junit", "j.xml"), 0);
    assert_holds(told, "PASS look 1 of 1 at this change ended with pass (");
}

static void if_profiles_are_gone_the_verdict_is_final(void **state) {
    char text[SAID_BYTES];
    begin();
    assert_status(RUN("profiles/base0.txt", "profiles/bad0.txt", LEDGER), 1);
    assert_int_equal(unlink("profiles/bad0.txt"), 0);
    assert_status(RUN("profiles/base1.txt", "profiles/good1.txt", LEDGER), 1);
    assert_holds(told, "which is final: the profiles of the looks so far are gone or have changed;");
    begin();
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER), 3);
    profile("profiles/open0.txt", 160, 1000); /* a different profile now */
    assert_status(RUN("profiles/base1.txt", "profiles/bad1.txt", LEDGER, "--json", "j.json"), 1);
    read_text(text, sizeof text, "j.json"); /* judged alone, as look 2 */
    assert_holds(text, "\"count\": 2, \"planned\": 2,");
    assert_holds(text, "\"runs\": 1,");
    begin();
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER), 3);
    assert_int_equal(rename("profiles/open0.txt", "elsewhere.txt"), 0); /* given again under its new name */
    assert_status(RUN("--baseline", "profiles/base0.txt", "--canary", "elsewhere.txt", "--baseline",
                      "profiles/base1.txt", "--canary", "profiles/open1.txt", LEDGER, "--json", "j.json"),
                  3);
    read_text(text, sizeof text, "j.json");
    assert_holds(text, "\"runs\": 2,");
}

static void invalid_options_are_refused(void **state) {
    static const struct {
        const char *words[8], *says;
    } rows[] = {
        {{"profiles/base0.txt", "profiles/good0.txt", LEDGER, "--looks", "65"}, "'--looks' takes at most 64, found 65"},
        {{"profiles/base0.txt", "profiles/good0.txt", "--looks", "2"},
         "'--looks' is about a ledger: name it with '--ledger FILE'"},
        {{"profiles/base0.txt", "profiles/good0.txt", "--change", "x"}, "'--change' is about a ledger"},
        {{"--pair", "cpu=profiles/base0.txt,profiles/good0.txt", LEDGER},
         "'--ledger' cannot be combined with '--pair'"},
        {{"profiles/base0.txt", "profiles/good0.txt", LEDGER, "--history", "profiles/good1.txt"},
         "'--ledger' cannot be combined with '--history'"},
        {{"-", "profiles/good0.txt", LEDGER}, "'--ledger' wants profiles in files"},
        {{"profiles/base0.txt", "profiles/good0.txt", LEDGER, "--noise", "-"}, "'--noise -' is standard input"},
        {{"profiles/base0.txt", "profiles/good0.txt", LEDGER, "--ledger", "nowhere/l.json"},
         "nowhere/l.json.lock: No such file"},
        {{"profiles/base0.txt", "profiles/good0.txt", LEDGER, "--ledger", "profiles/base0.txt"},
         "profiles/base0.txt: expected a ledger in JSON, found in line 1: "},
    };
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *words[WORDS_MAX] = {"--rules", RULES};
        for (size_t w = 0; w < 8 && rows[i].words[w] != NULL; w++)
            words[w + 2] = rows[i].words[w];
        assert_status(run(words), 2);
        assert_holds(said, rows[i].says);
    }
    profile("profiles/base0.txt", 100, 1000);
}

/* If a report cannot be written, the look still counts, because another report may show the verdict. A rerun is the
 * next look. */
static void a_look_counts_even_if_its_report_cannot_be_written(void **state) {
    char text[SAID_BYTES];
    begin();
    assert_status(RUN("profiles/base0.txt", "profiles/bad0.txt", LEDGER, "--json", "/dev/full"), 2);
    read_text(text, sizeof text, "l.json");
    assert_holds(text, "\"outcome\": \"fail\"");
    assert_status(RUN("profiles/base1.txt", "profiles/good1.txt", LEDGER, "--json", "j.json"), 3);
    read_text(text, sizeof text, "j.json");
    assert_holds(text, "\"count\": 2, \"planned\": 2,");
}

/* A broken ledger is left unchanged, so that it can be examined. */
static void a_broken_ledger_is_left_alone(void **state) {
    char text[64];
    begin();
    write_text("l.json", "{\"schema\": \"pprofgate-ledger/1\", \"looks\": [");
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER), 2);
    assert_holds(said, "l.json: expected a ledger in JSON, found in line ");
    read_text(text, sizeof text, "l.json");
    assert_string_equal(text, "{\"schema\": \"pprofgate-ledger/1\", \"looks\": [");
}

static void one_run_at_a_time(void **state) {
    begin();
    int ready[2], done[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(done), 0);
    pid_t child = fork();
    if (child == 0) { /* holds the lock */
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int lock = open("l.json.lock", O_RDWR | O_CREAT, 0666);
        byte = fcntl(lock, F_SETLK, &whole) == 0;
        (void)!write(ready[1], &byte, 1);
        (void)!read(done[0], &byte, 1);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER), 2);
    assert_holds(said, "l.json: another run is using this ledger; wait until it has ended");
    assert_int_equal(write(done[1], &byte, 1), 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER), 3);
    for (int i = 0; i < 2; i++) {
        (void)close(ready[i]);
        (void)close(done[i]);
    }
}

static int open_descriptors(void) {
    int count = 0;
    for (int descriptor = 0; descriptor < 1024; descriptor++)
        count += fcntl(descriptor, F_GETFD) >= 0;
    return count;
}

/* The process of a library may judge many times. */
static void the_lock_is_closed(void **state) {
    begin();
    int before = open_descriptors();
    assert_status(RUN("profiles/base0.txt", "profiles/open0.txt", LEDGER), 3);
    assert_int_equal(open_descriptors(), before);
}

int main(void) {
    char folder[] = "/tmp/gate-ledger-XXXXXX";
    if (!enter(folder))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_retry_is_the_next_look_at_all_runs),
        cmocka_unit_test(reports_have_the_number_of_the_look),
        cmocka_unit_test(a_first_look_needs_more_than_the_only_one),
        cmocka_unit_test(the_same_profiles_are_not_another_look),
        cmocka_unit_test(a_used_up_error_budget_keeps_the_verdict),
        cmocka_unit_test(a_pass_is_final_too),
        cmocka_unit_test(if_profiles_are_gone_the_verdict_is_final),
        cmocka_unit_test(invalid_options_are_refused),
        cmocka_unit_test(a_look_counts_even_if_its_report_cannot_be_written),
        cmocka_unit_test(a_broken_ledger_is_left_alone),
        cmocka_unit_test(one_run_at_a_time),
        cmocka_unit_test(the_lock_is_closed),
    };
    return leave(folder, cmocka_run_group_tests_name("ledger_file", tests, NULL, NULL));
}
