/* SPDX-License-Identifier: Apache-2.0 */
/* What commands do to existing files: inputs, links, and reports of an earlier run. Each test runs the program in this
 * process, in a temporary folder. */

#include "gate/base/buf.h"
#include "gate/cli/command.h"
#include "tests/unit/unit.h"

#include <sys/stat.h>

#define GOOD GATE_SOURCE_DIR "/fixtures/bad/good.pb.gz"
#define CANARY GATE_SOURCE_DIR "/fixtures/bad/good-canary.pb.gz"
#define RULES "rules of the test.yml" /* so lax that every decided comparison passes */
#define EMPTY GATE_SOURCE_DIR "/fixtures/bad/empty.pb.gz"

#define OLD_JSON "{\n  \"schema_version\": 1,\n  \"generator\": \"pprofgate 0.0.1\"\n}\n"

enum { WORDS_MAX = 24, SAID_BYTES = 4096 };

static char said[SAID_BYTES]; /* standard error of the last run */

/* Run "pprofgate WORDS...", a NULL-terminated list. */
static int run(const char *const *words) {
    const char *argv[WORDS_MAX + 1] = {"pprofgate"};
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++) {
        assert_true(argc < WORDS_MAX);
        argv[argc] = words[argc - 1];
    }
    FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
    assert_true(in != NULL && out != NULL && err != NULL);
    int status = gate_run(argc, argv, in, out, err);
    rewind(err);
    said[fread(said, 1, sizeof said - 1, err)] = '\0';
    (void)fclose(in);
    (void)fclose(out);
    (void)fclose(err);
    return status;
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static struct gate_str read_bytes(struct gate_buf *out, const char *path) {
    char chunk[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        gate_buf_bytes(out, chunk, got);
    (void)fclose(file);
    return gate_buf_view(out);
}

static void copy(const char *from, const char *to) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    (void)read_bytes(&bytes, from);
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
}

static bool is_text(const char *path, const char *text) {
    struct gate_buf bytes = {0};
    bool equal = gate_str_equal(read_bytes(&bytes, path), gate_str_from(text));
    gate_buf_free(&bytes);
    return equal;
}

static bool is_same(const char *a, const char *b) {
    struct gate_buf one = {0}, other = {0};
    bool equal = gate_str_equal(read_bytes(&one, a), read_bytes(&other, b));
    gate_buf_free(&one);
    gate_buf_free(&other);
    return equal;
}

static bool exists(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0;
}

