/* SPDX-License-Identifier: Apache-2.0 */
/* session/file_roles.h: which files at the place of an output are recognised as written by pprofgate, and hostile ones.
 * The program writes the recognised reports in this process. */

#include "gate/base/file.h"
#include "gate/capture/manifest.h"
#include "gate/cli/command.h"
#include "gate/formats/deflate.h"
#include "gate/session/file_roles.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define BASE GATE_SOURCE_DIR "/fixtures/bad/good.pb.gz"
#define CANARY GATE_SOURCE_DIR "/fixtures/bad/good-canary.pb.gz"

#define OWN "## pprofgate: PASS\n" GATE_OWN_MARK_MARKDOWN

enum { WORDS_MAX = 32 };

static int enter(void **state) {
    static char folder[] = "/tmp/pprofgate-own-XXXXXX";
    (void)strcpy(folder, "/tmp/pprofgate-own-XXXXXX");
    *state = mkdtemp(folder);
    return *state == NULL || chdir(folder) != 0 || unsetenv("GITHUB_ACTIONS") != 0;
}

static int leave(void **state) {
    char command[128];
    int len = snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    return len < 0 || chdir("/") != 0 || system(command) != 0;
}

static int run(const char *const *words) {
    const char *argv[WORDS_MAX + 1] = {"pprofgate"};
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++)
        argv[argc] = words[argc - 1];
    FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
    assert_true(in != NULL && out != NULL && err != NULL);
    int status = gate_run(argc, argv, in, out, err);
    (void)fclose(in);
    (void)fclose(out);
    (void)fclose(err);
    return status;
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static void put(const char *path, struct gate_str bytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
}

static void expect(const char *path, enum gate_own_mark mark, enum gate_own_file wanted) {
    struct gate_error err = {0};
    enum gate_own_file found = gate_own_file_look(path, mark);
    if (found != wanted)
        fail_msg("%s as %s: found %d, expected %d", path, gate_own_mark_name(mark), found, wanted);
    bool may = wanted != GATE_OWN_FILE_OTHER && wanted != GATE_OWN_FILE_UNREADABLE;
    assert_int_equal(gate_own_file_check(path, mark, false, &err), may);
    if (!may) {
        assert_int_equal(err.code, wanted == GATE_OWN_FILE_OTHER ? GATE_ERR_USAGE : GATE_ERR_IO);
        assert_non_null(strstr(err.message, path));
        assert_non_null(strstr(err.message, "--force"));
    }
    err = (struct gate_error){0};
    assert_true(gate_own_file_check(path, mark, true, &err));
}

static void every_file_that_pprofgate_writes_is_recognised(void **state) {
    assert_int_not_equal(RUN("check", "--report", "out", "--gitlab-codequality", "q", "--sarif", "c.sarif",
                             "--openmetrics", "o", "--folded", "f", "--speedscope", "s", "--pprof-diff", "p", BASE,
                             CANARY),
                         GATE_EXIT_ERROR);
    assert_int_equal(
        RUN("diff", "--json", "d.json", "--html", "d.html", "--folded", "d.f", "--pprof-diff", "d.p", BASE, CANARY),
        GATE_EXIT_PASS);
    assert_int_equal(RUN("merge", "-o", "gzip.pb.gz", BASE, CANARY), GATE_EXIT_PASS);
    assert_int_equal(RUN("merge", "-o", "zstd", "--container", "zstd", BASE, CANARY), GATE_EXIT_PASS);
    assert_int_equal(RUN("merge", "-o", "raw", "--container", "raw", BASE, CANARY), GATE_EXIT_PASS);
    assert_int_equal(RUN("merge", "-o", "m.otlp", BASE, CANARY), GATE_EXIT_PASS);
    assert_int_equal(RUN("merge", "-o", "m.otlp.gz", BASE, CANARY), GATE_EXIT_PASS);
    assert_int_equal(RUN("calibrate", "-o", "noise.yml", BASE, CANARY), GATE_EXIT_PASS);
    assert_int_equal(RUN("init", "-o", "rules.yml", BASE), GATE_EXIT_PASS);
    assert_int_equal(RUN("prove", "--draws", "1", "--json", "p.json", "--markdown", "p.md", BASE), GATE_EXIT_PASS);
    assert_int_equal(RUN("manual", "-o", "man"), GATE_EXIT_PASS);
    static const struct {
        const char *path;
        enum gate_own_mark mark;
    } files[] = {
        {"out/report.json", GATE_OWN_JSON},
        {"out/junit.xml", GATE_OWN_JUNIT},
        {"out/report.html", GATE_OWN_HTML},
        {"out/flamegraph.svg", GATE_OWN_SVG},
        {"out/report.md", GATE_OWN_MARKDOWN},
        {"q", GATE_OWN_CODEQUALITY},
        {"c.sarif", GATE_OWN_SARIF},
        {"o", GATE_OWN_OPENMETRICS},
        {"f", GATE_OWN_FOLDED},
        {"s", GATE_OWN_SPEEDSCOPE},
        {"p", GATE_OWN_PPROF},
        {"d.json", GATE_OWN_JSON},
        {"d.html", GATE_OWN_HTML},
        {"d.f", GATE_OWN_FOLDED},
        {"d.p", GATE_OWN_PPROF},
        {"gzip.pb.gz", GATE_OWN_PPROF},
        {"zstd", GATE_OWN_PPROF},
        {"raw", GATE_OWN_PPROF},
        {"m.otlp", GATE_OWN_OTLP},
        {"m.otlp.gz", GATE_OWN_OTLP},
        {"noise.yml", GATE_OWN_NOISE},
        {"p.json", GATE_OWN_JSON},
        {"p.md", GATE_OWN_MARKDOWN},
        {"man/pprofgate.1", GATE_OWN_MANUAL},
        {"man/pprofgate-check.1", GATE_OWN_MANUAL},
        {"man/pprofgate-rules.5", GATE_OWN_MANUAL},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        expect(files[i].path, files[i].mark, GATE_OWN_FILE_OWN);
        for (int mark = 0; mark < GATE_OWN_MARKS; mark++)
            if ((enum gate_own_mark)mark != files[i].mark)
                expect(files[i].path, (enum gate_own_mark)mark, GATE_OWN_FILE_OTHER);
    }
    /* users edit rules files, so they never count as pprofgate's own */
    expect("rules.yml", GATE_OWN_RULES, GATE_OWN_FILE_OTHER);
}

