/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock by its system calls. The constants are those of the kernel's documentation
 * (Documentation/userspace-api/landlock.rst): headers of a build machine may be older than the kernel that runs. */
#define _GNU_SOURCE /* syscall, O_PATH */
#include "gate/base/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

int gate_landlock_begin(struct gate_landlock *out, bool limits_reads) {
    int reason = 0;
    *out = (struct gate_landlock){.ruleset = -1, .version = gate_landlock_version(&reason)};
    if (out->version == 0)
        return reason;
    out->handled = gate_landlock_handled(out->version, limits_reads);
    const bool has_scopes = out->version >= GATE_LANDLOCK_SIGNALS;
    const struct ruleset ruleset = {.handled_access_fs = out->handled, .scoped = has_scopes ? SCOPE_SIGNAL : 0};
    const size_t size = has_scopes ? sizeof ruleset : sizeof ruleset.handled_access_fs;
    out->ruleset = (int)syscall((long)CREATE_RULESET, &ruleset, size, 0UL);
    return out->ruleset < 0 ? errno : 0;
}

void gate_landlock_allow(const struct gate_landlock *landlock, const char *path, unsigned access) {
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

int gate_landlock_enter(struct gate_landlock *landlock) {
    int reason = syscall((long)RESTRICT_SELF, landlock->ruleset, 0UL) == 0 ? 0 : errno;
    (void)close(landlock->ruleset);
    landlock->ruleset = -1;
    return reason;
}

#else

int gate_landlock_version(int *reason) {
    *reason = ENOSYS;
    return 0;
}

int gate_landlock_begin(struct gate_landlock *out, bool limits_reads) {
    (void)limits_reads;
    *out = (struct gate_landlock){.ruleset = -1};
    return ENOSYS;
}

void gate_landlock_allow(const struct gate_landlock *landlock, const char *path, unsigned access) {
    (void)landlock;
    (void)path;
    (void)access;
}

int gate_landlock_enter(struct gate_landlock *landlock) {
    (void)landlock;
    return ENOSYS;
}

#endif
