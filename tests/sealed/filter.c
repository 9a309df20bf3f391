/* SPDX-License-Identifier: Apache-2.0 */
/* The filter of base/sandbox.c as the kernel would run it, instruction by instruction, for x86-64 and for
 * aarch64: which calls it denies by their numbers and arguments there. No kernel takes part, so any machine tests
 * both. */
#include "gate/base/sandbox.c"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS_MAX = 4096, CALLS_MAX = 500, OWN = 4711, X32_BIT = 0x40000000 };

struct machine {
    const char *name;
    uint32_t scmp, audit;
};

static struct sock_filter rows[ROWS_MAX];
static size_t row_count;
static int wrong;

/* Fill `rows` for a machine. */
static bool make(const struct machine *machine, const struct gate_seccomp_choice *choice) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    FILE *file = tmpfile();
    bool ok = filter != NULL && file != NULL &&
              (machine->scmp == seccomp_arch_native() ||
               (seccomp_arch_add(filter, machine->scmp) == 0 && seccomp_arch_remove(filter, SCMP_ARCH_NATIVE) == 0)) &&
              seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)) == 0 &&
              gate_seccomp_filter_fill(filter, choice) == 0 && seccomp_export_bpf(filter, fileno(file)) == 0;
    if (ok) {
        rewind(file);
        row_count = fread(rows, sizeof *rows, ROWS_MAX, file);
        ok = row_count > 0 && row_count < ROWS_MAX;
    }
    if (file != NULL)
        (void)fclose(file);
    seccomp_release(filter);
    return ok;
}

static bool does_jump(const struct sock_filter *row, uint32_t loaded) {
    switch (BPF_OP(row->code)) {
    case BPF_JEQ:
        return loaded == row->k;
    case BPF_JGT:
        return loaded > row->k;
    case BPF_JGE:
        return loaded >= row->k;
    default:
        return (loaded & row->k) != 0; /* BPF_JSET */
    }
}

static uint32_t answer(const struct seccomp_data *facts) {
    uint32_t loaded = 0;
    for (size_t at = 0; at < row_count; at++) {
        const struct sock_filter *row = &rows[at];
        if (row->code == (BPF_LD | BPF_W | BPF_ABS))
            memcpy(&loaded, (const char *)facts + row->k, sizeof loaded);
        else if (row->code == (BPF_ALU | BPF_AND | BPF_K))
            loaded &= row->k;
        else if (row->code == (BPF_JMP | BPF_JA))
            at += row->k;
        else if (BPF_CLASS(row->code) == BPF_JMP)
            at += does_jump(row, loaded) ? row->jt : row->jf;
        else
            return row->code == (BPF_RET | BPF_K) ? row->k : 0;
    }
    return 0;
}

static void expect_data(bool is_denied, const struct seccomp_data *facts, const char *name) {
    uint32_t expected = is_denied ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW;
    if (answer(facts) == expected)
        return;
    (void)printf("%s (%d; %llx, %llx, %llx, %llx) is%s denied on %x\n", name, facts->nr,
                 (unsigned long long)facts->args[0], (unsigned long long)facts->args[1],
                 (unsigned long long)facts->args[2], (unsigned long long)facts->args[3], is_denied ? " not" : "",
                 facts->arch);
    wrong++;
}

/* Expect a system call, given by its name, to be denied or allowed. Does nothing if the machine has no such call. */
static void expect(bool is_denied, const struct machine *machine, const char *name, uint64_t a, uint64_t b, uint64_t c,
                   uint64_t d) {
    int call = seccomp_syscall_resolve_name_arch(machine->scmp, name);
    if (call < 0)
        return;
    const struct seccomp_data facts = {.nr = call, .arch = machine->audit, .args = {a, b, c, d}};
    expect_data(is_denied, &facts, name);
}

/* Return whether `call` of `machine` is in a list. The list has the numbers of the machine that runs the test. */
static bool is_in(const struct machine *machine, int call, const int *calls, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, calls[i]);
        int number = name == NULL ? calls[i] : seccomp_syscall_resolve_name_arch(machine->scmp, name);
        free(name);
        if (number == call)
            return true;
    }
    return false;
}

/* Expect the filter to deny the calls in its lists and, without looking at arguments, no other call. */
static void expect_each(const struct machine *machine, const struct gate_seccomp_choice *choice) {
    for (int call = 0; call < CALLS_MAX; call++) {
        const struct seccomp_data facts = {.nr = call, .arch = machine->audit, .args = {OWN}};
        bool is_listed = is_in(machine, call, always, COUNT(always)) ||
                         (!choice->has_network && is_in(machine, call, network, COUNT(network))) ||
                         (choice->denies_signals && is_in(machine, call, signals, COUNT(signals))) ||
                         call == seccomp_syscall_resolve_name_arch(machine->scmp, "prlimit64");
        expect_data(is_listed, &facts, "call");
    }
}

