/* SPDX-License-Identifier: Apache-2.0 */
/* A seccomp filter that denies a list of system calls. A list of allowed calls would break with the next C library. */
#define _DEFAULT_SOURCE /* for syscall */
#include "gate/base/sandbox.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANDBOX_IS_SANITIZED
#endif
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANDBOX_IS_SANITIZED
#endif

#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/seccomp.h>) && __has_include(<linux/filter.h>) && __has_include(<linux/audit.h>)
#include <linux/audit.h>
#if defined(__x86_64__) && !defined(__ILP32__)
#define SANDBOX_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && !defined(__ILP32__) && !defined(__AARCH64EB__)
#define SANDBOX_MACHINE AUDIT_ARCH_AARCH64
#endif
#endif
#endif

#if defined(SANDBOX_MACHINE) && !defined(SANDBOX_IS_SANITIZED)

#include "gate/base/error.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* io_uring can open sockets without calling socket(), so it is always denied. System call numbers are those of the
 * kernel headers at build time; numbers from 424 on are the same on all machines. */
static const uint32_t programs[] = {SYS_execve, SYS_execveat};

static const uint32_t network[] = {SYS_socket,  SYS_connect, SYS_bind,    SYS_listen,  SYS_accept,
                                   SYS_accept4, SYS_sendto,  SYS_sendmsg, SYS_sendmmsg};

enum { IO_URING_SETUP = 425, IO_URING_REGISTER = 427, PIDFD_GETFD = 438 };

static const uint32_t others[] = {
    IO_URING_SETUP,
    426,
    IO_URING_REGISTER,
    PIDFD_GETFD,
    SYS_ptrace,
    SYS_kcmp,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_bpf,
    SYS_unshare,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_open_by_handle_at,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_personality,
    428 /* open_tree */,
    429 /* move_mount */,
    430 /* fsopen */,
    442 /* mount_setattr */,
};

enum {
    X32_BIT = 0x40000000, /* marks calls of the x32 ABI on an x86-64 kernel */
    CALLS_MAX = (sizeof programs + sizeof network + sizeof others) / sizeof *others,
    BLOCK = 8,
    ROWS_MAX = 8 + CALLS_MAX + (CALLS_MAX + BLOCK - 1) / BLOCK
};
_Static_assert(ROWS_MAX < 256, "a jump offset is one byte");

struct filter {
    struct sock_filter rows[ROWS_MAX];
    unsigned short count;
};

static const uint32_t denial = SECCOMP_RET_ERRNO | EPERM;

static void filter_add(struct filter *filter, struct sock_filter row) {
    GATE_ASSERT(filter->count < ROWS_MAX);
    filter->rows[filter->count++] = row;
}

static void filter_load(struct filter *filter, size_t offset) {
    filter_add(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* Deny the call if the loaded value compares with `value` by `comparison`, or if it does not and
 * `is_denied_where_true` is false. */
static void filter_deny(struct filter *filter, unsigned short comparison, uint32_t value, bool is_denied_where_true) {
    const unsigned char skips = is_denied_where_true ? 0 : 1;
    filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | comparison | BPF_K, value, skips, !skips));
    filter_add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, denial));
}

static size_t list_calls(uint32_t *out, size_t count, const uint32_t *calls, size_t more) {
    for (size_t i = 0; i < more; i++) {
        size_t at = count++;
        for (; at > 0 && out[at - 1] > calls[i]; at--)
            out[at] = out[at - 1];
        out[at] = calls[i];
    }
    return count;
}

/* Deny each of `calls`, which are sorted, and allow all others. One comparison skips a block of calls. The kernel
 * evaluates a filter for every system call number when it is installed, which would take twice as long row by row. */
static void filter_choose(struct filter *filter, const uint32_t *calls, size_t count) {
    size_t allow = filter->count + count + (count + BLOCK - 1) / BLOCK, deny = allow + 1;
    for (size_t from = 0; from < count; from += BLOCK) {
        size_t to = from + BLOCK < count ? from + BLOCK : count;
        filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, calls[to - 1] + 1,
                                                        (unsigned char)(to - from), 0));
        for (size_t i = from; i < to; i++) {
            size_t next = filter->count + 1u;
            filter_add(filter,
                       (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], (unsigned char)(deny - next),
                                                    (unsigned char)(i + 1 < to ? 0 : allow - next)));
        }
    }
    filter_add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    filter_add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, denial));
}

static void filter_make(struct filter *out, unsigned needs) {
    uint32_t calls[CALLS_MAX];
    size_t count = list_calls(calls, 0, programs, sizeof programs / sizeof *programs);
    if ((needs & GATE_NEEDS_NETWORK) == 0)
        count = list_calls(calls, count, network, sizeof network / sizeof *network);
    count = list_calls(calls, count, others, sizeof others / sizeof *others);
    out->count = 0;
    filter_load(out, offsetof(struct seccomp_data, arch));
    filter_deny(out, BPF_JEQ, SANDBOX_MACHINE, false); /* a 32-bit program has other call numbers */
    filter_load(out, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    filter_deny(out, BPF_JGE, X32_BIT, true);
#endif
    filter_choose(out, calls, count);
}

enum gate_sandbox gate_sandbox_enter(unsigned needs, int *reason) {
    struct filter filter;
    *reason = 0;
    if ((needs & GATE_NEEDS_PROGRAMS) != 0)
        return GATE_SANDBOX_OPEN;
    filter_make(&filter, needs);
    const struct sock_fprog program = {filter.count, filter.rows};
    /* The kernel accepts a filter without privileges only if no started program can gain privileges. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0 &&
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0)
        return GATE_SANDBOX_SEALED;
    *reason = errno;
    return GATE_SANDBOX_REFUSED;
}

#else

enum gate_sandbox gate_sandbox_enter(unsigned needs, int *reason) {
    *reason = 0;
    return (needs & GATE_NEEDS_PROGRAMS) != 0 ? GATE_SANDBOX_OPEN : GATE_SANDBOX_UNBUILT;
}

#endif
