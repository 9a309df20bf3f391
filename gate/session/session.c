/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/session.h"

#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/base/file.h"
#include "gate/base/json_io.h"
#include "gate/base/sandbox.h"
#include "gate/base/system.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- progress ---------------------------------------------------------------------------------------------------- */

static bool progress_is_wanted(FILE *stream) {
    const char *terminal = getenv("TERM");
    int descriptor = fileno(stream);
    return descriptor >= 0 && isatty(descriptor) && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

static void progress_show(const struct gate_progress *progress, bool *shown) {
    (void)fprintf(progress->stream, "\r\033[Kpprofgate: %s ...", progress->stage);
    (void)fflush(progress->stream);
    *shown = true;
}

/* Run the display's thread: wait for GATE_PROGRESS_PATIENCE_MS, then show each new stage until the end. */
static void *progress_run(void *context) {
    struct gate_progress *progress = context;
    struct timespec until;
    bool shown = false;
    int waited = 0;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += GATE_PROGRESS_PATIENCE_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    (void)pthread_mutex_lock(&progress->lock);
    while (progress->stage != NULL && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&progress->changed, &progress->lock, &until);
    while (progress->stage != NULL) {
        progress_show(progress, &shown);
        (void)pthread_cond_wait(&progress->changed, &progress->lock);
    }
    if (shown)
        (void)fputs("\r\033[K", progress->stream);
    (void)fflush(progress->stream);
    (void)pthread_mutex_unlock(&progress->lock);
    return NULL;
}

void gate_progress_begin(struct gate_progress *progress, FILE *stream, const char *stage) {
    *progress = (struct gate_progress){.stream = stream, .stage = stage};
    if (!progress_is_wanted(stream))
        return;
    (void)pthread_mutex_init(&progress->lock, NULL);
    (void)pthread_cond_init(&progress->changed, NULL);
    /* Signals must go to the thread that can clean up. */
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    progress->is_running = pthread_create(&progress->thread, NULL, progress_run, progress) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void progress_set(struct gate_progress *progress, const char *stage) {
    (void)pthread_mutex_lock(&progress->lock);
    progress->stage = stage;
    (void)pthread_cond_signal(&progress->changed);
    (void)pthread_mutex_unlock(&progress->lock);
}

/* Shorter stages are not worth a line. */
static const double LOGGED_S = 0.005;

static void progress_log_end(struct gate_progress *progress) {
    double seconds = gate_clock_s(CLOCK_MONOTONIC) - progress->since_s;
    if (progress->stage != NULL && progress->is_timed)
        (void)fprintf(progress->stream, "pprofgate: %s took %.1f ms, %.1f ms of processors, %.0f MiB at most so far\n",
                      progress->stage, seconds * 1e3,
                      (gate_clock_s(CLOCK_PROCESS_CPUTIME_ID) - progress->cpu_since_s) * 1e3,
                      gate_system_memory_peak_mib());
    else if (progress->stage != NULL && seconds >= LOGGED_S)
        (void)fprintf(progress->stream, "pprofgate: %s took %.2f s\n", progress->stage, seconds);
    progress->stage = NULL;
}

void gate_progress_log(struct gate_progress *progress, FILE *stream, const char *stage, bool is_timed) {
    *progress = (struct gate_progress){.stream = stream, .is_log = true, .is_timed = is_timed};
    gate_progress_stage(progress, stage);
}

/* Return whether `stage` is the current stage, which then does not end. */
static bool is_same_stage(const struct gate_progress *progress, const char *stage) {
    return progress->stage != NULL && stage != NULL && strcmp(progress->stage, stage) == 0;
}

void gate_progress_stage(struct gate_progress *progress, const char *stage) {
    if (progress != NULL && progress->is_log && !is_same_stage(progress, stage)) {
        progress_log_end(progress);
        progress->stage = stage;
        progress->since_s = gate_clock_s(CLOCK_MONOTONIC);
        progress->cpu_since_s = gate_clock_s(CLOCK_PROCESS_CPUTIME_ID);
    }
    if (progress != NULL && progress->is_running)
        progress_set(progress, stage);
}

void gate_progress_end(struct gate_progress *progress) {
    if (progress == NULL || !progress->is_running)
        return;
    progress_set(progress, NULL);
    (void)pthread_join(progress->thread, NULL);
    (void)pthread_cond_destroy(&progress->changed);
    (void)pthread_mutex_destroy(&progress->lock);
    progress->is_running = false;
}

/* ---- source line of an error, with a caret ----------------------------------------------------------------------- */

enum { CARET_BEFORE = 60, CARET_AFTER = 40 };

static struct gate_str line_at(struct gate_str text, uint32_t line) {
    size_t at = 0;
    for (uint32_t i = 1; i < line; i++) {
        at = gate_str_find(text, GATE_STR("\n"), at);
        if (at == SIZE_MAX)
            return (struct gate_str){NULL, 0};
        at++;
    }
    size_t end = gate_str_find(text, GATE_STR("\n"), at);
    struct gate_str found = gate_str_slice(text, at, end == SIZE_MAX ? text.len : end);
    if (found.len > 0 && found.ptr[found.len - 1] == '\r')
        found.len--;
    return found;
}

/* Returns the byte offset of character `column` (from 1), at most the line's length. */
static size_t offset_of(struct gate_str line, uint32_t column) {
    size_t at = 0;
    uint32_t ignored = 0;
    for (uint32_t i = 1; i < column && at < line.len; i++) {
        size_t step = gate_utf8_decode(line, at, &ignored);
        at += step == 0 ? 1 : step;
    }
    return at;
}

/* Returns the number (from 1) of the character at byte `at`; the inverse of offset_of. */
static uint32_t character_at(struct gate_str line, size_t at) {
    uint32_t column = 1;
    uint32_t ignored = 0;
    for (size_t i = 0; i < at; column++) {
        size_t step = gate_utf8_decode(line, i, &ignored);
        i += step == 0 ? 1 : step;
    }
    return column;
}

/* Appends a part of the line, with tabs as single spaces. Parts are cut between characters. */
static void show_part(struct gate_buf *out, struct gate_str part) {
    struct gate_buf plain = {0};
    for (size_t at = 0; at < part.len; at++)
        gate_buf_char(&plain, part.ptr[at] == '\t' ? ' ' : part.ptr[at]);
    gate_escape_terminal(out, gate_buf_view(&plain));
    gate_buf_free_part(out, &plain);
}

void gate_caret_print(struct gate_buf *out, struct gate_str text, uint32_t line, uint32_t column) {
    struct gate_str source = line == 0 ? (struct gate_str){NULL, 0} : line_at(text, line);
    struct gate_buf before = {0};
    if (source.ptr == NULL)
        return;
    size_t at = offset_of(source, column);
    column = character_at(source, at); /* a column past the end becomes the end */
    uint32_t first = column > CARET_BEFORE ? column - CARET_BEFORE : 1;
    size_t from = offset_of(source, first);
    size_t to = offset_of(source, column + CARET_AFTER);
    show_part(&before, gate_str_slice(source, from, at));
    gate_buf_printf(out, "%6u | %s", (unsigned)line, first > 1 ? "..." : "");
    /* Shown in one piece, because parts could form an escape sequence. */
    show_part(out, gate_str_slice(source, from, to));
    gate_buf_text(out, to < source.len ? "...\n       | " : "\n       | ");
    gate_buf_repeat(out, ' ', gate_str_columns(gate_buf_view(&before)) + (first > 1 ? 3 : 0));
    gate_buf_text(out, "^\n");
    gate_buf_free_part(out, &before);
}

/* ---- messages and output ----------------------------------------------------------------------------------------- */

/** Longer lines are hard to read; shorter lines are too narrow for tables. */
enum { GATE_SESSION_COLUMNS_MIN = 64, GATE_SESSION_COLUMNS_MAX = 120 };

enum { LINE_BYTES = 4096 };

static void cli_say(struct gate_session *session, struct gate_buf *out) {
    gate_progress_end(session->progress);
    if (session->err == NULL) {
        gate_buf_free(out);
        return;
    }
    /* A truncated or missing message would hide the cause of the failure. */
    bool written = out->failed ? gate_stream_write(session->err, GATE_STR("pprofgate: out of memory\n"))
                               : gate_stream_write(session->err, gate_buf_view(out));
    gate_buf_free(out);
    (void)written; /* there is nowhere left to report it */
}

/* Prints the error as one line of JSON. */
static void fail_json(struct gate_session *session, const struct gate_error *err) {
    struct gate_buf out = {0}, message = {0};
    struct gate_json json = {.out = &out};
    gate_buf_str(&message, session->blamed_path);
    if (session->blamed_path.len != 0 && err->line != 0)
        gate_buf_printf(&message, ":%u:%u", (unsigned)err->line, (unsigned)err->column);
    gate_buf_text(&message, session->blamed_path.len != 0 ? ": " : "");
    gate_buf_text(&message, err->message);
    gate_json_open(&json, '{');
    gate_json_put_open(&json, "error", '{');
    gate_json_put_text(&json, "kind", gate_error_kind(err->code));
    gate_json_put_string(&json, "message", gate_buf_view(&message));
    gate_json_close_all(&json, "}}");
    gate_buf_char(&out, '\n');
    gate_buf_free_part(&out, &message);
    cli_say(session, &out);
}

/* Append a message. Lines after the first are the output of another program: each is indented, and escaped by itself.
 */
static void put_lines(struct gate_buf *out, struct gate_str text) {
    size_t from = 0;
    for (size_t end; (end = gate_str_find(text, GATE_STR("\n"), from)) != SIZE_MAX; from = end + 1) {
        gate_escape_terminal(out, gate_str_slice(text, from, end));
        gate_buf_text(out, "\n  ");
    }
    gate_escape_terminal(out, gate_str_slice(text, from, text.len));
}

void gate_session_fail(struct gate_session *session, const struct gate_error *err) {
    struct gate_buf out = {0};
    if (session->errors == GATE_ERRORS_JSON) {
        fail_json(session, err);
        return;
    }
    gate_buf_text(&out, "pprofgate: ");
    if (session->blamed_path.len != 0) {
        gate_escape_terminal(&out, session->blamed_path);
        if (err->line != 0)
            gate_buf_printf(&out, ":%u:%u", (unsigned)err->line, (unsigned)err->column);
        gate_buf_text(&out, ": ");
    }
    put_lines(&out, gate_str_from(err->message));
    gate_buf_char(&out, '\n');
    if (session->blamed_path.len != 0 && session->blamed_text.ptr != NULL)
        gate_caret_print(&out, session->blamed_text, err->line, err->column);
    cli_say(session, &out);
}

void gate_session_note(struct gate_session *session, struct gate_str text) {
    struct gate_buf out = {0};
    gate_buf_text(&out, "pprofgate: note: ");
    gate_escape_terminal(&out, text);
    gate_buf_char(&out, '\n');
    cli_say(session, &out);
}

GATE_PRINTF(2, 0)
static void say_line(struct gate_session *session, const char *format, va_list args) {
    char line[LINE_BYTES];
    (void)vsnprintf(line, sizeof line, format, args);
    struct gate_buf out = {0};
    gate_buf_text(&out, "pprofgate: ");
    gate_escape_terminal(&out, gate_str_from(line));
    gate_buf_char(&out, '\n');
    cli_say(session, &out);
}

void gate_session_hint(struct gate_session *session, const char *format, ...) {
    va_list args;
    va_start(args, format);
    say_line(session, format, args);
    va_end(args);
}

void gate_session_log(struct gate_session *session, const char *format, ...) {
    va_list args;
    if (!session->is_verbose)
        return;
    va_start(args, format);
    say_line(session, format, args);
    va_end(args);
}

bool gate_session_print(struct gate_session *session, const struct gate_buf *out, struct gate_error *err) {
    gate_progress_end(session->progress);
    return gate_buf_check(out, err) && gate_arena_check(session->arena, err) &&
           (gate_stream_write(session->out, gate_buf_view(out)) ||
            gate_error_set(err, GATE_ERR_IO, "cannot write to standard output: %s", strerror(errno)));
}

static uint32_t cli_columns_of(unsigned long columns) {
    return columns < GATE_SESSION_COLUMNS_MIN   ? GATE_SESSION_COLUMNS_MIN
           : columns > GATE_SESSION_COLUMNS_MAX ? GATE_SESSION_COLUMNS_MAX
                                                : (uint32_t)columns;
}

uint32_t gate_session_columns(FILE *stream, uint32_t other) {
    const char *variable = getenv("COLUMNS");
    int descriptor = fileno(stream);
    char *end = NULL;
    if (descriptor < 0 || !isatty(descriptor))
        return other;
    unsigned long columns = variable == NULL ? 0 : strtoul(variable, &end, 10);
    if (columns > 0 && *end == '\0')
        return cli_columns_of(columns);
    uint32_t width = gate_system_columns(descriptor);
    return width > 0 ? cli_columns_of(width) : GATE_WRAP_COLUMNS;
}

/* Return whether the environment variable is set, to another value than "" and `off`. */
static bool is_env_set(const char *name, const char *off) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' && strcmp(value, off) != 0;
}

bool gate_session_wants_colour(const struct gate_session *session, FILE *stream) {
    const char *terminal = getenv("TERM");
    int descriptor = fileno(stream);
    if (session->colour != GATE_COLOUR_AUTO)
        return session->colour == GATE_COLOUR_ALWAYS;
    if (is_env_set("NO_COLOR", "")) /* any value disables colours: https://no-color.org */
        return false;
    return is_env_set("CLICOLOR_FORCE", "0") ||
           (descriptor >= 0 && isatty(descriptor) && terminal != NULL && strcmp(terminal, "dumb") != 0);
}

/* ---- the sandbox ------------------------------------------------------------------------------------------------- */

/* ---- entering ---------------------------------------------------------------------------------------------------- */

/* Return the text of a reason, which is an errno value. */
static const char *reason_text(int reason) {
    return reason == ENOSYS ? "the kernel has none" : strerror(reason);
}

static void log_sandbox_refusals(struct gate_session *session) {
    const struct gate_sandbox_state *state = &session->sandbox.state;
    if (state->calls == GATE_SANDBOX_REFUSED)
        gate_session_log(session, "this run keeps the network and programs that it does not need: seccomp: %s",
                         strerror(state->calls_reason));
    if (state->files == GATE_SANDBOX_REFUSED)
        gate_session_log(session, "this run keeps files that it does not need: Landlock: %s",
                         reason_text(state->files_reason));
}

void gate_sandboxing_narrow(struct gate_session *session, unsigned needs) {
    struct gate_session_sandbox *sandbox = &session->sandbox;
    const bool was_tried = sandbox->state.calls != GATE_SANDBOX_OPEN;
    if (!sandbox->is_wanted || (needs & GATE_NEEDS_PROGRAMS) != 0 || sandbox->state.calls == GATE_SANDBOX_REFUSED ||
        (was_tried && sandbox->needs == needs))
        return;
    const struct gate_sandbox_files files = {sandbox->paths, sandbox->path_count, true};
    struct gate_progress *progress = session->progress;
    const char *stage = progress != NULL && progress->is_running ? progress->stage : NULL;
    if (stage != NULL)
        gate_progress_end(progress);
    sandbox->needs = needs;
    gate_sandbox_enter(needs, &files, &sandbox->state);
    if (stage != NULL)
        gate_progress_begin(progress, session->err, stage);
    if (!was_tried)
        log_sandbox_refusals(session);
}

static const char *calls_text(const struct gate_sandbox_state *state, struct gate_arena *arena) {
    if (state->calls == GATE_SANDBOX_ENTERED)
        return "seccomp (network, programs and other processes)";
    if (state->calls == GATE_SANDBOX_LEFT_OUT)
        return "no seccomp (built without)";
    return gate_str_format(arena, "no seccomp (%s)", reason_text(state->calls_reason)).ptr;
}

static const char *files_text(const struct gate_sandbox_state *state, struct gate_arena *arena) {
    if (state->files == GATE_SANDBOX_ENTERED)
        return gate_str_format(arena, "Landlock version %d (files%s)", state->landlock,
                               state->landlock < GATE_LANDLOCK_SIGNALS ? "" : " and signals")
            .ptr;
    return gate_str_format(arena, "no Landlock (%s)", reason_text(state->files_reason)).ptr;
}

struct gate_str gate_sandboxing_sentence(const struct gate_session *session) {
    const struct gate_sandbox_state *state = &session->sandbox.state;
    if (!session->sandbox.is_wanted)
        return GATE_STR("no, part of another program");
    if (state->calls == GATE_SANDBOX_LEFT_OUT && state->files == GATE_SANDBOX_LEFT_OUT)
        return GATE_STR("no, built with a sanitizer or for another system than Linux");
    const char *calls = calls_text(state, session->arena), *files = files_text(state, session->arena);
    if (calls == NULL || files == NULL)
        return (struct gate_str){0};
    return gate_str_format(session->arena, "%s, %s", calls, files);
}
