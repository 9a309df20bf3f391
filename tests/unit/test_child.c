/* SPDX-License-Identifier: Apache-2.0 */
/* Child programs: how they end, that their leftover processes end too, held interrupts, environment and output. */

#include "gate/base/process.h"
#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/wait.h>

extern char **environ;

static const double LONG = 120; /* seconds, longer than any test takes */

static struct gate_interrupt interrupt;

static int hold(void **state) {
    /* In the background job of a script it is ignored, and an ignored signal interrupts nothing. */
    (void)signal(SIGINT, SIG_DFL);
    gate_interrupt_hold(&interrupt);
    return 0;
}

static int release(void **state) {
    interrupt.caught = 0; /* else the caught signal would end this program */
    gate_interrupt_release(&interrupt);
    return 0;
}

static struct gate_child start(const char *command, int out, const char *const *changes) {
    const char *const words[] = {"sh", "-c", command, NULL}, *const nothing[] = {NULL};
    struct gate_child child;
    struct gate_child_options options = {.argv = words, .out = out, .log = -1};
    assert_true(gate_child_environment(&options.environment, changes == NULL ? nothing : changes, &arena, &err));
    assert_true(gate_child_start(&child, &options, &interrupt, &err));
    return child;
}

static void expect_end(const char *command, const char *end, bool is_well) {
    struct gate_child child = start(command, -1, NULL);
    assert_int_equal(gate_child_wait(&child, LONG, &interrupt), GATE_CHILD_ENDED);
    assert_int_equal(gate_child_is_well(&child), is_well);
    assert_string_equal(gate_child_end(&child, &arena).ptr, end);
}

TEST(the_end_names_the_exit_status_or_the_signal) {
    expect_end("exit 0", "ended with status 0", true);
    expect_end("exit 3", "ended with status 3", false);
    expect_end("kill -9 $$", "was killed by signal 9", false);
    expect_end("/nowhere/at/all", "ended with status 127", false);
}

/* If a program cannot be started, that is an error and not an exit status. */
TEST(a_program_that_cannot_be_started_is_an_error) {
    const char *const words[] = {"/dev/null", NULL};
    struct gate_child child;
    struct gate_child_options options = {.argv = words, .environment = environ, .out = -1, .log = -1};
    assert_false(gate_child_start(&child, &options, &interrupt, &err));
    assert_int_equal(err.code, GATE_ERR_IO);
    assert_string_equal(err.message, "cannot start '/dev/null': Permission denied");
    assert_true(child.has_ended); /* there is no process to wait for */
}

/* A program that does not exist ends with status 127. A missing working directory gives status 126. */
TEST(a_missing_program_ends_with_127_and_a_missing_folder_with_126) {
    const char *const words[] = {"no-program-of-this-name", NULL};
    struct gate_child child;
    struct gate_child_options options = {.argv = words, .environment = environ, .out = -1, .log = -1};
    assert_true(gate_child_start(&child, &options, &interrupt, &err));
    assert_string_equal(gate_child_end(&child, &arena).ptr, "did not end");
    assert_int_equal(gate_child_wait(&child, LONG, &interrupt), GATE_CHILD_ENDED);
    assert_string_equal(gate_child_end(&child, &arena).ptr, "ended with status 127");
    options.directory = "/nowhere/at/all";
    assert_true(gate_child_start(&child, &options, &interrupt, &err));
    assert_int_equal(gate_child_wait(&child, LONG, &interrupt), GATE_CHILD_ENDED);
    assert_string_equal(gate_child_end(&child, &arena).ptr, "ended with status 126");
}

TEST(a_child_that_misses_its_timeout_is_late_and_can_be_stopped) {
    struct gate_child child = start("sleep 1000", -1, NULL);
    assert_int_equal(gate_child_wait(&child, 0.05, &interrupt), GATE_CHILD_LATE);
    assert_false(gate_child_is_well(&child));
    gate_child_stop(&child, LONG);
    assert_true(child.has_ended);
    gate_child_stop(&child, LONG); /* a second call is harmless */
}

/* A child that ignores SIGTERM is killed. */
TEST(a_child_that_ignores_sigterm_is_killed) {
    struct gate_child child = start("trap '' TERM; while :; do sleep 0.05; done", -1, NULL);
    assert_int_equal(gate_child_wait(&child, 0.3, &interrupt), GATE_CHILD_LATE);
    gate_child_stop(&child, 0.2);
    assert_string_equal(gate_child_end(&child, &arena).ptr, "was killed by signal 9");
}

