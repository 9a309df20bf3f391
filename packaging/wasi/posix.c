/* SPDX-License-Identifier: Apache-2.0 */
/* The POSIX calls that pprofgate uses and WASI lacks. Calls that start programs, open connections or lock files fail
 * with ENOSYS. Calls that block signals succeed, because no signal ever arrives. Commands that cannot work without
 * these calls refuse to run before they reach them (gate_system_has_processes). */
#define _DEFAULT_SOURCE /* for getentropy, madvise */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int missing(void) {
    errno = ENOSYS;
    return -1;
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

int sigaddset(sigset_t *set, int signal) {
    (void)set;
    (void)signal;
    return 0;
}

int sigemptyset(sigset_t *set) {
    *set = 0;
    return 0;
}

int sigfillset(sigset_t *set) {
    *set = 0;
    return 0;
}

int sigismember(const sigset_t *set, int signal) {
    (void)set;
    (void)signal;
    return 0;
}

int sigpending(sigset_t *set) {
    return sigemptyset(set);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *before) {
    (void)how;
    (void)set;
    return before == NULL ? 0 : sigemptyset(before);
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
    return sigprocmask(how, set, before);
}

int sigaction(int signal, const struct sigaction *action, struct sigaction *before) {
    (void)signal;
    (void)action;
    if (before != NULL)
        *before = (struct sigaction){.sa_handler = SIG_DFL};
    return 0;
}

int sigwait(const sigset_t *set, int *signal) {
    (void)set;
    (void)signal;
    return ENOSYS;
}

int kill(pid_t process, int signal) {
    (void)process;
    (void)signal;
    return missing();
}

int pthread_kill(pthread_t thread, int signal) {
    (void)thread;
    (void)signal;
    return ENOSYS;
}

unsigned alarm(unsigned seconds) {
    (void)seconds;
    return 0;
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

pid_t fork(void) {
    return missing();
}

pid_t getppid(void) {
    return 1;
}

int execvp(const char *file, char *const *words) {
    (void)file;
    (void)words;
    return missing();
}

int pipe(int *ends) {
    ends[0] = ends[1] = -1;
    return missing();
}

int dup2(int from, int to) {
    (void)from;
    (void)to;
    return missing();
}

/* WASI gives a program no working directory, and the C library begins in '/'. The host passes it as PWD. */
__attribute__((constructor)) static void folder_enter(void) {
    const char *folder = getenv("PWD");
    if (folder != NULL && chdir(folder) != 0)
        _exit(2); /* relative paths would name other files */
}

int setpgid(pid_t process, pid_t group) {
    (void)process;
    (void)group;
    return missing();
}

int waitid(int kind, id_t id, siginfo_t *info, int options) {
    (void)kind;
    (void)id;
    (void)info;
    (void)options;
    return missing();
}

pid_t waitpid(pid_t process, int *status, int options) {
    (void)process;
    (void)status;
    (void)options;
    return missing();
}

int setrlimit(int resource, const struct rlimit *limit) {
    (void)resource;
    (void)limit;
    return missing();
}

/* One user owns everything that WASI shows. */
uid_t getuid(void) {
    return 0;
}

uid_t geteuid(void) {
    return 0;
}

/* ---- connections ------------------------------------------------------------------------------------------------- */

int connect(int descriptor, const struct sockaddr *address, socklen_t len) {
    (void)descriptor;
    (void)address;
    (void)len;
    return missing();
}

int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **out) {
    (void)host;
    (void)port;
    (void)hints;
    *out = NULL;
    return 1;
}

void freeaddrinfo(struct addrinfo *list) {
    (void)list;
}

const char *gai_strerror(int code) {
    (void)code;
    return "WebAssembly programs cannot open connections";
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

mode_t umask(mode_t mask) {
    (void)mask;
    return 0;
}

int flock(int descriptor, int operation) {
    (void)descriptor;
    (void)operation;
    return missing();
}

int madvise(void *bytes, size_t len, int advice) {
    (void)bytes;
    (void)len;
    (void)advice;
    return missing(); /* linear memory cannot be returned */
}

enum { NAME_LETTERS = 6, NAME_TRIES = 100 };

/* Replace the last letters of `name` by random ones. */
static int name_draw(char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char drawn[NAME_LETTERS];
    size_t len = strlen(name);
    if (len < NAME_LETTERS || getentropy(drawn, sizeof drawn) != 0)
        return -1;
    for (size_t i = 0; i < NAME_LETTERS; i++)
        name[len - NAME_LETTERS + i] = letters[drawn[i] % (sizeof letters - 1)];
    return 0;
}

int mkstemp(char *name) {
    for (int i = 0; i < NAME_TRIES; i++) {
        if (name_draw(name) != 0)
            return -1;
        int descriptor = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

char *mkdtemp(char *name) {
    for (int i = 0; i < NAME_TRIES; i++) {
        if (name_draw(name) != 0)
            return NULL;
        if (mkdir(name, 0700) == 0)
            return name;
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}
