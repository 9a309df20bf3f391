/* SPDX-License-Identifier: Apache-2.0 */
/* The filter of base/sandbox.c as the kernel would run it, row by row, for the machine that this is built for: which
 * calls it denies by their numbers there. No kernel takes part, so that one program can be for another machine. */
#define _DEFAULT_SOURCE /* syscall */
#include "gate/base/error.h"

#include <linux/filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct sock_fprog taken;
static unsigned needs_now, looks;
static int wrong;

void look(unsigned needs);

/* Instead of the call that hands it to the kernel. Its rows are on the stack of who seals, so it is looked at here. */
static long take(long call, const struct sock_fprog *program) {
    taken = *program;
    if (call == SYS_seccomp)
        look(needs_now);
    taken = (struct sock_fprog){0};
    return 0;
}

#define syscall(call, operation, flags, program) take(call, program)
#undef _DEFAULT_SOURCE /* which it defines for itself */
#include "gate/base/sandbox.c"
#undef syscall

_Noreturn void gate_assert_failed(const char *condition, const char *file, int line) {
    (void)fprintf(stderr, "%s:%d: %s\n", file, line, condition);
    abort();
}

#if defined(SANDBOX_MACHINE) && !defined(SANDBOX_IS_SANITIZED)
static uint32_t answer(uint32_t machine, uint32_t call) {
    const struct seccomp_data facts = {.nr = (int)call, .arch = machine};
    uint32_t loaded = 0;
    for (unsigned short at = 0; at < taken.len; at++) {
        const struct sock_filter *row = &taken.filter[at];
        if (row->code == (BPF_LD | BPF_W | BPF_ABS))
            memcpy(&loaded, (const char *)&facts + row->k, sizeof loaded);
        else if (row->code == (BPF_JMP | BPF_JEQ | BPF_K))
            at += loaded == row->k ? row->jt : row->jf;
        else if (row->code == (BPF_JMP | BPF_JGE | BPF_K))
            at += loaded >= row->k ? row->jt : row->jf;
        else
            return row->code == (BPF_RET | BPF_K) ? row->k : 0;
    }
    return 0;
}

static void expect(bool is_denied, uint32_t machine, long call, const char *name) {
    uint32_t expected = is_denied ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW;
    if (answer(machine, (uint32_t)call) != expected) {
        (void)printf("%s (%ld) is%s denied\n", name, call, is_denied ? " not" : "");
        wrong++;
    }
}

static bool is_of(uint32_t call, const uint32_t *calls, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (calls[i] == call)
            return true;
    return false;
}

/* The lists, and nothing else. */
static void expect_each(bool is_apart) {
    for (uint32_t call = 0; call < 4096; call++) {
        bool is_listed = is_of(call, programs, sizeof programs / sizeof *programs) ||
                         (is_apart && is_of(call, network, sizeof network / sizeof *network)) ||
                         is_of(call, others, sizeof others / sizeof *others);
        expect(is_listed, SANDBOX_MACHINE, (long)call, "call");
    }
}

#define DENIED(call) expect(true, SANDBOX_MACHINE, SYS_##call, #call)
#define FREE(call) expect(false, SANDBOX_MACHINE, SYS_##call, #call)

void look(unsigned needs) {
    bool is_apart = (needs & GATE_NEEDS_NETWORK) == 0;
    DENIED(execve), DENIED(execveat), DENIED(ptrace), DENIED(bpf), DENIED(unshare), DENIED(mount), DENIED(reboot);
    DENIED(process_vm_readv), DENIED(keyctl), DENIED(setns), DENIED(userfaultfd), DENIED(personality);
    FREE(read), FREE(write), FREE(openat), FREE(close), FREE(mmap), FREE(munmap), FREE(clone), FREE(futex);
    FREE(exit_group), FREE(unlinkat), FREE(renameat2), FREE(fsync), FREE(getrandom), FREE(ppoll), FREE(wait4);
    FREE(recvfrom), FREE(socketpair);
    expect_each(is_apart);
    looks++;
    expect(is_apart, SANDBOX_MACHINE, SYS_socket, "socket");
    expect(is_apart, SANDBOX_MACHINE, SYS_connect, "connect");
    expect(is_apart, SANDBOX_MACHINE, SYS_sendto, "sendto");
    expect(true, SANDBOX_MACHINE, 425, "io_uring_setup");
    expect(true, AUDIT_ARCH_ARM, SYS_read, "read, of a program of 32 bits");
}
#else
void look(unsigned needs) {
    (void)needs;
}
#endif

int main(void) {
    int reason = 0;
    for (needs_now = 0; needs_now <= GATE_NEEDS_NETWORK; needs_now++)
        if (gate_sandbox_enter(needs_now, &reason) == GATE_SANDBOX_UNBUILT)
            return 1;
    if (looks != 2)
        (void)printf("%u filters were made, not 2\n", looks);
    return wrong > 0 || looks != 2;
}
