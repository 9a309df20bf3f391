/* SPDX-License-Identifier: Apache-2.0 */
/* The sandbox: Landlock by its system calls, and a seccomp filter built by libseccomp. Landlock comes first, because
 * the filter denies signals only if Landlock does not. Systems other than Linux have no sandbox. */
#define _GNU_SOURCE /* syscall, O_PATH, O_TMPFILE */
#include "gate/base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#endif

#if GATE_HAS_SECCOMP
#include <seccomp.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANDBOX_IS_LEFT_OUT
#endif
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__linux__)
#define SANDBOX_IS_LEFT_OUT /* sanitizers use ptrace and files of their own */
#endif

/* ---- Landlock -------------------------------------------------------------------------------------------------------
 *
 * The constants are those of the kernel's documentation (Documentation/userspace-api/landlock.rst): headers of a build
 * machine may be older than the kernel that runs. */

/* LANDLOCK_ACCESS_FS_* */
enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_REMOVE_DIR = 1 << 4,
    FS_REMOVE_FILE = 1 << 5,
    FS_MAKE_CHAR = 1 << 6,
    FS_MAKE_DIR = 1 << 7,
    FS_MAKE_REG = 1 << 8,
    FS_MAKE_SOCK = 1 << 9,
    FS_MAKE_FIFO = 1 << 10,
    FS_MAKE_BLOCK = 1 << 11,
    FS_MAKE_SYM = 1 << 12,
    FS_TRUNCATE = 1 << 14,
    OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE /* rights that a rule for a file can have */
};

uint64_t gate_landlock_handled(int version, bool limits_reads) {
    uint64_t handled = FS_EXECUTE | FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_CHAR | FS_MAKE_DIR |
                       FS_MAKE_REG | FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_BLOCK | FS_MAKE_SYM;
    if (limits_reads)
        handled |= FS_READ_FILE;
    return version >= GATE_LANDLOCK_TRUNCATES ? handled | FS_TRUNCATE : handled;
}

uint64_t gate_landlock_rights(unsigned access, bool is_folder) {
    static const struct {
        unsigned access;
        uint64_t rights;
    } rows[] = {{GATE_LANDLOCK_READ, FS_READ_FILE},
                {GATE_LANDLOCK_WRITE, FS_WRITE_FILE | FS_TRUNCATE},
                {GATE_LANDLOCK_MAKE, FS_MAKE_REG | FS_REMOVE_FILE},
                {GATE_LANDLOCK_MAKE_FOLDERS, FS_MAKE_DIR},
                {GATE_LANDLOCK_DROP_FOLDERS, FS_REMOVE_DIR}};
    uint64_t rights = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((access & rows[i].access) != 0)
            rights |= rows[i].rights;
    return is_folder ? rights : rights & OF_FILES;
}

#ifdef __linux__

/* Numbers of system calls, the same on all machines. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };

enum { CREATE_RULESET_VERSION = 1, RULE_PATH_BENEATH = 1, SCOPE_SIGNAL = 1 << 1 };

/* struct landlock_ruleset_attr. A kernel accepts the size that an older version of the interface had. */
struct ruleset {
    uint64_t handled_access_fs;
    uint64_t handled_access_net; /* from version 4 on */
    uint64_t scoped;             /* from version 6 on */
};

/* struct landlock_path_beneath_attr */
struct path_beneath {
    uint64_t allowed_access;
    int32_t parent_fd;
} __attribute__((packed));

int gate_landlock_version(int *reason) {
    long version = syscall((long)CREATE_RULESET, NULL, 0UL, (unsigned long)CREATE_RULESET_VERSION);
    *reason = version < 0 ? errno : 0;
    return version < 0 ? 0 : (int)version;
}

#else

int gate_landlock_version(int *reason) {
    *reason = ENOSYS;
    return 0;
}

#endif

#ifndef SANDBOX_IS_LEFT_OUT

/* A list of rules that the kernel holds. */
struct landlock {
    int ruleset; /* descriptor */
    int version;
    uint64_t handled; /* rights that are denied where no rule allows them */
};

/* Begin a list of rules: what no rule allows is denied. From version 6 on, signals to processes outside of the sandbox
 * are denied as well.
 *
 * Returns 0 or an errno. End the list with landlock_enter. */
static int landlock_begin(struct landlock *out, bool limits_reads) {
    int reason = 0;
    *out = (struct landlock){.ruleset = -1, .version = gate_landlock_version(&reason)};
    if (out->version == 0)
        return reason;
    out->handled = gate_landlock_handled(out->version, limits_reads);
    const bool has_scopes = out->version >= GATE_LANDLOCK_SIGNALS;
    const struct ruleset ruleset = {.handled_access_fs = out->handled, .scoped = has_scopes ? SCOPE_SIGNAL : 0};
    const size_t size = has_scopes ? sizeof ruleset : sizeof ruleset.handled_access_fs;
    out->ruleset = (int)syscall((long)CREATE_RULESET, &ruleset, size, 0UL);
    return out->ruleset < 0 ? errno : 0;
}

