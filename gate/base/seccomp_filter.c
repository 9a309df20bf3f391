/* SPDX-License-Identifier: Apache-2.0 */
/* The seccomp filter of the sandbox, built by libseccomp. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "gate/base/seccomp_filter.h"

#include <errno.h>

#if GATE_HAS_SECCOMP

#include <fcntl.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Numbers of calls that older headers of libseccomp do not know: from 424 on they are the same on all machines. */
enum {
    PIDFD_SEND_SIGNAL = 424,
    IO_URING_SETUP = 425,
    IO_URING_ENTER = 426,
    IO_URING_REGISTER = 427,
    OPEN_TREE = 428,
    MOVE_MOUNT = 429,
    FSOPEN = 430,
    PIDFD_OPEN = 434,
    OPENAT2 = 437,
    PIDFD_GETFD = 438,
    PROCESS_MADVISE = 440,
    MOUNT_SETATTR = 442,
    PROCESS_MRELEASE = 448,
    FCHMODAT2 = 452
};

static const int network[] = {SCMP_SYS(socket), SCMP_SYS(connect), SCMP_SYS(bind),
                              SCMP_SYS(listen), SCMP_SYS(accept),  SCMP_SYS(accept4),
                              SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(sendmmsg)};

/* io_uring can open files and sockets without the calls of those names, and openat2 takes its mode from memory, which a
 * filter cannot read: both are denied. */
static const int always[] = {
    /* start programs */
    SCMP_SYS(execve), SCMP_SYS(execveat), IO_URING_SETUP, IO_URING_ENTER, IO_URING_REGISTER, OPENAT2,
    /* reach into other processes */
    SCMP_SYS(ptrace), SCMP_SYS(kcmp), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), PIDFD_OPEN, PIDFD_GETFD,
    PIDFD_SEND_SIGNAL, PROCESS_MADVISE, PROCESS_MRELEASE, SCMP_SYS(migrate_pages), SCMP_SYS(move_pages),
    SCMP_SYS(setpriority), SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_setparam), SCMP_SYS(sched_setattr),
    SCMP_SYS(sched_setaffinity), SCMP_SYS(ioprio_set),
    /* memory, semaphores and queues that processes share by name */
    SCMP_SYS(shmget), SCMP_SYS(shmat), SCMP_SYS(shmctl), SCMP_SYS(semget), SCMP_SYS(semop), SCMP_SYS(semtimedop),
    SCMP_SYS(semctl), SCMP_SYS(msgget), SCMP_SYS(msgsnd), SCMP_SYS(msgrcv), SCMP_SYS(msgctl), SCMP_SYS(mq_open),
    SCMP_SYS(mq_unlink),
    /* properties of files that Landlock does not cover, and files that nothing here makes */
    SCMP_SYS(chown), SCMP_SYS(fchown), SCMP_SYS(lchown), SCMP_SYS(fchownat), SCMP_SYS(setxattr), SCMP_SYS(lsetxattr),
    SCMP_SYS(fsetxattr), SCMP_SYS(removexattr), SCMP_SYS(lremovexattr), SCMP_SYS(fremovexattr), SCMP_SYS(mknod),
    SCMP_SYS(mknodat), SCMP_SYS(link), SCMP_SYS(linkat), SCMP_SYS(symlink), SCMP_SYS(symlinkat),
    SCMP_SYS(open_by_handle_at),
    /* namespaces, mounts, keys and the kernel */
    SCMP_SYS(bpf), SCMP_SYS(unshare), SCMP_SYS(setns), SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root),
    SCMP_SYS(chroot), OPEN_TREE, MOVE_MOUNT, FSOPEN, MOUNT_SETATTR, SCMP_SYS(keyctl), SCMP_SYS(add_key),
    SCMP_SYS(request_key), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(personality),
    SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(acct),
    SCMP_SYS(quotactl), SCMP_SYS(syslog), SCMP_SYS(settimeofday), SCMP_SYS(clock_settime), SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname), SCMP_SYS(fanotify_init)};

/* Calls that send a signal to a process that is not the first argument. */
static const int signals[] = {
    SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo),
#ifdef __GLIBC__
    SCMP_SYS(tkill) /* musl raises signals by it */
#endif
};

/* ioctl requests, by the low 32 bits that the kernel looks at: type into a terminal, select from it, and choose the
 * process that a descriptor sends signals to. */
static const uint32_t requests[] = {0x5412 /* TIOCSTI */, 0x541C /* TIOCLINUX */, 0x8901 /* FIOSETOWN */,
                                    0x8902 /* SIOCSPGRP */};

/* fcntl commands that choose the process that a descriptor sends signals to. */
static const uint32_t commands[] = {8 /* F_SETOWN */, 15 /* F_SETOWN_EX */};