static bool is_link(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

static bool is_json(const char *path) {
    struct gate_buf bytes = {0};
    struct gate_str text = read_bytes(&bytes, path);
    bool ok = gate_str_starts(text, GATE_STR("{")) && gate_str_ends(text, GATE_STR("}\n"));
    gate_buf_free(&bytes);
    return ok;
}

/* ---- a temporary folder per test --------------------------------------------------------------------------------- */

static int enter(void **state) {
    static char folder[] = "/tmp/pprofgate-files-XXXXXX";
    (void)strcpy(folder, "/tmp/pprofgate-files-XXXXXX");
    *state = mkdtemp(folder);
    if (*state == NULL || chdir(folder) != 0 || unsetenv("GITHUB_ACTIONS") != 0)
        return 1;
    write_text(RULES, "version: 1\nbudgets: [{name: lax, limit: +60pp}]\n");
    return 0;
}

static int leave(void **state) {
    char command[128];
    int len = snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    return len < 0 || chdir("/") != 0 || system(command) != 0;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static void test_init_keeps_its_input(void **state) {
    copy(GOOD, "base.pb.gz");
    assert_int_equal(RUN("init", "--force", "-o", "base.pb.gz", "base.pb.gz"), GATE_EXIT_ERROR);
    assert_non_null(strstr(said, "this is an input"));
    assert_true(is_same("base.pb.gz", GOOD));
    assert_int_equal(symlink("base.pb.gz", "link"), 0);
    assert_int_equal(RUN("init", "--force", "-o", "link", "base.pb.gz"), GATE_EXIT_ERROR);
    assert_true(is_same("base.pb.gz", GOOD));
    assert_int_equal(RUN("check", "--force", "--json", RULES, "--symbols", RULES, "base.pb.gz", "base.pb.gz"),
                     GATE_EXIT_ERROR);
    assert_non_null(strstr(said, "this is an input"));
    assert_int_equal(RUN("init", "-o", "rules.yml", "base.pb.gz"), GATE_EXIT_PASS);
    assert_int_equal(RUN("init", "-o", "rules.yml", "base.pb.gz"), GATE_EXIT_ERROR);
    assert_int_equal(RUN("init", "--force", "-o", "rules.yml", "base.pb.gz"), GATE_EXIT_PASS);
}

static void test_comma_in_a_path(void **state) {
    copy(GOOD, "x,1\\.pb.gz");
    copy(CANARY, "y,.pb.gz");
    assert_int_equal(RUN("check", "-r", RULES, "--pair", "a=x\\,1\\\\.pb.gz,y\\,.pb.gz"), GATE_EXIT_PASS);
    assert_int_equal(RUN("check", "-r", RULES, "--pair", "a=x\\,1\\.pb.gz,y\\,.pb.gz"), GATE_EXIT_PASS);
    assert_int_equal(RUN("check", "-r", RULES, "--pair", "a=x,1.pb.gz,y\\,.pb.gz"), GATE_EXIT_ERROR);
    assert_non_null(strstr(said, "second comma"));
}

/* `extends: -` names a file beside the rules, never standard input. */
static void test_extends_no_stream(void **state) {
    write_text("-", "version: 1\nbudgets: [{name: a, limit: +5pp}]\n");
    write_text("rules.yml", "version: 1\nextends: ./-\n");
    assert_int_equal(RUN("validate", "rules.yml"), GATE_EXIT_PASS);
}

static void test_validate_reads_the_default_file(void **state) {
    write_text(".pprofgate.yml", "version: 1\nbudgets: [{name: a, limit: +5pp}]\n");
    assert_int_equal(RUN("validate"), GATE_EXIT_PASS);
    write_text(".pprofgate.yml", "version: 1\nbudgets: [{name: a, limit: 5}]\n");
    assert_int_equal(RUN("validate"), GATE_EXIT_ERROR);
    assert_non_null(strstr(said, ".pprofgate.yml:2"));
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

static void test_link_stays(void **state) {
    assert_int_equal(mkdir("folder", 0777), 0);
    write_text("folder/report.json", OLD_JSON);
    assert_int_equal(symlink("folder/report.json", "link"), 0);
    assert_int_equal(symlink("link", "link to link"), 0);
    assert_int_equal(link("folder/report.json", "same inode"), 0);
    assert_int_equal(RUN("check", "-r", RULES, GOOD, CANARY, "--json", "link to link"), GATE_EXIT_PASS);
    assert_true(is_link("link to link") && is_link("link"));
    assert_true(is_json("folder/report.json"));
    assert_true(is_text("same inode", OLD_JSON)); /* replaced, not overwritten in place */
}

static void test_link_to_nothing(void **state) {
    assert_int_equal(symlink("not yet", "link"), 0);
    assert_int_equal(RUN("check", "-r", RULES, GOOD, CANARY, "--json", "link"), GATE_EXIT_PASS);
    assert_true(is_link("link") && !is_link("not yet") && is_json("not yet"));
}

static void test_link_to_itself(void **state) {
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(RUN("check", "-r", RULES, GOOD, CANARY, "--json", "loop"), GATE_EXIT_ERROR);
    assert_non_null(strstr(said, "loop: cannot write: "));
    assert_true(is_link("loop"));
}

/* ---- reports of an earlier run ----------------------------------------------------------------------------------- */

static void test_old_reports_are_removed(void **state) {
    assert_int_equal(RUN("check", "-r", RULES, GOOD, CANARY, "--report", "out", "--svg", "own.svg"), GATE_EXIT_PASS);
    assert_true(is_json("out/report.json") && exists("own.svg"));
    write_text("out/notes.txt", "mine");
    assert_int_equal(RUN("check", "-r", RULES, GOOD, EMPTY, "--report", "out", "--svg", "own.svg"), GATE_EXIT_ERROR);
    static const char *const gone[] = {"out/report.json",    "out/junit.xml", "out/report.html",
                                       "out/flamegraph.svg", "out/report.md", "own.svg"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        if (exists(gone[i]))
            fail_msg("%s is still there", gone[i]);
    assert_true(is_text("out/notes.txt", "mine"));
}

static void test_old_reports_by_the_kind_of_error(void **state) {
    write_text("bad.yml", "version: 2\n");
    static const char *const lines[][8] = {
        {"check", "-r", "bad.yml", GOOD, GOOD, "--json", "old.json"}, /* bad rules */
        {"check", "-r", RULES, GOOD, "missing", "--json", "old.json"},
        {"check", "-r", RULES, "--json=old.json", "--svg=/dev/full", GOOD, GOOD}, /* then another output fails */
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        write_text("old.json", OLD_JSON);
        assert_int_equal(run(lines[i]), GATE_EXIT_ERROR);
        if (exists("old.json"))
            fail_msg("row %zu: old.json is still there", i);
    }
    /* The output of an invalid command line may have been meant as an input. */
    static const char *const invalid[][8] = {
        {"check", "--json", "old.json", "--bogus", GOOD, "old.json"},
        {"check", "-r", RULES, "--json", "old.json", GOOD},
        {"check", "-r", RULES, "-", "-", "--json", "old.json"},
    };
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        write_text("old.json", OLD_JSON);
        assert_int_equal(run(invalid[i]), GATE_EXIT_ERROR);
        if (!exists("old.json") || !is_text("old.json", OLD_JSON))
            fail_msg("row %zu: old.json is not what it was", i);
    }
}

static void test_inputs_are_never_removed(void **state) {
    copy(GOOD, "base.pb.gz");
    assert_int_equal(symlink("base.pb.gz", "link"), 0);
    assert_int_equal(RUN("check", "-r", RULES, "base.pb.gz", GOOD, "--json", "base.pb.gz"), GATE_EXIT_ERROR);
    assert_true(is_same("base.pb.gz", GOOD));
    assert_int_equal(RUN("check", "-r", RULES, "base.pb.gz", EMPTY, "--json", "link"), GATE_EXIT_ERROR);
    assert_true(is_same("base.pb.gz", GOOD) && is_link("link"));
    assert_int_equal(RUN("check", "-r", RULES, "link", EMPTY, "--html", "base.pb.gz"), GATE_EXIT_ERROR);
    assert_true(is_same("base.pb.gz", GOOD));
    assert_int_equal(RUN("check", "-r", "base.pb.gz", GOOD, GOOD, "--json", "base.pb.gz"), GATE_EXIT_ERROR);
    assert_true(is_same("base.pb.gz", GOOD));
    assert_int_equal(mkdir("runs", 0777), 0);
    copy(GOOD, "runs/a.pb.gz");
    assert_int_equal(RUN("check", "-r", RULES, "runs", EMPTY, "--json", "runs/a.pb.gz"), GATE_EXIT_ERROR);
    assert_true(is_same("runs/a.pb.gz", GOOD));
}

/* Each command line names as its output a file that pprofgate did not write. That file must stay, whether or not the
 * inputs are valid. */
static void test_files_of_others_stay(void **state) {
    static const char *const lines[][10] = {
        {"check", "--html", "main.go", CANARY},
        {"check", "-r", RULES, "--html", "main.go", GOOD, CANARY},
        {"check", "-r", RULES, "--html", "main.go", GOOD, "missing"},
        {"check", "-r", RULES, "--html", "link", GOOD, CANARY},
        {"diff", "--html", "main.go", GOOD, CANARY},
        {"merge", "-o", "main.go", GOOD, CANARY},
        {"prove", "--json", "main.go", "missing"},
        {"trend", "--html", "main.go", "missing"},
        {"calibrate", "-o", "main.go", GOOD, CANARY},
        {"init", "-o", "main.go", GOOD},
        {"try", "--html", "main.go"},
        {"try", "--html", "main.go", "HEAD"},
        {"gate", "--html", "main.go"},
    };
    assert_int_equal(symlink("main.go", "link"), 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        write_text("main.go", "package main\n");
        assert_int_equal(run(lines[i]), GATE_EXIT_ERROR);
        if (!exists("main.go") || !is_text("main.go", "package main\n"))
            fail_msg("row %zu: main.go is not what it was", i);
        if (strstr(said, "main.go") == NULL && strstr(said, "link") == NULL)
            fail_msg("row %zu: '%s' does not name the file", i, said);
    }
    assert_int_equal(RUN("check", "-r", RULES, "--json", "main.go", "--force", GOOD, CANARY), GATE_EXIT_PASS);
    assert_true(is_json("main.go"));
    assert_int_equal(RUN("check", "-r", RULES, "--json", "main.go", GOOD, CANARY), GATE_EXIT_PASS);
}

/* Even with --force, an error must not remove a file that pprofgate did not write. */
static void test_force_removes_no_file_of_others(void **state) {
    write_text("main.go", "package main\n");
    assert_int_equal(RUN("check", "-r", RULES, "--force", "--html", "main.go", GOOD, "missing"), GATE_EXIT_ERROR);
    assert_true(is_text("main.go", "package main\n"));
    assert_int_equal(RUN("check", "-r", RULES, "--force", "--html", "main.go", GOOD, EMPTY), GATE_EXIT_ERROR);
    assert_true(is_text("main.go", "package main\n"));
}

static void test_what_a_link_leads_to_is_removed(void **state) {
    write_text("file", OLD_JSON);
    assert_int_equal(symlink("file", "link"), 0);
    assert_int_equal(RUN("check", "-r", RULES, GOOD, EMPTY, "--json", "link"), GATE_EXIT_ERROR);
    assert_true(is_link("link") && !exists("file"));
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(RUN("check", "-r", RULES, GOOD, EMPTY, "--json", "folder"), GATE_EXIT_ERROR);
    assert_true(exists("folder"));
}

/* ---- outputs that cannot be written ------------------------------------------------------------------------------ */

/* If one of several outputs cannot be written, the outputs written before it are removed. */
static void test_all_files_or_none(void **state) {
    assert_int_equal(mkdir("taken", 0777), 0);
    assert_int_equal(RUN("diff", "--json", "d.json", "--html", "taken", GOOD, CANARY), GATE_EXIT_ERROR);
    assert_non_null(strstr(said, "taken: cannot write"));
    assert_false(exists("d.json"));
    assert_int_equal(RUN("prove", "-r", "recommended", "--draws", "1", "--json", "p.json", "--markdown", "taken", GOOD),
                     GATE_EXIT_ERROR);
    assert_non_null(strstr(said, "taken: cannot write"));
    assert_false(exists("p.json"));
    assert_int_equal(RUN("diff", "--json", "d.json", "--html", "d.html", GOOD, CANARY), GATE_EXIT_PASS);
    assert_true(exists("d.json") && exists("d.html"));
}

/* If standard output is full, the error and its cause go to standard error. */
static void test_full_output_is_told(void **state) {
    static const char *const asked[][4] = {
        {"pprofgate", "--help"},          {"pprofgate", "--version"},         {"pprofgate", "baseline", "--help"},
        {"pprofgate", "check", "--help"}, {"pprofgate", "completion", "zsh"}, {"pprofgate", "manual", "check"}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        FILE *full = fopen("/dev/full", "wb"), *err = tmpfile();
        assert_true(full != NULL && err != NULL);
        assert_int_equal(gate_run(asked[i][2] == NULL ? 2 : 3, asked[i], stdin, full, err), GATE_EXIT_ERROR);
        rewind(err);
        said[fread(said, 1, sizeof said - 1, err)] = '\0';
        if (strcmp(said, "pprofgate: cannot write to standard output: No space left on device\n") != 0)
            fail_msg("'%s %s' said '%s'", asked[i][1], asked[i][2] == NULL ? "" : asked[i][2], said);
        (void)fclose(full);
        (void)fclose(err);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* With any memory limit a run passes, names the option to raise, or reports that it is out of memory. */
static void test_memory_limits(void **state) {
    static const char *const limits[] = {"64k", "128k", "256k", "512k", "1M", "2M", "4M", "64M"};
    int passed = 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        int status = RUN("check", "-q", "-r", RULES, "--max-memory", limits[i],
                         GATE_SOURCE_DIR "/fixtures/go-service/cpu/baseline-1.pb.gz",
                         GATE_SOURCE_DIR "/fixtures/go-service/cpu/benign-1.pb.gz");
        passed += status == GATE_EXIT_PASS;
        if (status == GATE_EXIT_ERROR && strstr(said, "--max-memory") == NULL && strstr(said, "out of memory") == NULL)
            fail_msg("%s: %s", limits[i], said);
        assert_true(status == GATE_EXIT_PASS || status == GATE_EXIT_ERROR);
        assert_true(status == GATE_EXIT_ERROR || i > 3); /* the profiles do not fit in 512 KiB */
    }
    assert_true(passed > 0);
}

/* Run with growing memory limits until a run passes. The folder of reports must exist only if the run passed. Returns
 * whether memory was ever short for a report's bytes. */
static bool sweep_memory(const char *option, const char *value, const char *folder) {
    char limit[16];
    int status = GATE_EXIT_ERROR;
    bool in_reports = false;
    for (int kibibytes = 1024; kibibytes < 65536 && status == GATE_EXIT_ERROR; kibibytes += 128) {
        (void)snprintf(limit, sizeof limit, "%dk", kibibytes);
        status = RUN("check", "-q", "-r", RULES, "--max-memory", limit, option, value,
                     GATE_SOURCE_DIR "/fixtures/go-service/cpu/baseline-1.pb.gz",
                     GATE_SOURCE_DIR "/fixtures/go-service/cpu/benign-1.pb.gz");
        if ((status == GATE_EXIT_ERROR) == exists(folder))
            fail_msg("%s: status %d, and the folder is %sthere", limit, status, exists(folder) ? "" : "not ");
        in_reports = in_reports || strstr(said, "a report would need") != NULL;
    }
    assert_int_equal(status, GATE_EXIT_PASS);
    return in_reports;
}

/* The files of --report are written while they are made, so memory is seldom short for them. For --folded it is. */
static void test_no_report_no_folder(void **state) {
    (void)sweep_memory("--report", "made", "made");
    assert_true(sweep_memory("--folded", "stacks/all.txt", "stacks"));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_init_keeps_its_input),
        IN_FOLDER(test_comma_in_a_path),
        IN_FOLDER(test_extends_no_stream),
        IN_FOLDER(test_validate_reads_the_default_file),
        IN_FOLDER(test_link_stays),
        IN_FOLDER(test_link_to_nothing),
        IN_FOLDER(test_link_to_itself),
        IN_FOLDER(test_old_reports_are_removed),
        IN_FOLDER(test_old_reports_by_the_kind_of_error),
        IN_FOLDER(test_inputs_are_never_removed),
        IN_FOLDER(test_files_of_others_stay),
        IN_FOLDER(test_force_removes_no_file_of_others),
        IN_FOLDER(test_what_a_link_leads_to_is_removed),
        IN_FOLDER(test_all_files_or_none),
        IN_FOLDER(test_full_output_is_told),
        IN_FOLDER(test_memory_limits),
        IN_FOLDER(test_no_report_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
