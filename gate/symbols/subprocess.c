/* SPDX-License-Identifier: Apache-2.0 */
/* Runs risky work in a child process. The child writes one byte, an enum gate_error_code, and then its result or the
 * message of the error. */
#include "gate/symbols/subprocess.h"

#include "gate/base/buf.h"
#include "gate/base/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Address sanitizers map terabytes of unused address space, so RLIMIT_AS cannot be set with them. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SHADOW 1
#endif
#endif

#ifndef HAS_SHADOW
#define HAS_SHADOW 0
#endif

enum { READ_PIECE_BYTES = 65536 };

/* Return the size of this process's address space in bytes; 0 if unknown. */
static size_t addresses_used(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    int got = fscanf(file, "%llu", &pages);
    (void)fclose(file);
    long page = sysconf(_SC_PAGESIZE);
    return got == 1 && page > 0 ? (size_t)pages * (size_t)page : 0;
}

static void caps_set(const struct gate_subprocess_caps *caps, size_t used) {
    const struct rlimit core = {0, 0}, cpu = {caps->cpu_seconds, (rlim_t)caps->cpu_seconds + 1};
    const struct rlimit memory = {used + caps->memory_bytes, used + caps->memory_bytes};
    (void)alarm(caps->wall_seconds); /* wall time, because waiting for a file uses no CPU time */
    (void)setrlimit(RLIMIT_CORE, &core);
    (void)setrlimit(RLIMIT_CPU, &cpu);
    if (used != 0 && !HAS_SHADOW)
        (void)setrlimit(RLIMIT_AS, &memory);
}

static bool all_written(int descriptor, struct gate_str bytes) {
    while (bytes.len != 0) {
        ssize_t put = write(descriptor, bytes.ptr, bytes.len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes = gate_str_slice(bytes, (size_t)put, bytes.len);
    }
    return true;
}

static _Noreturn void child_run(int descriptor, gate_subprocess_work *work, const void *question) {
    struct gate_buf out = {0};
    struct gate_error err = {0};
    static const int signals[] = {SIGINT, SIGTERM, SIGALRM, SIGPIPE, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        (void)signal(signals[i], SIG_DFL); /* handlers of the calling program must not run here */
    static const struct gate_sandbox_files nothing_written = {NULL, 0, false};
    struct gate_sandbox_state state = {0}; /* without a sandbox, the resource limits still apply */
    gate_sandbox_enter(0, &nothing_written, &state);
    bool ok = work(&out, question, &err) && gate_buf_check(&out, &err);
    struct gate_str told = ok ? gate_buf_view(&out) : gate_str_from(err.message);
    char code = (char)(ok ? GATE_OK : err.code);
    ok = all_written(descriptor, (struct gate_str){&code, 1}) && all_written(descriptor, told);
    _exit(ok ? 0 : 1);
}

/* Read everything that the child writes. */
static bool answer_read(struct gate_buf *out, int descriptor, size_t cap, struct gate_error *err) {
    char piece[READ_PIECE_BYTES];
    for (;;) {
        ssize_t got = read(descriptor, piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return gate_error_set(err, GATE_ERR_IO, "its names cannot be read: %s", strerror(errno));
        if (got == 0)
            return true;
        gate_buf_bytes(out, piece, (size_t)got);
        if (out->failed)
            return gate_error_set(err, GATE_ERR_MEMORY, "out of memory while its names were read");
        if (out->len > cap)
            return gate_error_set(err, GATE_ERR_LIMIT, "its names take more than %zu bytes", cap);
    }
}

static bool end_explain(int status, const struct gate_subprocess_caps *caps, struct gate_error *err) {
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "to look its names up takes more than %u seconds; name smaller files, or fewer",
                              (unsigned)caps->cpu_seconds);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "to look its names up took more than %u seconds, most of them of waiting; copy the file "
                              "to a disk of this machine",
                              (unsigned)caps->wall_seconds);
    if (WIFSIGNALED(status))
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "to look its names up crashed (signal %d): the file seems to be damaged; take it out",
                              WTERMSIG(status));
    return gate_error_set(err, GATE_ERR_FORMAT,
                          "its names could not be looked up: it seems to be damaged; take it out");
}

static bool answer_take(struct gate_buf *out, int status, const struct gate_subprocess_caps *caps,
                        struct gate_error *err) {
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || out->len == 0)
        return end_explain(status, caps, err);
    int code = out->ptr[0];
    if (code != GATE_OK)
        return gate_error_set(err, code > 0 && code <= GATE_ERR_MEMORY ? (enum gate_error_code)code : GATE_ERR_FORMAT,
                              "%.*s", (int)(out->len - 1 > 900 ? 900 : out->len - 1), out->ptr + 1);
    memmove(out->ptr, out->ptr + 1, --out->len);
    return true;
}

bool gate_subprocess_do(struct gate_buf *out, gate_subprocess_work *work, const void *question,
                        const struct gate_subprocess_caps *caps, struct gate_error *err) {
    int ends[2], status = 0;
    size_t used = addresses_used();
    if (pipe(ends) != 0)
        return gate_error_set(err, GATE_ERR_IO, "its names cannot be looked up: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        caps_set(caps, used);
        child_run(ends[1], work, question);
    }
    (void)close(ends[1]);
    bool is_whole = child > 0 && answer_read(out, ends[0], caps->answer_bytes, err);
    (void)close(ends[0]);
    if (child < 0)
        return gate_error_set(err, GATE_ERR_IO, "its names cannot be looked up: %s", strerror(errno));
    if (!is_whole)
        (void)kill(child, SIGTERM);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return is_whole && answer_take(out, status, caps, err);
}
