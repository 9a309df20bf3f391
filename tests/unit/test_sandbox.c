/* SPDX-License-Identifier: Apache-2.0 */
/* base/sandbox.h: what a process in the sandbox can still do, and what is denied. Each row runs in a process of its own
 * and reports by its exit status. At the end, how `version` names the state (session/session.h). */
#define _GNU_SOURCE /* syscall, prlimit */
#include "gate/base/sandbox.h"
#include "gate/session/session.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { IS_OPEN, IS_DENIED, IS_ODD, IS_SKIPPED };

static int told(long answer, int reason) {
    return answer < 0 && (reason == EPERM || reason == EACCES || reason == EROFS) ? IS_DENIED : IS_OPEN;
}

static int try_socket(void) {
    int got = socket(AF_UNIX, SOCK_STREAM, 0);
    return told(got, errno);
}

static int try_program(void) {
    static char name[] = "nothing";
    char *const argv[] = {name, NULL};
    int got = execv("/nonexistent/nothing", argv);
    return told(got, errno);
}

static int try_trace(void) {
#ifdef SYS_ptrace
    long got = syscall(SYS_ptrace, 0L /* PTRACE_TRACEME, which needs no other rights */, 0L, 0L, 0L);
    return told(got, errno);
#else
    return IS_SKIPPED;
#endif
}

/* An io_uring could open a socket without the system call socket. */
static int try_ring(void) {
    long got = syscall(425L, 0L, 0L);
    return told(got, errno);
}

/* Try system calls of every part of the filter. All arguments are -1, so a call that is allowed fails and does
 * nothing. */
static int try_each(void) {
    static const long calls[] = {SYS_execve,
                                 SYS_execveat,
                                 SYS_socket,
                                 SYS_connect,
                                 SYS_bind,
                                 SYS_listen,
#ifdef SYS_accept /* s390x has accept4 alone */
                                 SYS_accept,
#endif
                                 SYS_accept4,
                                 SYS_sendto,
                                 SYS_sendmsg,
                                 SYS_sendmmsg,
                                 425,
                                 426,
                                 427,
                                 438,
                                 SYS_kcmp,
                                 SYS_bpf,
                                 SYS_unshare,
                                 SYS_userfaultfd,
                                 SYS_keyctl,
                                 SYS_add_key,
                                 SYS_mount,
                                 SYS_umount2,
                                 SYS_pivot_root,
                                 SYS_setns,
                                 SYS_init_module,
                                 SYS_chroot,
                                 SYS_finit_module,
                                 SYS_kexec_load,
                                 SYS_delete_module,
                                 SYS_swapon,
                                 SYS_request_key,
                                 428,
                                 429,
                                 430,
                                 442};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        long got = syscall(calls[i], -1L, -1L, -1L, -1L, -1L, -1L);
        if (told(got, errno) != IS_DENIED)
            return IS_OPEN;
    }
    return IS_DENIED;
}

/* Numbers of no system call, below and above all numbers that are denied. */
static int try_none(void) {
    for (long call = 600; call < 1000; call++)
        if (syscall(call, -1L) >= 0 || errno != ENOSYS)
            return IS_ODD;
    return syscall(SYS_getpid) == (long)getpid() && close(-1) < 0 && errno == EBADF ? IS_OPEN : IS_ODD;
}

static int try_file(void) {
    int file = open("/dev/null", O_RDWR);
    return file >= 0 && write(file, "x", 1) == 1 && close(file) == 0 ? IS_OPEN : IS_ODD;
}

static int try_pipe(void) {
    int ends[2];
    char byte = 0;
    return pipe(ends) == 0 && write(ends[1], "x", 1) == 1 && read(ends[0], &byte, 1) == 1 ? IS_OPEN : IS_ODD;
}

static int try_child(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(try_socket());
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : IS_ODD;
}

static void *nothing(void *context) {
    return context;
}

static int try_thread(void) {
    pthread_t thread;
    return pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0 ? IS_OPEN : IS_ODD;
}

static struct gate_sandbox_state enter(unsigned needs, bool limits_reads) {
    static const struct gate_sandbox_path paths[] = {
        {"/dev/null", GATE_LANDLOCK_READ | GATE_LANDLOCK_WRITE},
        {"out", GATE_LANDLOCK_READ | GATE_LANDLOCK_WRITE | GATE_LANDLOCK_MAKE},
        {"/usr", GATE_LANDLOCK_READ},
        {"/lib", GATE_LANDLOCK_READ},
        {"/etc", GATE_LANDLOCK_READ}};
    const struct gate_sandbox_files files = {paths, sizeof paths / sizeof *paths, limits_reads};
    struct gate_sandbox_state state = {0};
    gate_sandbox_enter(needs, &files, &state);
    return state;
}