/* Rights of a file that make it a program. A filter compares with a mask, so each has its own rule. */
static const uint32_t program_bits[] = {0100, 0010, 0001};

/* The argument that is a file's mode, of each call that has one. */
static const struct {
    int call;
    int flags; /* argument with O_CREAT or O_TMPFILE, without which the mode means nothing; -1: always */
    unsigned mode;
} modes[] = {{SCMP_SYS(open), 1, 2},    {SCMP_SYS(openat), 2, 3},    {SCMP_SYS(creat), -1, 1}, {SCMP_SYS(chmod), -1, 1},
             {SCMP_SYS(fchmod), -1, 1}, {SCMP_SYS(fchmodat), -1, 2}, {FCHMODAT2, -1, 2}};

static int deny(scmp_filter_ctx filter, int call, unsigned count, const struct scmp_arg_cmp *conditions) {
    return -seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), call, count, conditions);
}

static int deny_list(scmp_filter_ctx filter, const int *calls, size_t count) {
    int reason = 0;
    for (size_t i = 0; i < count && reason == 0; i++)
        reason = deny(filter, calls[i], 0, NULL);
    return reason;
}

/* Deny `call` if argument 1 is one of `values`. */
static int deny_values(scmp_filter_ctx filter, int call, const uint32_t *values, size_t count) {
    int reason = 0;
    for (size_t i = 0; i < count && reason == 0; i++) {
        const struct scmp_arg_cmp is_value = SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, values[i]);
        reason = deny(filter, call, 1, &is_value);
    }
    return reason;
}

static int deny_programs(scmp_filter_ctx filter) {
    static const uint64_t creates[] = {O_CREAT, O_TMPFILE & ~(uint64_t)O_DIRECTORY};
    int reason = 0;
    for (size_t i = 0; i < COUNT(modes); i++)
        for (size_t bit = 0; bit < COUNT(program_bits); bit++) {
            struct scmp_arg_cmp conditions[2] = {
                SCMP_CMP(modes[i].mode, SCMP_CMP_MASKED_EQ, program_bits[bit], program_bits[bit])};
            const bool has_flags = modes[i].flags >= 0;
            for (size_t flag = 0; flag < (has_flags ? COUNT(creates) : 1) && reason == 0; flag++) {
                if (has_flags)
                    conditions[1] =
                        SCMP_CMP((unsigned)modes[i].flags, SCMP_CMP_MASKED_EQ, creates[flag], creates[flag]);
                reason = deny(filter, modes[i].call, has_flags ? 2 : 1, conditions);
            }
        }
    return reason;
}

/* Signals may go to `process` only. Another process's limits can end it, too. */
static int deny_signals(scmp_filter_ctx filter, const struct gate_seccomp_choice *choice) {
    const struct scmp_arg_cmp is_other = SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)choice->process, 0);
    int reason = deny_list(filter, signals, COUNT(signals));
    if (reason == 0)
        reason = deny(filter, SCMP_SYS(kill), 1, &is_other);
    return reason == 0 ? deny(filter, SCMP_SYS(tgkill), 1, &is_other) : reason;
}

int gate_seccomp_filter_fill(void *filter, const struct gate_seccomp_choice *choice) {
    const struct scmp_arg_cmp is_other = SCMP_A0(SCMP_CMP_NE, 0, 0); /* 0 is this process */
    int reason = deny_list(filter, always, COUNT(always));
    if (reason == 0 && !choice->has_network)
        reason = deny_list(filter, network, COUNT(network));
    if (reason == 0)
        reason = deny_programs(filter);
    if (reason == 0)
        reason = deny_values(filter, SCMP_SYS(ioctl), requests, COUNT(requests));
    if (reason == 0)
        reason = deny_values(filter, SCMP_SYS(fcntl), commands, COUNT(commands));
    if (reason == 0)
        reason = deny(filter, SCMP_SYS(prlimit64), 1, &is_other);
    return reason == 0 && choice->denies_signals ? deny_signals(filter, choice) : reason;
}

int gate_seccomp_filter_load(const struct gate_seccomp_choice *choice) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (filter == NULL)
        return ENOMEM;
    /* A program of 32 bits, or of the x32 ABI, has other numbers of calls. */
    int reason = -seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
    if (reason == 0)
        reason = -seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    if (reason == 0)
        (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree, of libseccomp 2.5 and later */
    if (reason == 0)
        reason = gate_seccomp_filter_fill(filter, choice);
    if (reason == 0)
        reason = -seccomp_load(filter);
    seccomp_release(filter);
    return reason;
}

#else

int gate_seccomp_filter_fill(void *filter, const struct gate_seccomp_choice *choice) {
    (void)filter;
    (void)choice;
    return ENOSYS;
}

int gate_seccomp_filter_load(const struct gate_seccomp_choice *choice) {
    (void)choice;
    return ENOSYS;
}

#endif
