/* SPDX-License-Identifier: Apache-2.0 */
/* Work in a child process: its result, its error, a crash, and exceeded limits. */
#include "profile_fixture.h"

#include "gate/base/sandbox.h"
#include "gate/symbols/binary_names.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct gate_subprocess_caps caps = {.cpu_seconds = 20, .memory_bytes = 1 << 28, .answer_bytes = 1 << 20};

static bool repeats(struct gate_buf *out, const void *question, struct gate_error *err) {
    (void)err;
    gate_buf_text(out, question);
    gate_buf_text(out, question);
    return true;
}

static bool refuses(struct gate_buf *out, const void *question, struct gate_error *err) {
    gate_buf_text(out, "half of an answer");
    return gate_error_set(err, GATE_ERR_INPUT, "not a %s", (const char *)question);
}

static bool crashes(struct gate_buf *out, const void *question, struct gate_error *err) {
    (void)out;
    (void)question;
    (void)err;
    (void)kill(getpid(), SIGBUS);
    return true;
}

static bool leaves(struct gate_buf *out, const void *question, struct gate_error *err) {
    (void)out;
    (void)question;
    (void)err;
    _exit(3);
}

static bool runs_on(struct gate_buf *out, const void *question, struct gate_error *err) {
    (void)question;
    (void)err;
    for (volatile uint64_t i = 0; i < UINT64_MAX; i++)
        continue;
    gate_buf_text(out, "never");
    return true;
}

static bool floods(struct gate_buf *out, const void *question, struct gate_error *err) {
    (void)question;
    (void)err;
    gate_buf_repeat(out, 'a', 1 << 21);
    return true;
}

static void expect_failure(gate_subprocess_work *work, const struct gate_subprocess_caps *limits,
                           enum gate_error_code code, const char *part) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    struct gate_error err = {0};
    assert_false(gate_subprocess_do(&out, work, "word", limits, &err));
    if (err.code != code || strstr(err.message, part) == NULL)
        fail_msg("said '%s' (%d), expected '%s' (%d)", err.message, (int)err.code, part, (int)code);
}

TEST(an_answer_of_the_child_is_returned) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    assert_true(gate_subprocess_do(&out, repeats, "word ", &caps, &err));
    assert_true(gate_str_equal(gate_buf_view(&out), GATE_STR("word word ")));
}

TEST(an_error_of_the_child_is_returned) {
    expect_failure(refuses, &caps, GATE_ERR_INPUT, "not a word");
}

TEST(a_crash_is_an_error) {
    expect_failure(crashes, &caps, GATE_ERR_FORMAT, "crashed (signal");
    expect_failure(leaves, &caps, GATE_ERR_FORMAT, "damaged");
}

TEST(limits_apply_in_the_child) {
    struct gate_subprocess_caps low = caps;
    low.cpu_seconds = 1;
    expect_failure(runs_on, &low, GATE_ERR_LIMIT, "more than 1 seconds");
    expect_failure(floods, &caps, GATE_ERR_LIMIT, "more than 1048576 bytes");
}

static int read_from; /* the end of the pipe that gate_subprocess_do will read the result from */

/* Replace the reading end of the pipe by a folder, so that read() fails whatever the child writes. */
static void read_from_folder(int signal_number) {
    (void)signal_number;
    int folder = open("/", O_RDONLY | O_CLOEXEC);
    (void)dup2(folder, read_from);
    (void)close(folder);
}

/* The child's sandbox denies signals to its parent, so a timer of the parent breaks the reading. */
static bool never_writes(struct gate_buf *out, const void *question, struct gate_error *err) {
    (void)out;
    (void)question;
    (void)err;
    while (pause() != 0)
        continue;
    return true;
}

TEST(input_that_cannot_be_read_is_an_error) {
    struct sigaction breaks = {.sa_handler = read_from_folder};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    read_from = ends[0]; /* the lowest free descriptor, so the next pipe gets it again */
    (void)close(ends[0]);
    (void)close(ends[1]);
    const struct itimerval soon = {.it_value = {.tv_usec = 300000}};
    assert_int_equal(sigaction(SIGALRM, &breaks, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    struct gate_subprocess_caps low = caps;
    low.wall_seconds = 20;
    expect_failure(never_writes, &low, GATE_ERR_IO, "its names cannot be read: ");
    (void)signal(SIGALRM, SIG_DFL);
}

static bool waits(struct gate_buf *out, const void *question, struct gate_error *err) {
    (void)out;
    (void)question;
    (void)err;
    while (pause() != 0)
        continue;
    return false;
}

/* A child that only waits uses no CPU time, as on a network file system that is gone. The timeout must end it. */
TEST(waiting_ends_at_the_timeout) {
    struct gate_subprocess_caps low = caps;
    low.wall_seconds = 1;
    expect_failure(waits, &low, GATE_ERR_LIMIT, "most of them of waiting");
}

/* ---- the child's sandbox ----------------------------------------------------------------------------------------- */

enum { CALLS_ARE_LIMITED = 1, FILES_ARE_LIMITED = 2 };

/* What this machine and build limit, tried in a process of its own. */
static int limited_here(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        static const struct gate_sandbox_files none = {NULL, 0, false};
        struct gate_sandbox_state state = {0};
        gate_sandbox_enter(0, &none, &state);
        _exit((state.calls == GATE_SANDBOX_ENTERED ? CALLS_ARE_LIMITED : 0) |
              (state.files == GATE_SANDBOX_ENTERED ? FILES_ARE_LIMITED : 0));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
#ifdef GATE_WRITES_COUNTERS /* a coverage build writes files of its own */
    return WEXITSTATUS(status) & ~FILES_ARE_LIMITED;
#else
    return WEXITSTATUS(status);
#endif
}

static bool is_denied(int answer) {
    return answer < 0 && (errno == EPERM || errno == EACCES);
}

/* The question is the path of a file that exists. */
static bool tries(struct gate_buf *out, const void *question, struct gate_error *err) {
    static char name[] = "nothing";
    char *const argv[] = {name, NULL};
    (void)err;
    gate_buf_text(out, is_denied(socket(AF_UNIX, SOCK_STREAM, 0)) ? "no socket" : "a socket");
    gate_buf_text(out, is_denied(execv("/nonexistent/nothing", argv)) ? ", no program" : ", a program");
    gate_buf_text(out, is_denied(open(question, O_WRONLY)) ? ", no file written" : ", a file written");
    gate_buf_text(out, is_denied(open(question, O_RDONLY)) ? ", no file read" : ", a file read");
    return true;
}

TEST(a_child_has_no_network_starts_nothing_and_writes_nothing) {
    char path[] = "/tmp/test_asking.XXXXXX";
    AT_END(gate_buf_free) struct gate_buf out = {0};
    int limited = limited_here(), file = mkstemp(path);
    assert_true(file >= 0);
    assert_true(gate_subprocess_do(&out, tries, path, &caps, &err));
    assert_int_equal(close(file), 0);
    assert_int_equal(unlink(path), 0);
    struct gate_str calls =
        (limited & CALLS_ARE_LIMITED) != 0 ? GATE_STR("no socket, no program, ") : GATE_STR("a socket, a program, ");
    struct gate_str files = (limited & FILES_ARE_LIMITED) != 0 ? GATE_STR("no file written, a file read")
                                                               : GATE_STR("a file written, a file read");
    assert_true(gate_str_starts(gate_buf_view(&out), calls));
    assert_true(gate_str_ends(gate_buf_view(&out), files));
}
