/* SPDX-License-Identifier: Apache-2.0 */
/* Starting and ending other programs (see child.h). */
#include "gate/trial/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

extern char **environ;

enum { NOT_FOUND = 127, NOT_STARTED = 126 };

/* How long one look lasts, where no signal says that a child has ended: it may have ended just before. */
static const double LOOK_SECONDS = 0.25;

/* ---- starting ---------------------------------------------------------------------------------------------------- */

/* Have this process get `signal` when `parent`, which forked it, dies; false: it is dead already. Where there is no
 * such thing, it does not learn of it. */
static bool child_follow(pid_t parent, int signal) {
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, (unsigned long)signal, 0UL, 0UL, 0UL);
#else
    (void)signal;
#endif
    return getppid() == parent;
}

/* The kernel tells of our death to our children alone, not to theirs, and not to a set-user-ID program. So another one
 * of ours waits for it, and kills the whole group. In a group of its own: no Ctrl-C and no kill of a group gets it. */
static _Noreturn void guard_become(pid_t group, pid_t parent) {
    sigset_t all;
    (void)setpgid(0, 0);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    if (child_follow(parent, SIGUSR1)) {
        sigset_t death;
        (void)sigemptyset(&death);
        (void)sigaddset(&death, SIGUSR1);
        while (getppid() == parent)
            (void)sigwaitinfo(&death, NULL);
    }
    (void)kill(-group, SIGKILL);
    _exit(0);
}

static bool guard_start(struct gate_child *child, pid_t parent) {
#ifdef __linux__
    child->guard = fork();
    if (child->guard == 0)
        guard_become(child->pid, parent);
    return child->guard > 0;
#else
    (void)child;
    (void)parent;
    return true;
#endif
}

/* Before the leader is reaped: until then nobody else gets the group's number. */
static void guard_end(struct gate_child *child) {
    if (child->guard <= 0)
        return;
    (void)kill(child->guard, SIGKILL);
    while (waitpid(child->guard, NULL, 0) < 0 && errno == EINTR)
        ;
    child->guard = 0;
}

/* To the other end of `told`, which a program that was started closes: what this machine lacks is no fault of what was
 * to be run. */
static _Noreturn void child_tell(int told) {
    int reason = errno;
    ssize_t put = write(told, &reason, sizeof reason);
    (void)put; /* nobody else is left to tell */
    _exit(NOT_STARTED);
}

/* errno of what kept a child from its program; 0: nothing did. */
static int child_told(int told) {
    int reason = 0;
    ssize_t got;
    while ((got = read(told, &reason, sizeof reason)) < 0 && errno == EINTR)
        ;
    return got == (ssize_t)sizeof reason ? reason : 0;
}

/* Between fork and exec: nothing here takes a lock, since another thread may hold it for ever. */
static _Noreturn void child_become(const struct gate_child_options *options, const sigset_t *mask, pid_t parent,
                                   int told) {
    int nothing = open("/dev/null", O_RDWR);
    int out = options->out < 0 ? nothing : options->out, log = options->log < 0 ? nothing : options->log;
    (void)setpgid(0, 0);
    if (!child_follow(parent, SIGKILL))
        _exit(NOT_STARTED);
    bool ok = nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
              dup2(log, STDERR_FILENO) >= 0;
    if (!ok)
        child_tell(told);
    if (options->directory != NULL && chdir(options->directory) != 0)
        _exit(NOT_STARTED);
    if (nothing > STDERR_FILENO)
        (void)close(nothing);
    (void)pthread_sigmask(SIG_SETMASK, mask, NULL);
    environ = (char **)(uintptr_t)options->environment;
    (void)execvp(options->argv[0], (char *const *)(uintptr_t)options->argv);
    if (errno == ENOENT)
        _exit(NOT_FOUND);
    child_tell(told);
}