static void expect_names(const struct machine *machine) {
    static const char *const denied[] = {"execve", "execveat", "ptrace",  "bpf",    "unshare",     "mount",
                                         "reboot", "kcmp",     "keyctl",  "setns",  "userfaultfd", "personality",
                                         "mknod",  "mknodat",  "symlink", "linkat", "setxattr",    "process_vm_readv"};
    static const char *const allowed[] = {"read",     "write",      "close",     "mmap",     "munmap",     "clone",
                                          "futex",    "exit_group", "fsync",     "unlinkat", "renameat2",  "ppoll",
                                          "recvfrom", "wait4",      "getrandom", "mkdirat",  "socketpair", "ftruncate"};
    for (size_t i = 0; i < COUNT(denied); i++)
        expect(true, machine, denied[i], 0, 0, 0, 0);
    for (size_t i = 0; i < COUNT(allowed); i++)
        expect(false, machine, allowed[i], 0, 0, 0, 0);
}

/* Files can be created and changed, but not as programs. */
static void expect_programs(const struct machine *machine) {
    static const uint64_t executable[] = {0755, 0700, 0010, 0001, 04711};
    const uint64_t creates = O_CREAT | O_WRONLY, nameless = (uint64_t)O_TMPFILE | O_RDWR;
    expect(false, machine, "open", 0, creates, 0666, 0);
    expect(false, machine, "openat", 0, 0, creates, 0666);
    expect(false, machine, "openat", 0, 0, nameless, 0600);
    expect(false, machine, "openat", 0, 0, O_RDONLY, 0777); /* the mode means nothing */
    expect(false, machine, "openat", 0, 0, O_DIRECTORY, 0777);
    expect(false, machine, "fchmod", 0, 0644, 0, 0);
    expect(false, machine, "fchmodat", 0, 0, 0600, 0);
    for (size_t i = 0; i < COUNT(executable); i++) {
        expect(true, machine, "open", 0, creates, executable[i], 0);
        expect(true, machine, "creat", 0, executable[i], 0, 0);
        expect(true, machine, "openat", 0, 0, creates, executable[i]);
        expect(true, machine, "openat", 0, 0, nameless, executable[i]);
        expect(true, machine, "chmod", 0, executable[i], 0, 0);
        expect(true, machine, "fchmod", 0, executable[i], 0, 0);
        expect(true, machine, "fchmodat", 0, 0, executable[i], 0);
    }
    const struct seccomp_data newer = {.nr = FCHMODAT2, .arch = machine->audit, .args = {0, 0, 0755}};
    expect_data(true, &newer, "fchmodat2");
}

static void expect_signals(const struct machine *machine, bool is_denied) {
    const uint64_t others[] = {1, 0, OWN + 1, (uint64_t)-1, (uint64_t)1 << 32 | OWN};
    expect(false, machine, "kill", OWN, 15, 0, 0);
    expect(false, machine, "tgkill", OWN, 15, 0, 0);
    for (size_t i = 0; i < COUNT(others); i++) {
        expect(is_denied, machine, "kill", others[i], 15, 0, 0);
        expect(is_denied, machine, "tgkill", others[i], 1, 15, 0);
    }
    expect(is_denied, machine, "rt_sigqueueinfo", OWN, 15, 0, 0);
}

static void expect_values(const struct machine *machine) {
    const uint64_t high = (uint64_t)1 << 32;
    for (size_t i = 0; i < COUNT(requests); i++) {
        expect(true, machine, "ioctl", 0, requests[i], 0, 0);
        expect(true, machine, "ioctl", 0, high | requests[i], 0, 0); /* the kernel ignores the upper half */
    }
    expect(false, machine, "ioctl", 0, 0x5401 /* TCGETS */, 0, 0);
    for (size_t i = 0; i < COUNT(commands); i++)
        expect(true, machine, "fcntl", 0, commands[i], 0, 0);
    expect(false, machine, "fcntl", 0, F_SETFD, 1, 0);
    expect(false, machine, "prlimit64", 0, 7, 0, 0);
    expect(true, machine, "prlimit64", 1, 7, 0, 0);
}

static void expect_other_numbers(const struct machine *machine) {
    struct seccomp_data facts = {.arch = AUDIT_ARCH_ARM};
    expect_data(true, &facts, "a call of a program of 32 bits");
    if (machine->audit == AUDIT_ARCH_X86_64) {
        facts = (struct seccomp_data){.nr = X32_BIT | 1, .arch = machine->audit};
        expect_data(true, &facts, "a call of the x32 ABI");
    }
}

int main(void) {
    static const struct machine machines[] = {{"x86-64", SCMP_ARCH_X86_64, AUDIT_ARCH_X86_64},
                                              {"aarch64", SCMP_ARCH_AARCH64, AUDIT_ARCH_AARCH64}};
    int filters = 0;
    for (size_t i = 0; i < COUNT(machines); i++)
        for (int bits = 0; bits < 4; bits++) {
            const struct gate_seccomp_choice choice = {
                .has_network = (bits & 1) != 0, .denies_signals = (bits & 2) != 0, .process = OWN};
            if (!make(&machines[i], &choice)) {
                (void)printf("no filter for %s\n", machines[i].name);
                return 1;
            }
            filters++;
            expect_names(&machines[i]);
            expect_each(&machines[i], &choice);
            expect(!choice.has_network, &machines[i], "socket", 0, 0, 0, 0);
            expect(!choice.has_network, &machines[i], "sendto", 0, 0, 0, 0);
            expect_programs(&machines[i]);
            expect_signals(&machines[i], choice.denies_signals);
            expect_values(&machines[i]);
            expect_other_numbers(&machines[i]);
        }
    return wrong > 0 || filters != 8;
}