/* Allow `access` to `path`. Symbolic links are followed. Does nothing if `path` cannot be opened: it stays denied. */
static void landlock_allow(const struct landlock *landlock, const char *path, unsigned access) {
    struct stat status;
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0)
        return;
    if (fstat(descriptor, &status) == 0) {
        const struct path_beneath rule = {.allowed_access =
                                              gate_landlock_rights(access, S_ISDIR(status.st_mode)) & landlock->handled,
                                          .parent_fd = descriptor};
        if (rule.allowed_access != 0)
            (void)syscall((long)ADD_RULE, landlock->ruleset, (long)RULE_PATH_BENEATH, &rule, 0UL);
    }
    (void)close(descriptor);
}

/* Apply the rules to this thread and to the threads and processes that it starts. The process must have
 * PR_SET_NO_NEW_PRIVS. Frees the list. Returns 0 or an errno. */
static int landlock_enter(struct landlock *landlock) {
    int reason = syscall((long)RESTRICT_SELF, landlock->ruleset, 0UL) == 0 ? 0 : errno;
    (void)close(landlock->ruleset);
    landlock->ruleset = -1;
    return reason;
}

#endif

/* ---- seccomp ----------------------------------------------------------------------------------------------------- */

#if GATE_HAS_SECCOMP

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

/* Calls that are always denied. io_uring could open files and sockets without the system calls that are filtered.
 * openat2 takes its mode from memory, which a filter cannot read. */
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
    SCMP_SYS(tkill) /* musl implements raise() with it */
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

#else

int gate_seccomp_filter_fill(void *filter, const struct gate_seccomp_choice *choice) {
    (void)filter;
    (void)choice;
    return ENOSYS;
}

#endif

/* ---- entering ---------------------------------------------------------------------------------------------------- */

#ifndef SANDBOX_IS_LEFT_OUT

/* Install the filter for this process and all its threads. Returns 0 or an errno; ENOSYS if this build has none. */
static int filter_load(const struct gate_seccomp_choice *choice) {
#if GATE_HAS_SECCOMP
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
#else
    (void)choice;
    return ENOSYS;
#endif
}

static void files_limit(const struct gate_sandbox_files *files, struct gate_sandbox_state *state) {
    struct landlock landlock;
    state->files_reason = landlock_begin(&landlock, files->limits_reads);
    state->landlock = landlock.version;
    if (state->files_reason == 0) {
        for (size_t i = 0; i < files->count; i++)
            landlock_allow(&landlock, files->items[i].path, files->items[i].access);
#ifdef GATE_WRITES_COUNTERS /* a coverage build writes its counters beside the objects */
        landlock_allow(&landlock, "/", ~0U);
#endif
        state->files_reason = landlock_enter(&landlock);
    }
    state->files = state->files_reason == 0 ? GATE_SANDBOX_ENTERED : GATE_SANDBOX_REFUSED;
}

void gate_sandbox_enter(unsigned needs, const struct gate_sandbox_files *files, struct gate_sandbox_state *state) {
    if ((needs & GATE_NEEDS_PROGRAMS) != 0)
        return;
    /* The kernel accepts both without privileges only if no started program can gain privileges. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0) {
        state->calls = state->files = GATE_SANDBOX_REFUSED;
        state->calls_reason = state->files_reason = errno;
        return;
    }
    (void)prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
    if (state->files != GATE_SANDBOX_ENTERED)
        files_limit(files, state);
    const bool is_scoped = state->files == GATE_SANDBOX_ENTERED && state->landlock >= GATE_LANDLOCK_SIGNALS;
    const struct gate_seccomp_choice choice = {
        .has_network = (needs & GATE_NEEDS_NETWORK) != 0, .denies_signals = !is_scoped, .process = (int)getpid()};
    state->calls_reason = filter_load(&choice);
    state->calls = state->calls_reason == 0        ? GATE_SANDBOX_ENTERED
                   : state->calls_reason == ENOSYS ? GATE_SANDBOX_LEFT_OUT
                                                   : GATE_SANDBOX_REFUSED;
}

#else

void gate_sandbox_enter(unsigned needs, const struct gate_sandbox_files *files, struct gate_sandbox_state *state) {
    (void)files;
    (void)needs;
#ifdef __linux__
    if ((needs & GATE_NEEDS_PROGRAMS) != 0)
        return;
#endif
    state->calls = state->files = GATE_SANDBOX_LEFT_OUT;
}

#endif
