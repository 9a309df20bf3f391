/* SPDX-License-Identifier: Apache-2.0 */
/* Output to a terminal: text as wide as the window, no binary data, and progress lines. The program runs in this
 * process, with a pseudo-terminal as its streams. */
#define _XOPEN_SOURCE 700

#include "gate/base/system.h"
#include "gate/cli/command.h"
#include "gate/session/session.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <time.h>

#define FROM                                                                                                           \
    GATE_SOURCE_DIR "/fixtures/go-service" /* working directory: output contains paths, and its width is tested */
#define GO "cpu/"

enum { SAID_BYTES = 65536, WORDS_MAX = 16 };

struct terminal {
    int master;
    const char *name; /* path of the other end */
    FILE *stream;
    pthread_t reader;
    _Atomic size_t len;
    char said[SAID_BYTES]; /* without carriage returns */
};

static void *read_all(void *context) {
    struct terminal *t = context;
    char chunk[512];
    for (ssize_t got; (got = read(t->master, chunk, sizeof chunk)) > 0;)
        for (ssize_t i = 0; i < got && t->len + 1 < sizeof t->said; i++)
            if (chunk[i] != '\r') {
                t->said[t->len] = chunk[i];
                t->len++;
            }
    return NULL;
}

static void begin(struct terminal *t, unsigned short columns) {
    const struct winsize size = {.ws_row = 24, .ws_col = columns};
    *t = (struct terminal){.master = posix_openpt(O_RDWR | O_NOCTTY)};
    assert_true(t->master >= 0 && grantpt(t->master) == 0 && unlockpt(t->master) == 0);
    t->name = ptsname(t->master);
    int other = open(t->name, O_RDWR | O_NOCTTY);
    assert_true(other >= 0 && ioctl(other, TIOCSWINSZ, &size) == 0);
    t->stream = fdopen(other, "w");
    assert_non_null(t->stream);
    assert_int_equal(pthread_create(&t->reader, NULL, read_all, t), 0);
    (void)setenv("NO_COLOR", "1", 1);
    (void)setenv("TERM", "xterm", 1);
    (void)unsetenv("COLUMNS");
    (void)unsetenv("GITHUB_ACTIONS");
}

/* Close the terminal and return its output. The reader thread ends when the other end is closed. */
static struct gate_str end(struct terminal *t) {
    assert_int_equal(fclose(t->stream), 0);
    assert_int_equal(pthread_join(t->reader, NULL), 0);
    (void)close(t->master);
    return (struct gate_str){t->said, t->len};
}

static int run(FILE *out, FILE *err, const char *const *words) {
    const char *argv[WORDS_MAX + 1] = {"pprofgate"};
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++)
        argv[argc] = words[argc - 1];
    FILE *in = tmpfile();
    int status = gate_run(argc, argv, in, out, err);
    (void)fclose(in);
    return status;
}

#define RUN(out, err, ...) run(out, err, (const char *const[]){__VA_ARGS__, NULL})

/* Return `line` without progress text. A slow machine shows progress, and erases it with ESC [K before other output. */
static struct gate_str unwiped(struct gate_str line) {
    for (size_t at; (at = gate_str_find(line, GATE_STR("\033[K"), 0)) != SIZE_MAX;)
        line = gate_str_slice(line, at + 3, line.len);
    return line;
}

static size_t widest(struct gate_str text) {
    size_t most = 0;
    for (size_t at = 0; at < text.len;) {
        size_t line = gate_str_find(text, GATE_STR("\n"), at);
        size_t columns = gate_str_columns(unwiped(gate_str_slice(text, at, line)));
        most = columns > most ? columns : most;
        at = line == SIZE_MAX ? text.len : line + 1;
    }
    return most;
}

static bool holds(struct gate_str text, const char *needle) {
    return gate_str_find(text, gate_str_from(needle), 0) != SIZE_MAX;
}

/* Text is as wide as the window or as COLUMNS, between 64 and 120 columns. `least` checks that lines are filled. */
static void text_is_as_wide_as_the_terminal(void **state) {
    static const struct {
        const char *variable;
        unsigned short window;
        size_t least, most;
    } rows[] = {
        {NULL, 80, 78, 80}, {NULL, 110, 106, 110}, {NULL, 64, 60, 64},   {NULL, 20, 60, 64},
        {NULL, 0, 78, 80},  {NULL, 300, 114, 120}, {"100", 80, 96, 100}, {"wide", 110, 106, 110},
    };
    static const char *const commands[] = {"check", "diff"};
    static struct terminal t;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t c = 0; c < 2; c++) {
            begin(&t, rows[i].window);
            if (rows[i].variable != NULL)
                (void)setenv("COLUMNS", rows[i].variable, 1);
            int status = RUN(t.stream, t.stream, commands[c], GO "baseline-1.pb.gz", GO "regression-1.pb.gz");
            struct gate_str said = end(&t);
            assert_int_equal(status, c == 0 ? 1 : 0);
            size_t width = widest(said);
            if (width < rows[i].least - 4 * c || width > rows[i].most)
                fail_msg("%s, row %zu: %zu columns\n%.*s", commands[c], i, width, GATE_STR_ARG(said));
        }
    (void)unsetenv("COLUMNS");
}