/* errno, or 0. The child is there where its number is, and then it is to be ended. */
static int child_start(struct gate_child *out, const struct gate_child_options *options,
                       const struct gate_interrupt *interrupt, pid_t parent) {
    int told[2];
    if (pipe(told) != 0)
        return errno;
    (void)fcntl(told[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(told[1], F_SETFD, FD_CLOEXEC);
    pid_t pid = fork();
    int reason = pid < 0 ? errno : 0;
    if (pid == 0)
        child_become(options, &interrupt->before, parent, told[1]);
    (void)close(told[1]);
    if (pid > 0) {
        (void)setpgid(pid, pid); /* whoever comes first: the group is there before anybody signals it */
        out->pid = pid;
        reason = child_told(told[0]);
    }
    (void)close(told[0]);
    return reason;
}

bool gate_child_start(struct gate_child *out, const struct gate_child_options *options,
                      const struct gate_interrupt *interrupt, struct gate_error *err) {
    *out = (struct gate_child){0};
    pid_t parent = getpid();
    int reason = child_start(out, options, interrupt, parent);
    const char *guarded = "";
    if (reason == 0 && guard_start(out, parent))
        return true;
    if (reason == 0) {
        reason = errno;
        guarded = " under guard";
    }
    gate_child_stop(out, 0);
    return gate_error_set(err, GATE_ERR_IO, "cannot start '%s'%s: %s", options->argv[0], guarded, strerror(reason));
}

/* ---- ending ------------------------------------------------------------------------------------------------------ */

/* While it is not reaped nobody else gets its number, so the group is its own. */
static bool child_look(struct gate_child *child) {
    siginfo_t info = {0};
    if (child->pid == 0 || child->has_ended)
        return true;
    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
        return false;
    (void)kill(-child->pid, SIGKILL); /* what it left behind */
    guard_end(child);
    while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
        ;
    child->has_ended = true;
    return true;
}

enum gate_child_wait gate_child_wait(struct gate_child *child, double seconds, struct gate_interrupt *interrupt) {
    double until = gate_interrupt_clock() + seconds;
    for (;;) {
        if (child_look(child))
            return GATE_CHILD_ENDED;
        if (gate_interrupt_is_caught(interrupt))
            return GATE_CHILD_INTERRUPTED;
        double left = until - gate_interrupt_clock();
        if (left <= 0)
            return GATE_CHILD_LATE;
        gate_interrupt_wait(interrupt, left < LOOK_SECONDS ? left : LOOK_SECONDS);
    }
}

void gate_child_stop(struct gate_child *child, double grace_seconds) {
    const struct timespec nap = {.tv_nsec = 10 * 1000 * 1000};
    double until = gate_interrupt_clock() + grace_seconds;
    if (child_look(child))
        return;
    (void)kill(-child->pid, SIGTERM);
    (void)kill(-child->pid, SIGCONT); /* one that is stopped does not hear */
    while (!child_look(child) && gate_interrupt_clock() < until)
        (void)nanosleep(&nap, NULL);
    if (child->has_ended)
        return;
    (void)kill(-child->pid, SIGKILL);
    while (!child_look(child))
        (void)nanosleep(&nap, NULL);
}

double gate_child_cpu_seconds(void) {
    struct rusage used = {0};
    (void)getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

bool gate_child_is_well(const struct gate_child *child) {
    return child->has_ended && WIFEXITED(child->status) && WEXITSTATUS(child->status) == 0;
}

struct gate_str gate_child_end(const struct gate_child *child, struct gate_arena *arena) {
    if (!child->has_ended)
        return GATE_STR("did not end");
    if (WIFSIGNALED(child->status))
        return gate_str_format(arena, "was killed by signal %d", WTERMSIG(child->status));
    return gate_str_format(arena, "ended with status %d", WEXITSTATUS(child->status));
}

/* ---- environment ------------------------------------------------------------------------------------------------- */

static size_t name_length(const char *text) {
    const char *equals = strchr(text, '=');
    return equals == NULL ? strlen(text) : (size_t)(equals - text);
}

/* The last change of the variable that `text` begins with. */
static const char *change_of(const char *const *changes, const char *text) {
    const char *found = NULL;
    size_t len = name_length(text);
    for (; *changes != NULL; changes++)
        if (name_length(*changes) == len && strncmp(*changes, text, len) == 0)
            found = *changes;
    return found;
}

bool gate_child_environment(char *const **out, const char *const *changes, struct gate_arena *arena,
                            struct gate_error *err) {
    size_t count = 0, len = 0;
    while (environ != NULL && environ[count] != NULL)
        count++;
    while (changes[len] != NULL)
        len++;
    char **all = GATE_NEW_ARRAY(arena, char *, count + len + 1);
    if (all == NULL)
        return gate_arena_error(arena, err);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (change_of(changes, environ[i]) == NULL)
            all[kept++] = environ[i];
    for (size_t i = 0; i < len; i++)
        if (strchr(changes[i], '=') != NULL && change_of(changes, changes[i]) == changes[i])
            all[kept++] = (char *)(uintptr_t)changes[i];
    *out = all;
    return true;
}
