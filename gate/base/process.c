/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes: start, wait, collect output, end the whole process group, hold back Ctrl-C. */
#include "gate/base/process.h"

#include "gate/base/error.h"
#include "gate/base/str.h"
#include "gate/base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- deferred signals -------------------------------------------------------------------------------------------- */

void gate_signal_add(sigset_t *set, int signal) {
    struct sigaction now;
    if (sigaction(signal, NULL, &now) != 0 || now.sa_handler != SIG_IGN)
        (void)sigaddset(set, signal);
}

static void interrupt_set(sigset_t *set, bool with_child) {
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    (void)sigemptyset(set);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        gate_signal_add(set, ends[i]);
    if (with_child)
        (void)sigaddset(set, SIGCHLD);
}

void gate_interrupt_hold(struct gate_interrupt *out) {
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t held;
    *out = (struct gate_interrupt){0};
    interrupt_set(&held, true);
    (void)pthread_sigmask(SIG_BLOCK, &held, &out->before);
    /* If SIGCHLD is ignored, the exit status of a child is lost. */
    (void)sigaction(SIGCHLD, &usual, &out->child_before);
}

/* Wait up to `seconds` for a pending signal of the set and consume it. Return it, or 0. */
static int interrupt_take(bool with_child, double seconds) {
    sigset_t set;
    interrupt_set(&set, with_child);
    return gate_system_signal_take(&set, seconds);
}

static void interrupt_note(struct gate_interrupt *interrupt, int signal) {
    if (signal != 0 && signal != SIGCHLD && interrupt->caught == 0)
        interrupt->caught = signal;
}

bool gate_interrupt_is_caught(struct gate_interrupt *interrupt) {
    if (interrupt->caught == 0)
        interrupt_note(interrupt, interrupt_take(false, 0));
    return interrupt->caught != 0;
}

void gate_interrupt_wait(struct gate_interrupt *interrupt, double seconds) {
    interrupt_note(interrupt, interrupt_take(true, seconds));
}

bool gate_interrupt_error(const struct gate_interrupt *interrupt, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_IO, "interrupted%s; nothing was decided",
                          interrupt->caught == SIGTERM ? " (terminated)" : "");
}