/* Runs in a process of its own: enter the sandbox once for each of `needs`, then try. */
static int sealed(const unsigned *needs, int count, int (*attempt)(void)) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        bool is_refused = false;
        for (int i = 0; i < count; i++) {
            struct gate_sandbox_state state = enter(needs[i], true);
            is_refused = is_refused || state.calls == GATE_SANDBOX_REFUSED || state.calls == GATE_SANDBOX_LEFT_OUT;
        }
        _exit(is_refused ? IS_SKIPPED : attempt());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void expect(unsigned needs, int (*attempt)(void), int expected) {
    int got = sealed(&needs, 1, attempt);
    if (got == IS_SKIPPED)
        skip();
    assert_int_equal(got, expected);
}

TEST(commands_on_files_have_no_network_and_no_programs) {
    expect(0, try_socket, IS_DENIED);
    expect(0, try_program, IS_DENIED);
    expect(0, try_ring, IS_DENIED);
}

TEST(each_system_call_is_filtered_by_itself) {
    expect(0, try_each, IS_DENIED);
    expect(0, try_none, IS_OPEN);
    expect(GATE_NEEDS_NETWORK, try_none, IS_OPEN);
}

TEST(child_processes_inherit_the_sandbox) {
    expect(0, try_child, IS_DENIED);
}

TEST(allowed_calls_still_work) {
    expect(0, try_file, IS_OPEN);
    expect(0, try_pipe, IS_OPEN);
    expect(0, try_thread, IS_OPEN);
}

TEST(commands_that_need_the_network_have_it) {
    expect(GATE_NEEDS_NETWORK, try_socket, IS_OPEN);
    expect(GATE_NEEDS_NETWORK, try_program, IS_DENIED);
    expect(GATE_NEEDS_NETWORK, try_ring, IS_DENIED);
}

TEST(a_command_that_runs_programs_has_no_system_call_filter) {
    expect(GATE_NEEDS_PROGRAMS, try_program, IS_OPEN);
    expect(GATE_NEEDS_PROGRAMS, try_socket, IS_OPEN);
}

TEST(dropped_permissions_do_not_come_back) {
    static const unsigned narrower[] = {GATE_NEEDS_PROGRAMS, GATE_NEEDS_NETWORK, 0},
                          wider[] = {0, GATE_NEEDS_NETWORK, GATE_NEEDS_PROGRAMS};
    int got = sealed(narrower, 2, try_socket);
    if (got == IS_SKIPPED)
        skip();
    assert_int_equal(got, IS_OPEN);
    assert_int_equal(sealed(narrower, 3, try_socket), IS_DENIED);
    assert_int_equal(sealed(wider, 3, try_socket), IS_DENIED);
    assert_int_equal(sealed(wider, 3, try_program), IS_DENIED);
}

TEST(other_processes_cannot_be_traced) {
    expect(0, try_trace, IS_DENIED);
}

static _Atomic int stage;

static void *early(void *answer) {
    while (stage == 0)
        (void)usleep(100);
    *(int *)answer = try_socket();
    return NULL;
}

/* A thread that existed before the sandbox was entered. */
static int try_early(void) {
    static const unsigned needs = 0;
    pthread_t thread;
    int answer = IS_ODD;
    if (pthread_create(&thread, NULL, early, &answer) != 0)
        return IS_ODD;
    struct gate_sandbox_state state = enter(needs, true);
    stage = 1;
    if (pthread_join(thread, NULL) != 0)
        return IS_ODD;
    return state.calls == GATE_SANDBOX_LEFT_OUT || state.calls == GATE_SANDBOX_REFUSED ? IS_SKIPPED : answer;
}

TEST(running_threads_are_restricted_too) {
    expect(GATE_NEEDS_PROGRAMS, try_early, IS_DENIED);
}

/* ---- files and other processes: by Landlock, if the kernel has it ------------------------------------------------ */

static int try_to_open(const char *path, int flags, int mode) {
    int file = open(path, flags, mode);
    return told(file, errno);
}

static int try_parent(const char *file, int flags) {
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)getppid(), file);
    return try_to_open(path, flags, 0);
}

static int try_environment(void) {
    return try_parent("environ", O_RDONLY);
}

static int try_memory(void) {
    return try_parent("mem", O_RDWR);
}

static int try_signal(void) {
    int got = kill(getppid(), 0);
    return told(got, errno);
}

static int try_own_signal(void) {
    return kill(getpid(), 0) == 0 && pthread_kill(pthread_self(), 0) == 0 ? IS_OPEN : IS_ODD;
}

static int try_child_signal(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        for (;;)
            (void)pause();
    int got = kill(child, SIGTERM);
    return got == 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) ? IS_OPEN : IS_ODD;
}

static int try_output(void) {
    return try_to_open("out/report", O_WRONLY | O_CREAT, 0644) == IS_OPEN && rename("out/report", "out/other") == 0 &&
                   unlink("out/other") == 0
               ? IS_OPEN
               : IS_ODD;
}

static int try_other_output(void) {
    return try_to_open("elsewhere", O_WRONLY | O_CREAT, 0644);
}