static void files_of_others_are_not_recognised(void **state) {
    static const char *const others[] = {BASE,
                                         CANARY,
                                         GATE_SOURCE_DIR "/README.md",
                                         GATE_SOURCE_DIR "/LICENSE",
                                         GATE_SOURCE_DIR "/gate/base/own_mark.h",
                                         "/proc/self/exe"};
    struct gate_str zeros = {calloc(1, 100000), 100000};
    assert_non_null(zeros.ptr);
    put("zeros", zeros);
    put("bomb.gz", GATE_STR("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff")); /* damaged gzip */
    put("cut.gz", GATE_STR("\x1f\x8b"));
    put("zstd", GATE_STR("\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff"));
    put("blank", GATE_STR("\n"));
    for (int mark = 0; mark < GATE_OWN_MARKS; mark++) {
        for (size_t i = 0; i + 1 < sizeof others / sizeof *others; i++)
            expect(others[i], (enum gate_own_mark)mark, GATE_OWN_FILE_OTHER);
        expect("zeros", (enum gate_own_mark)mark, GATE_OWN_FILE_OTHER);
        expect("bomb.gz", (enum gate_own_mark)mark, GATE_OWN_FILE_OTHER);
        expect("cut.gz", (enum gate_own_mark)mark, GATE_OWN_FILE_OTHER);
        expect("zstd", (enum gate_own_mark)mark, GATE_OWN_FILE_OTHER);
        expect("blank", (enum gate_own_mark)mark, GATE_OWN_FILE_OTHER);
    }
    free((char *)(uintptr_t)zeros.ptr);
}

/* A file of 1 TiB, mostly a hole, of which only the beginning is read; and a small file that decompresses to 64 MiB
 * of zeros. */
static void a_huge_file_costs_no_more_than_a_small_one(void **state) {
    struct gate_error err = {0};
    struct gate_buf packed = {0};
    struct gate_str zeros = {calloc(1, 64 << 20), 64 << 20};
    int file = open("huge", O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0 && zeros.ptr != NULL);
    assert_int_equal(write(file, OWN, sizeof OWN - 1), sizeof OWN - 1);
    if (ftruncate(file, (off_t)1 << 40) != 0)
        assert_int_equal(ftruncate(file, (off_t)1 << 30), 0); /* for file systems with a smaller limit */
    assert_int_equal(close(file), 0);
    assert_true(gate_container_write(&packed, zeros, GATE_CONTAINER_GZIP, &err));
    put("bomb.pb.gz", gate_buf_view(&packed));
    struct rusage before, after;
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    for (int i = 0; i < 100; i++) {
        expect("huge", GATE_OWN_MARKDOWN, GATE_OWN_FILE_OWN);
        expect("huge", GATE_OWN_JSON, GATE_OWN_FILE_OTHER);
        expect("bomb.pb.gz", GATE_OWN_PPROF, GATE_OWN_FILE_OTHER);
    }
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_true(after.ru_utime.tv_sec + after.ru_stime.tv_sec - before.ru_utime.tv_sec - before.ru_stime.tv_sec < 5);
    gate_buf_free(&packed);
    free((char *)(uintptr_t)zeros.ptr);
}