/* Prose is wrapped at the width of the window, so a wide window gives fewer lines. */
static void prose_is_as_wide_as_the_terminal(void **state) {
    static const char *const words[][6] = {
        {"explain", "recommended", GO "baseline-1.pb.gz", GO "regression-1.pb.gz", NULL, NULL},
        {"inspect", GO "baseline-1.pb.gz", NULL, NULL, NULL, NULL},
    };
    static struct terminal t;
    for (size_t i = 0; i < 2; i++) {
        size_t lines[2];
        for (int wide = 0; wide < 2; wide++) {
            begin(&t, wide ? 118 : 80);
            assert_int_equal(run(t.stream, t.stream, words[i]), 0);
            struct gate_str said = end(&t);
            lines[wide] = 0;
            for (size_t at = 0; (at = gate_str_find(said, GATE_STR("\n"), at)) != SIZE_MAX; at++)
                lines[wide]++;
        }
        if (lines[1] >= lines[0])
            fail_msg("%s: %zu lines, and %zu in a wide window", words[i][0], lines[0], lines[1]);
    }
}

static void output_that_is_not_a_terminal_has_80_columns(void **state) {
    FILE *file = tmpfile();
    (void)setenv("COLUMNS", "100", 1);
    assert_int_equal(gate_session_columns(file, 80), 80);
    (void)unsetenv("COLUMNS");
    (void)fclose(file);
}

static void binary_output_to_a_terminal_is_refused(void **state) {
    static struct terminal t;
    begin(&t, 80);
    FILE *err = t.stream, *file = tmpfile();
    assert_int_equal(RUN(t.stream, err, "merge", "-o", "-", GO "baseline-1.pb.gz"), 2);
    assert_int_equal(RUN(file, err, "merge", "-o", t.name, GO "baseline-1.pb.gz"), 2);
    assert_int_equal(RUN(t.stream, err, "merge", "-o", "-", "--container", "raw", GO "baseline-1.pb.gz"), 2);
    assert_int_equal(RUN(t.stream, err, "diff", "--pprof-diff", "-", GO "baseline-1.pb.gz", GO "baseline-2.pb.gz"), 2);
    assert_int_equal(RUN(t.stream, err, "check", "--pprof-diff", "-", GO "baseline-1.pb.gz", GO "baseline-2.pb.gz"), 2);
    assert_int_equal(RUN(file, err, "check", "--pprof-diff", t.name, GO "baseline-1.pb.gz", GO "baseline-2.pb.gz"), 2);
    assert_int_equal(RUN(file, err, "merge", "-o", "-", GO "baseline-1.pb.gz"), 0); /* into a file it is allowed */
    struct gate_str said = end(&t);
    assert_true(holds(said, "option '--output': it is binary, and 'standard output' is a terminal"));
    assert_true(holds(said, "option '--pprof-diff': it is binary, and '/dev/pts/"));
    assert_false(holds(said, "\x1F\x8B"));
    assert_true(ftell(file) > 1000);
    (void)fclose(file);
}

/* Wait until the terminal's output ends with `tail`. If it never does, the test's timeout ends the wait. */
static void wait_for(struct terminal *t, struct gate_str tail) {
    const struct timespec pause = {.tv_nsec = 1000000};
    size_t len;
    while ((len = t->len) < tail.len || memcmp(t->said + len - tail.len, tail.ptr, tail.len) != 0)
        (void)nanosleep(&pause, NULL);
}

/* A progress line appears after a delay, and is erased before other output. */
static void a_long_run_shows_its_stage(void **state) {
    static struct terminal t;
    struct gate_progress progress;
    begin(&t, 80);
    gate_progress_begin(&progress, t.stream, "reading");
    wait_for(&t, GATE_STR("reading ..."));
    gate_progress_stage(&progress, "comparing");
    wait_for(&t, GATE_STR("comparing ..."));
    gate_progress_end(&progress);
    gate_progress_end(&progress); /* a second call is harmless */
    struct gate_str said = end(&t);
    assert_true(gate_str_equal(said, GATE_STR("\033[Kpprofgate: reading ...\033[Kpprofgate: comparing ...\033[K")));
    begin(&t, 80);
    double begun_s = gate_clock_s(CLOCK_MONOTONIC);
    gate_progress_begin(&progress, t.stream, "reading");
    gate_progress_stage(&progress, "comparing");
    gate_progress_end(&progress);
    bool is_late = gate_clock_s(CLOCK_MONOTONIC) - begun_s > GATE_PROGRESS_PATIENCE_MS * 1e-3; /* a busy machine */
    assert_true(end(&t).len == 0 || is_late);
    gate_progress_stage(NULL, "none");
    gate_progress_end(NULL);
}