static int try_append(void) {
    return try_to_open("env", O_WRONLY | O_APPEND, 0);
}

static int try_secret(void) {
    return try_to_open("env", O_RDONLY, 0);
}

static int try_program_file(void) {
    return try_to_open("out/program", O_WRONLY | O_CREAT, 0755);
}

static int try_chmod(void) {
    int got = chmod("out", 0755);
    return told(got, errno);
}

static int try_limits(void) {
    const struct rlimit none = {0, 0};
    int got = prlimit(getppid(), RLIMIT_CORE, &none, NULL);
    return told(got, errno);
}

static int try_dump(void) {
    return prctl(PR_GET_DUMPABLE) == 0 ? IS_DENIED : IS_OPEN;
}

static void folder_make(void) {
    char folder[] = "/tmp/test_sandbox.XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("out", 0700), 0);
    int file = open("env", O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, "x", 1), 1);
    assert_int_equal(close(file), 0);
}

static void folder_remove(void) {
    char here[256];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(unlink("env"), 0);
    assert_int_equal(rmdir("out"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(here), 0);
}

/* The filter denies this by itself, whether or not the kernel has Landlock. */
TEST(files_cannot_be_made_executable) {
    folder_make();
    expect(0, try_program_file, IS_DENIED);
    expect(0, try_chmod, IS_DENIED);
    folder_remove();
}

TEST(other_processes_are_left_alone) {
    expect(0, try_signal, IS_DENIED);
    expect(GATE_NEEDS_NETWORK, try_signal, IS_DENIED);
    expect(0, try_limits, IS_DENIED);
    expect(0, try_own_signal, IS_OPEN);
    expect(0, try_dump, IS_DENIED);
}

/* Return whether the kernel has this version of Landlock. A build that counts coverage writes files of its own, so it
 * does not use Landlock. */
static bool has_landlock(int version) {
#ifdef GATE_WRITES_COUNTERS
    (void)version;
    return false;
#else
    int reason = 0;
    return gate_landlock_version(&reason) >= version;
#endif
}

TEST(other_processes_cannot_be_read) {
    if (!has_landlock(1))
        skip();
    expect(0, try_environment, IS_DENIED);
    expect(0, try_memory, IS_DENIED);
    expect(GATE_NEEDS_PROGRAMS, try_environment, IS_OPEN);
}

TEST(a_child_can_be_ended) {
    if (!has_landlock(GATE_LANDLOCK_SIGNALS))
        skip();
    expect(0, try_child_signal, IS_OPEN);
}

TEST(only_named_files_are_opened) {
    if (!has_landlock(1))
        skip();
    folder_make();
    expect(0, try_output, IS_OPEN);
    expect(0, try_other_output, IS_DENIED);
    expect(0, try_append, IS_DENIED);
    expect(0, try_secret, IS_DENIED);
    folder_remove();
}

static int unlimited(void) {
    struct gate_sandbox_state state = enter(0, false);
    return state.files != GATE_SANDBOX_ENTERED || !has_landlock(1) ? IS_SKIPPED
           : try_secret() == IS_OPEN                               ? try_append()
                                                                   : IS_ODD;
}

TEST(reading_can_stay_unlimited) {
    static const unsigned programs = GATE_NEEDS_PROGRAMS;
    folder_make();
    int got = sealed(&programs, 1, unlimited);
    folder_remove();
    if (got == IS_SKIPPED)
        skip();
    assert_int_equal(got, IS_DENIED);
}

TEST(version_names_each_part_of_the_sandbox) {
    static const struct {
        struct gate_sandbox_state state;
        const char *sentence;
    } rows[] = {
        {{GATE_SANDBOX_ENTERED, 0, GATE_SANDBOX_ENTERED, 0, GATE_LANDLOCK_SIGNALS},
         "seccomp (network, programs and other processes), Landlock version 6 (files and signals)"},
        {{GATE_SANDBOX_LEFT_OUT, ENOSYS, GATE_SANDBOX_ENTERED, 0, GATE_LANDLOCK_SIGNALS - 1},
         "no seccomp (built without), Landlock version 5 (files)"},
        {{GATE_SANDBOX_ENTERED, 0, GATE_SANDBOX_REFUSED, ENOSYS, 0},
         "seccomp (network, programs and other processes), no Landlock (the kernel has none)"},
        {{GATE_SANDBOX_LEFT_OUT, 0, GATE_SANDBOX_LEFT_OUT, 0, 0},
         "no, built with a sanitizer or for another system than Linux"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gate_session session = {.arena = &arena, .sandbox = {.is_wanted = true, .state = rows[i].state}};
        struct gate_str got = gate_sandboxing_sentence(&session);
        if (!gate_str_equal(got, gate_str_from(rows[i].sentence)))
            fail_msg("row %zu: '%.*s'", i, GATE_STR_ARG(got));
    }
}
