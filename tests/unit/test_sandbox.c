/* SPDX-License-Identifier: Apache-2.0 */
/* base/sandbox: what a process that gave things up can still do, and what not. Each row is a process of its own, whose
 * exit status says what came of it. */
#define _DEFAULT_SOURCE /* syscall */
#include "gate/base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { IS_OPEN, IS_DENIED, IS_ODD, IS_SKIPPED };

static int told(long answer, int reason) {
    return answer < 0 && reason == EPERM ? IS_DENIED : IS_OPEN;
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
    long got = syscall(SYS_ptrace, 0L /* be traced by the parent, which nobody is denied else */, 0L, 0L, 0L);
    return told(got, errno);
#else
    return IS_SKIPPED;
#endif
}

/* An io_uring would open a socket under another name. */
static int try_ring(void) {
    long got = syscall(425L, 0L, 0L);
    return told(got, errno);
}

/* Of every part of the filter. Nothing comes of them: no argument is one. */
static int try_each(void) {
    static const long calls[] = {SYS_execve,
                                 SYS_execveat,
                                 SYS_socket,
                                 SYS_connect,
                                 SYS_bind,
                                 SYS_listen,
                                 SYS_accept,
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

/* Numbers of no call, and of none that is denied: before and behind all. */
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

/* Runs in a process of its own: seal once for each of `needs`, then try. */
static int sealed(const unsigned *needs, int count, int (*attempt)(void)) {
    int status = 0, reason = 0;
    pid_t child = fork();
    if (child == 0) {
        enum gate_sandbox state = GATE_SANDBOX_OPEN;
        for (int i = 0; i < count; i++)
            state = gate_sandbox_enter(needs[i], &reason);
        if (state == GATE_SANDBOX_REFUSED || state == GATE_SANDBOX_UNBUILT)
            _exit(IS_SKIPPED);
        _exit(attempt());
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

static void files_alone_deny_network_and_programs(void **state) {
    (void)state;
    expect(0, try_socket, IS_DENIED);
    expect(0, try_program, IS_DENIED);
    expect(0, try_ring, IS_DENIED);
}

static void each_call_is_told_apart(void **state) {
    (void)state;
    expect(0, try_each, IS_DENIED);
    expect(0, try_none, IS_OPEN);
    expect(GATE_NEEDS_NETWORK, try_none, IS_OPEN);
}

static void what_is_started_inherits(void **state) {
    (void)state;
    expect(0, try_child, IS_DENIED);
}

static void work_goes_on(void **state) {
    (void)state;
    expect(0, try_file, IS_OPEN);
    expect(0, try_pipe, IS_OPEN);
    expect(0, try_thread, IS_OPEN);
}

static void network_is_kept_where_needed(void **state) {
    (void)state;
    expect(GATE_NEEDS_NETWORK, try_socket, IS_OPEN);
    expect(GATE_NEEDS_NETWORK, try_program, IS_DENIED);
    expect(GATE_NEEDS_NETWORK, try_ring, IS_DENIED);
}

static void programs_leave_all_open(void **state) {
    (void)state;
    expect(GATE_NEEDS_PROGRAMS, try_program, IS_OPEN);
    expect(GATE_NEEDS_PROGRAMS, try_socket, IS_OPEN);
}

static void nothing_comes_back(void **state) {
    static const unsigned narrower[] = {GATE_NEEDS_PROGRAMS, GATE_NEEDS_NETWORK, 0},
                          wider[] = {0, GATE_NEEDS_NETWORK, GATE_NEEDS_PROGRAMS};
    (void)state;
    int got = sealed(narrower, 2, try_socket);
    if (got == IS_SKIPPED)
        skip();
    assert_int_equal(got, IS_OPEN);
    assert_int_equal(sealed(narrower, 3, try_socket), IS_DENIED);
    assert_int_equal(sealed(wider, 3, try_socket), IS_DENIED);
    assert_int_equal(sealed(wider, 3, try_program), IS_DENIED);
}

static void others_are_left_alone(void **state) {
    (void)state;
    expect(0, try_trace, IS_DENIED);
}

static _Atomic int stage;

static void *early(void *answer) {
    while (stage == 0)
        (void)usleep(100);
    *(int *)answer = try_socket();
    return NULL;
}

/* A thread that was there before. */
static int try_early(void) {
    static const unsigned needs = 0;
    pthread_t thread;
    int answer = IS_ODD, reason = 0;
    if (pthread_create(&thread, NULL, early, &answer) != 0)
        return IS_ODD;
    enum gate_sandbox state = gate_sandbox_enter(needs, &reason);
    stage = 1;
    if (pthread_join(thread, NULL) != 0)
        return IS_ODD;
    return state == GATE_SANDBOX_UNBUILT || state == GATE_SANDBOX_REFUSED ? IS_SKIPPED : answer;
}

static void threads_that_run_are_sealed_too(void **state) {
    (void)state;
    expect(GATE_NEEDS_PROGRAMS, try_early, IS_DENIED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_alone_deny_network_and_programs),
        cmocka_unit_test(each_call_is_told_apart),
        cmocka_unit_test(what_is_started_inherits),
        cmocka_unit_test(work_goes_on),
        cmocka_unit_test(network_is_kept_where_needed),
        cmocka_unit_test(programs_leave_all_open),
        cmocka_unit_test(nothing_comes_back),
        cmocka_unit_test(others_are_left_alone),
        cmocka_unit_test(threads_that_run_are_sealed_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