/* When a child ends, the processes that it left running in its process group are ended too. */
TEST(processes_that_a_child_leaves_running_are_ended) {
    struct gate_child_output out;
    struct gate_str text;
    assert_true(gate_child_output_open(&out, NULL, &arena, &err));
    struct gate_child child = start("(trap '' HUP TERM; exec sleep 1000) & echo $!", out.descriptor, NULL);
    assert_int_equal(gate_child_wait(&child, LONG, &interrupt), GATE_CHILD_ENDED);
    assert_true(gate_child_output_read(&out, &text, &arena, &err));
    pid_t left = (pid_t)atoi(text.ptr);
    assert_true(left > 1);
    bool is_gone = false;
    for (int i = 0; i < 1000 && !is_gone; i++) {
        char *name = (char *)(uintptr_t)gate_str_format(&arena, "/proc/%d/cwd", (int)left).ptr;
        is_gone = kill(left, 0) != 0 || (access("/proc/self", F_OK) == 0 && access(name, F_OK) != 0);
        gate_interrupt_wait(&interrupt, 0.01);
    }
    assert_true(is_gone); /* or a zombie that its new parent has not reaped */
    gate_child_output_close(&out);
}

TEST(signals_that_arrive_are_reported_in_their_order) {
    struct gate_child child = start("sleep 1000", -1, NULL);
    assert_false(gate_interrupt_is_caught(&interrupt));
    assert_int_equal(kill(getpid(), SIGTERM), 0);
    assert_int_equal(gate_child_wait(&child, LONG, &interrupt), GATE_CHILD_INTERRUPTED);
    assert_int_equal(interrupt.caught, SIGTERM);
    assert_int_equal(kill(getpid(), SIGINT), 0); /* the first one counts */
    gate_child_stop(&child, LONG);
    assert_true(gate_interrupt_is_caught(&interrupt));
    assert_int_equal(interrupt.caught, SIGTERM);
    assert_false(gate_interrupt_error(&interrupt, &err));
    assert_non_null(strstr(err.message, "interrupted"));
    interrupt.caught = 0;
    assert_true(gate_interrupt_is_caught(&interrupt)); /* the second signal was kept */
    assert_int_equal(interrupt.caught, SIGINT);
    interrupt.caught = 0;
}

/* If the process that started a child is killed, the child's whole process group and its guard end. */
TEST(a_child_ends_when_its_starter_is_killed) {
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t starter = fork();
    if (starter == 0) { /* the child and its guard inherit the writing end, so it stays open until all have ended */
        (void)close(ends[0]);
        struct gate_child child = start("trap '' TERM HUP; (sleep 1000) & sleep 1000", -1, NULL);
        (void)!write(ends[1], child.guard > 1 ? "y" : "n", 1);
        for (;;)
            (void)pause();
    }
    assert_true(starter > 1);
    (void)close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(kill(starter, SIGKILL), 0);
    assert_int_equal(waitpid(starter, NULL, 0), starter);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* would block if one were left */
    (void)close(ends[0]);
}

TEST(changes_to_the_environment_reach_the_child) {
    const char *const changes[] = {"GATE_ONE=1", "GATE_TWO", "GATE_ONE=2", "GATE_NEW=a=b", NULL};
    struct gate_child_output out;
    struct gate_str text;
    assert_int_equal(setenv("GATE_TWO", "there", 1), 0);
    assert_int_equal(setenv("GATE_ONE", "0", 1), 0);
    assert_true(gate_child_output_open(&out, NULL, &arena, &err));
    struct gate_child child = start("echo $GATE_ONE/${GATE_TWO-none}/$GATE_NEW", out.descriptor, changes);
    assert_int_equal(gate_child_wait(&child, LONG, &interrupt), GATE_CHILD_ENDED);
    assert_true(gate_child_output_read(&out, &text, &arena, &err));
    assert_string_equal(text.ptr, "2/none/a=b\n");
    assert_true(gate_child_cpu_seconds() >= 0);
    gate_child_output_close(&out);
}

/* The output goes to a temporary file in $TMPDIR. It is an error if that folder does not exist. */
TEST(output_needs_an_existing_tmpdir_or_an_empty_one) {
    struct gate_child_output out;
    const char *told = getenv("TMPDIR");
    char *before = told == NULL ? NULL : strdup(told);
    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    assert_false(gate_child_output_open(&out, NULL, &arena, &err));
    assert_string_equal(err.message, "a temporary file: cannot write: No such file or directory");
    assert_int_equal(gate_child_output_tail(&out, 100, &arena).len, 0);
    gate_child_output_close(&out);
    assert_int_equal(setenv("TMPDIR", "", 1), 0); /* empty: the default folder */
    assert_true(gate_child_output_open(&out, NULL, &arena, &err));
    gate_child_output_close(&out);
    assert_int_equal(before == NULL ? unsetenv("TMPDIR") : setenv("TMPDIR", before, 1), 0);
    free(before);
}

TEST(the_tail_of_the_output_has_whole_lines_only) {
    struct gate_child_output out;
    assert_true(gate_child_output_open(&out, NULL, &arena, &err));
    assert_int_equal(gate_child_output_tail(&out, 100, &arena).len, 0);
    struct gate_child child = start("seq 1 1000", out.descriptor, NULL);
    assert_int_equal(gate_child_wait(&child, LONG, &interrupt), GATE_CHILD_ENDED);
    struct gate_str tail = gate_child_output_tail(&out, 14, &arena);
    assert_true(gate_str_equal(tail, GATE_STR("998\n999\n1000")));
    gate_child_output_close(&out);
}

BEFORE_AND_AFTER_ALL(hold, release)