/* With --timings every stage has a line with its numbers. With --verbose alone, short stages have no line. */
static void stages_are_timed(void **state) {
    struct gate_progress progress;
    char line[200];
    for (int is_timed = 0; is_timed < 2; is_timed++) {
        FILE *stream = tmpfile();
        assert_non_null(stream);
        gate_progress_log(&progress, stream, "reading", is_timed);
        gate_progress_stage(&progress, "comparing");
        gate_progress_stage(&progress, NULL);
        gate_progress_stage(&progress, NULL); /* no stage is left to report */
        rewind(stream);
        static const char *const stages[] = {"reading", "comparing"};
        for (size_t i = 0; is_timed && i < sizeof stages / sizeof *stages; i++) {
            char stage[20];
            double wall = -1.0, cpu = -1.0, most = 0.0;
            assert_non_null(fgets(line, sizeof line, stream));
            assert_int_equal(sscanf(line, "pprofgate: %19s took %lf ms, %lf ms of processors, %lf MiB at most so far",
                                    stage, &wall, &cpu, &most),
                             4);
            assert_string_equal(stage, stages[i]);
            assert_true(wall >= 0.0 && cpu >= 0.0 && most > 0.0);
        }
        assert_null(fgets(line, sizeof line, stream));
        (void)fclose(stream);
    }
}

static void a_check_has_four_stages(void **state) {
    static const char *const stages[] = {"reading profiles", "comparing profiles", "deciding", "making reports"};
    char line[200], start[100];
    FILE *out = tmpfile(), *said = tmpfile();
    assert_true(RUN(out, said, "check", "--timings", GO "baseline-1.pb.gz", GO "baseline-2.pb.gz") < 2);
    rewind(said);
    for (size_t i = 0; i < sizeof stages / sizeof *stages;) {
        (void)snprintf(start, sizeof start, "pprofgate: %s took ", stages[i]);
        if (fgets(line, sizeof line, said) == NULL)
            fail_msg("no line '%s'", start);
        i += strncmp(line, start, strlen(start)) == 0;
    }
    (void)fclose(out);
    (void)fclose(said);
}

/* A pipe that nobody writes to. Its writing end is closed once the terminal shows a progress line. */
struct silence {
    struct terminal *terminal;
    int end;
};

static void *silence_end(void *context) {
    struct silence *silence = context;
    wait_for(silence->terminal, GATE_STR(" ..."));
    (void)close(silence->end);
    return NULL;
}

/* Every command that waits for its input shows a progress line. */
static void every_command_shows_progress(void **state) {
    static const char *const commands[] = {"inspect", "merge", "init"};
    static struct terminal t;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        int ends[2];
        pthread_t thread;
        begin(&t, 80);
        assert_int_equal(pipe(ends), 0);
        struct silence silence = {&t, ends[1]};
        assert_int_equal(pthread_create(&thread, NULL, silence_end, &silence), 0);
        FILE *in = fdopen(ends[0], "r"), *out = tmpfile();
        const char *const argv[] = {"pprofgate", commands[i], "-", "-o", "-"};
        int status = gate_run(i == 0 ? 3 : 5, argv, in, out, t.stream);
        assert_int_equal(pthread_join(thread, NULL), 0);
        struct gate_str said = end(&t);
        assert_int_equal(status, 2); /* the input is empty */
        if (!gate_str_starts(said, GATE_STR("\033[Kpprofgate: reading profiles ...\033[Kpprofgate: ")))
            fail_msg("%s: %.*s", commands[i], GATE_STR_ARG(said));
        (void)fclose(in);
        (void)fclose(out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_as_wide_as_the_terminal),
        cmocka_unit_test(output_that_is_not_a_terminal_has_80_columns),
        cmocka_unit_test(prose_is_as_wide_as_the_terminal),
        cmocka_unit_test(binary_output_to_a_terminal_is_refused),
        cmocka_unit_test(a_long_run_shows_its_stage),
        cmocka_unit_test(stages_are_timed),
        cmocka_unit_test(a_check_has_four_stages),
        cmocka_unit_test(every_command_shows_progress),
    };
    if (chdir(FROM) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