void gate_interrupt_release(struct gate_interrupt *interrupt) {
    int caught = gate_interrupt_is_caught(interrupt) ? interrupt->caught : 0;
    (void)sigaction(SIGCHLD, &interrupt->child_before, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
    if (caught != 0)
        (void)raise(caught);
}

/* ---- child processes --------------------------------------------------------------------------------------------- */

extern char **environ;

enum { NOT_FOUND = 127, NOT_STARTED = 126 };

/* Longest wait before the child is checked again, in case no signal arrives: the child may have ended before the
 * wait. */
static const double LOOK_SECONDS = 0.25;

/* ---- starting ---------------------------------------------------------------------------------------------------- */

/* The guard: wait until `parent` dies, then kill the child's group. It is needed because the kernel signals our
 * death only to direct children that are not set-user-ID. It has its own group, so that Ctrl-C and signals to a
 * group do not reach it. */
static _Noreturn void guard_become(pid_t group, pid_t parent) {
    sigset_t all;
    (void)setpgid(0, 0);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    (void)gate_system_death_wait(parent);
    (void)kill(-group, SIGKILL);
    _exit(0);
}

static bool guard_start(struct gate_child *child, pid_t parent) {
    if (!gate_system_announces_death)
        return true;
    child->guard = fork();
    if (child->guard == 0)
        guard_become(child->pid, parent);
    return child->guard > 0;
}

/* End the guard. Call it before the child is reaped: until then no other group gets the same number. */
static void guard_end(struct gate_child *child) {
    if (child->guard <= 0)
        return;
    (void)kill(child->guard, SIGKILL);
    while (waitpid(child->guard, NULL, 0) < 0 && errno == EINTR)
        ;
    child->guard = 0;
}

/* Write errno to `errno_pipe` and exit. A started program closes the pipe at exec. The parent can thus
 * distinguish a failure of this machine from a failure of the program. */
static _Noreturn void child_send_errno(int errno_pipe) {
    int reason = errno;
    ssize_t put = write(errno_pipe, &reason, sizeof reason);
    (void)put; /* on failure nobody can be notified */
    _exit(NOT_STARTED);
}

/* Return the errno that the child wrote before exec, or 0 if there was no failure. */
static int child_read_errno(int errno_pipe) {
    int reason = 0;
    ssize_t got;
    while ((got = read(errno_pipe, &reason, sizeof reason)) < 0 && errno == EINTR)
        ;
    return got == (ssize_t)sizeof reason ? reason : 0;
}

/* Between fork and exec: take no lock here, because another thread may hold it forever. */
static _Noreturn void child_become(const struct gate_child_options *options, const sigset_t *mask, pid_t parent,
                                   int errno_pipe) {
    int nothing = open("/dev/null", O_RDWR);
    int out = options->out < 0 ? nothing : options->out, log = options->log < 0 ? nothing : options->log;
    (void)setpgid(0, 0);
    if (!gate_system_follow(parent, SIGKILL))
        _exit(NOT_STARTED);
    bool ok = nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
              dup2(log, STDERR_FILENO) >= 0;
    if (!ok)
        child_send_errno(errno_pipe);
    if (options->directory != NULL && chdir(options->directory) != 0)
        _exit(NOT_STARTED);
    if (nothing > STDERR_FILENO)
        (void)close(nothing);
    (void)signal(SIGXFSZ, SIG_DFL); /* pprofgate ignores it, and the command would inherit that */
    (void)pthread_sigmask(SIG_SETMASK, mask, NULL);
    environ = (char **)(uintptr_t)options->environment;
    (void)execvp(options->argv[0], (char *const *)(uintptr_t)options->argv);
    if (errno == ENOENT)
        _exit(NOT_FOUND);
    child_send_errno(errno_pipe);
}

/* Fork and exec. Return 0 or an errno. If `out->pid` is set, the child exists and must be ended even on failure. */
static int child_start(struct gate_child *out, const struct gate_child_options *options,
                       const struct gate_interrupt *interrupt, pid_t parent) {
    int errno_pipe[2];
    if (pipe(errno_pipe) != 0)
        return errno;
    (void)fcntl(errno_pipe[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(errno_pipe[1], F_SETFD, FD_CLOEXEC);
    pid_t pid = fork();
    int reason = pid < 0 ? errno : 0;
    if (pid == 0)
        child_become(options, &interrupt->before, parent, errno_pipe[1]);
    (void)close(errno_pipe[1]);
    if (pid > 0) {
        (void)setpgid(pid, pid); /* parent and child both do this, so that the group exists before anybody signals it */
        out->pid = pid;
        reason = child_read_errno(errno_pipe[0]);
    }
    (void)close(errno_pipe[0]);
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

/* Check whether the child has ended, and reap it. WNOWAIT keeps its process id until its group is killed, so that no
 * other process can have that number. */
static bool child_look(struct gate_child *child) {
    siginfo_t info = {0};
    if (child->pid == 0 || child->has_ended)
        return true;
    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
        return false;
    (void)kill(-child->pid, SIGKILL); /* processes that the child left running */
    guard_end(child);
    while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
        ;
    child->has_ended = true;
    return child->has_ended;
}

enum gate_child_wait gate_child_wait(struct gate_child *child, double seconds, struct gate_interrupt *interrupt) {
    double until = gate_clock_s(CLOCK_MONOTONIC) + seconds;
    for (;;) {
        if (child_look(child))
            return GATE_CHILD_ENDED;
        if (gate_interrupt_is_caught(interrupt))
            return GATE_CHILD_INTERRUPTED;
        double left = until - gate_clock_s(CLOCK_MONOTONIC);
        if (left <= 0)
            return GATE_CHILD_LATE;
        gate_interrupt_wait(interrupt, left < LOOK_SECONDS ? left : LOOK_SECONDS);
    }
}

void gate_child_stop(struct gate_child *child, double grace_seconds) {
    const struct timespec nap = {.tv_nsec = 10 * 1000 * 1000};
    double until = gate_clock_s(CLOCK_MONOTONIC) + grace_seconds;
    if (child_look(child))
        return;
    (void)kill(-child->pid, SIGTERM);
    (void)kill(-child->pid, SIGCONT); /* a stopped process does not handle SIGTERM */
    while (!child_look(child) && gate_clock_s(CLOCK_MONOTONIC) < until)
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
    int status = child->status; /* macOS's macros cast const away */
    return child->has_ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct gate_str gate_child_end(const struct gate_child *child, struct gate_arena *arena) {
    int status = child->status;
    if (!child->has_ended)
        return GATE_STR("did not end");
    if (WIFSIGNALED(status))
        return gate_str_format(arena, "was killed by signal %d", WTERMSIG(status));
    return gate_str_format(arena, "ended with status %d", WEXITSTATUS(status));
}

/* ---- environment ------------------------------------------------------------------------------------------------- */

static size_t name_length(const char *text) {
    const char *equals = strchr(text, '=');
    return equals == NULL ? strlen(text) : (size_t)(equals - text);
}

/* Return the last change for the variable that `text` starts with, or NULL. */
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

/* ---- output of a child, collected in a file ---------------------------------------------------------------------- */

enum { READ_BYTES_MAX = 16 * 1024 * 1024 };

/* Create a temporary file and unlink it at once. Signals are blocked in between. */
static int open_nameless(struct gate_arena *arena) {
    const char *folder = getenv("TMPDIR");
    struct gate_str text =
        gate_str_format(arena, "%s/pprofgate.XXXXXX", folder == NULL || folder[0] == '\0' ? "/tmp" : folder);
    char *name = text.ptr == NULL ? NULL : gate_arena_alloc(arena, text.len + 1);
    errno = ENOMEM;
    if (name == NULL)
        return -1;
    memcpy(name, text.ptr, text.len + 1);
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    int descriptor = mkstemp(name);
    int reason = errno;
    if (descriptor >= 0)
        (void)unlink(name);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return descriptor;
}

bool gate_child_output_open(struct gate_child_output *out, const char *path, struct gate_arena *arena,
                            struct gate_error *err) {
    *out = (struct gate_child_output){.path = path};
    out->descriptor = path == NULL ? open_nameless(arena) : open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0666);
    if (out->descriptor < 0)
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot write: %s", path == NULL ? "a temporary file" : path,
                              strerror(errno));
    (void)fcntl(out->descriptor, F_SETFD, FD_CLOEXEC);
    return true;
}

/* Read the last `most` bytes. */
static bool read_end(const struct gate_child_output *file, struct gate_str *out, size_t most, struct gate_arena *arena,
                     struct gate_error *err) {
    struct stat status;
    if (fstat(file->descriptor, &status) != 0)
        return gate_error_set(err, GATE_ERR_IO, "cannot read the output of a program: %s", strerror(errno));
    off_t from = status.st_size > (off_t)most ? status.st_size - (off_t)most : 0;
    size_t len = (size_t)(status.st_size - from), got = 0;
    char *bytes = gate_arena_alloc(arena, len + 1);
    if (bytes == NULL)
        return gate_arena_error(arena, err);
    while (got < len) {
        ssize_t more = pread(file->descriptor, bytes + got, len - got, from + (off_t)got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0) /* return nothing: a part of the output could have another meaning */
            return gate_error_set(err, GATE_ERR_IO, "cannot read the output of a program: %s", strerror(errno));
        if (more == 0)
            break;
        got += (size_t)more;
    }
    bytes[got] = '\0';
    *out = (struct gate_str){bytes, got};
    return true;
}

bool gate_child_output_read(const struct gate_child_output *file, struct gate_str *out, struct gate_arena *arena,
                            struct gate_error *err) {
    return read_end(file, out, READ_BYTES_MAX, arena, err);
}

struct gate_str gate_child_output_tail(const struct gate_child_output *file, size_t bytes, struct gate_arena *arena) {
    struct gate_error ignored = {0};
    struct gate_str text = {0};
    if (file->descriptor < 0 || !read_end(file, &text, bytes, arena, &ignored))
        return GATE_STR("");
    size_t line = text.len == bytes ? gate_str_find(text, GATE_STR("\n"), 0) : SIZE_MAX;
    text = gate_str_trim(gate_str_slice(text, line == SIZE_MAX ? 0 : line + 1, text.len));
    struct gate_str whole = gate_str_repair_utf8(arena, text); /* the cut may split a character */
    return whole.ptr == NULL ? GATE_STR("") : whole;
}

void gate_child_output_close(struct gate_child_output *file) {
    if (file->descriptor >= 0)
        (void)close(file->descriptor);
    file->descriptor = -1;
}