static void what_is_no_regular_file_is_not_read(void **state) {
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(mkfifo("pipe", 0600), 0); /* without a writer, so that reading it would block for ever */
    assert_int_equal(symlink("pipe", "link to pipe"), 0);
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(symlink("not yet", "link to nothing"), 0);
    put("file", GATE_STR("a file"));
    int file = open("file", O_WRONLY);
    char open_file[32];
    (void)snprintf(open_file, sizeof open_file, "/dev/fd/%d", file);
    static const char *const paths[] = {"folder",  "pipe",       "link to pipe", "loop",      "link to nothing",
                                        "not yet", "file/below", "/dev/null",    "/dev/full", "/dev/stdout"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        expect(paths[i], GATE_OWN_JSON, GATE_OWN_FILE_NONE);
    expect(open_file, GATE_OWN_JSON, GATE_OWN_FILE_NONE);
    assert_int_equal(close(file), 0);
    bool replaces = false;
    assert_true(gate_outfile_replaces(&replaces, "file") && replaces);
    assert_true(gate_outfile_replaces(&replaces, "pipe") && !replaces);
}

static void a_link_is_what_it_leads_to(void **state) {
    put("mine.md", GATE_STR("# Notes\n"));
    put("own.md", GATE_STR(OWN));
    put("empty.md", GATE_STR(""));
    assert_int_equal(symlink("mine.md", "a"), 0);
    assert_int_equal(symlink("own.md", "b"), 0);
    assert_int_equal(symlink("empty.md", "c"), 0);
    assert_int_equal(link("mine.md", "d"), 0);
    expect("a", GATE_OWN_MARKDOWN, GATE_OWN_FILE_OTHER);
    expect("b", GATE_OWN_MARKDOWN, GATE_OWN_FILE_OWN);
    expect("c", GATE_OWN_MARKDOWN, GATE_OWN_FILE_EMPTY);
    expect("d", GATE_OWN_MARKDOWN, GATE_OWN_FILE_OTHER);
}

static void a_file_that_cannot_be_read_is_refused(void **state) {
    put("secret", GATE_STR(OWN));
    assert_int_equal(chmod("secret", 0), 0);
    /* Root can read it all the same. */
    expect("secret", GATE_OWN_MARKDOWN, geteuid() == 0 ? GATE_OWN_FILE_OWN : GATE_OWN_FILE_UNREADABLE);
    struct rlimit files = {0}, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    none = files;
    none.rlim_cur = 0;
    assert_int_equal(chmod("secret", 0600), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    struct gate_error err = {0};
    enum gate_own_file found = gate_own_file_look("secret", GATE_OWN_MARKDOWN);
    int reason = errno;
    bool may = gate_own_file_check("secret", GATE_OWN_MARKDOWN, false, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    assert_int_equal(found, GATE_OWN_FILE_UNREADABLE);
    assert_int_equal(reason, EMFILE);
    assert_false(may);
    assert_non_null(strstr(err.message, "secret exists and cannot be read"));
}

/* The memory behind the last run of a manifest is not read as a run: every byte of it is 0x55. */
static void a_folder_that_is_read_is_its_manifest_and_its_profiles(void **state) {
#define RUN_OF(file)                                                                                                   \
    "{\"round\": 1, \"side\": \"canary\", \"kind\": \"cpu\", \"file\": \"" file                                        \
    "\", \"start_ms\": 5, \"end_ms\": 9, \"digest\": "                                                                 \
    "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}"
    static const char manifest[] =
        "{\"schema\": \"pprofgate-manifest/1\", \"runs\": [" RUN_OF("a.pb.gz") ", " RUN_OF("b.pb.gz") "]}";
    static _Alignas(max_align_t) char room[1 << 16];
    struct gate_file_roles roles = {0};
    struct gate_error err = {0};
    memset(room, 0x55, sizeof room);
    put(GATE_MANIFEST_FILE, gate_str_from(manifest));
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    gate_arena_lend(&arena, room, sizeof room);
    if (!gate_file_roles_read_folder(&roles, ".", &arena, &err))
        fail_msg("%s", err.message);
    assert_int_equal(roles.count, 3);
    assert_true(gate_file_roles_is_read(&roles, "b.pb.gz", &arena));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(every_file_that_pprofgate_writes_is_recognised),
        IN_FOLDER(files_of_others_are_not_recognised),
        IN_FOLDER(a_huge_file_costs_no_more_than_a_small_one),
        IN_FOLDER(what_is_no_regular_file_is_not_read),
        IN_FOLDER(a_link_is_what_it_leads_to),
        IN_FOLDER(a_file_that_cannot_be_read_is_refused),
        IN_FOLDER(a_folder_that_is_read_is_its_manifest_and_its_profiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
