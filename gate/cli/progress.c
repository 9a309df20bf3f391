/* SPDX-License-Identifier: Apache-2.0 */
/* A word for whoever waits (see progress.h). */
#include "gate/cli/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

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

/* Sleeps as long as nobody gets impatient, then shows each stage as it comes, until the end. */
static void *progress_run(void *context) {
    struct gate_progress *progress = context;
    struct timespec until;
    bool shown = false;
    int waited = 0;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += progress->patience_ms / 1000;
    until.tv_nsec += progress->patience_ms % 1000 * 1000000L;
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

void gate_progress_begin(struct gate_progress *progress, FILE *stream, const char *stage, int patience_ms) {
    *progress = (struct gate_progress){.stream = stream, .stage = stage, .patience_ms = patience_ms};
    if (!progress_is_wanted(stream))
        return;
    (void)pthread_mutex_init(&progress->lock, NULL);
    (void)pthread_cond_init(&progress->changed, NULL);
    /* Signals are for the thread that knows what to put back. */
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

/* Shorter ones are not what anybody looks for. */
static const double LOGGED_S = 0.005;

static double seconds_since(struct timespec since, clockid_t clock) {
    struct timespec now = {0};
    (void)clock_gettime(clock, &now);
    return (double)(now.tv_sec - since.tv_sec) + (double)(now.tv_nsec - since.tv_nsec) / 1e9;
}

/* In MiB; getrusage has it in KiB. */
static double memory_most(void) {
    struct rusage used = {0};
    (void)getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_maxrss / 1024;
}

static void progress_log_end(struct gate_progress *progress) {
    double seconds = seconds_since(progress->since, CLOCK_MONOTONIC);
    if (progress->stage != NULL && progress->is_timed)
        (void)fprintf(progress->stream, "pprofgate: %s took %.1f ms, %.1f ms of processors, %.0f MiB at most so far\n",
                      progress->stage, seconds * 1e3,
                      seconds_since(progress->cpu_since, CLOCK_PROCESS_CPUTIME_ID) * 1e3, memory_most());
    else if (progress->stage != NULL && seconds >= LOGGED_S)
        (void)fprintf(progress->stream, "pprofgate: %s took %.2f s\n", progress->stage, seconds);
    progress->stage = NULL;
}

void gate_progress_log(struct gate_progress *progress, FILE *stream, const char *stage, bool is_timed) {
    *progress = (struct gate_progress){.stream = stream, .is_log = true, .is_timed = is_timed};
    gate_progress_stage(progress, stage);
}

/* A stage that is told twice goes on. */
static bool is_same_stage(const struct gate_progress *progress, const char *stage) {
    return progress->stage != NULL && stage != NULL && strcmp(progress->stage, stage) == 0;
}

void gate_progress_stage(struct gate_progress *progress, const char *stage) {
    if (progress != NULL && progress->is_log && !is_same_stage(progress, stage)) {
        progress_log_end(progress);
        progress->stage = stage;
        (void)clock_gettime(CLOCK_MONOTONIC, &progress->since);
        (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &progress->cpu_since);
    }
    if (progress != NULL && progress->is_running)
        progress_set(progress, stage);
}

void gate_progress_tell(struct gate_progress *progress, const char *text) {
    if (progress == NULL || !progress->is_running || strcmp(progress->told, text) == 0)
        return;
    (void)pthread_mutex_lock(&progress->lock);
    (void)snprintf(progress->told, sizeof progress->told, "%s", text);
    progress->stage = progress->told;
    (void)pthread_cond_signal(&progress->changed);
    (void)pthread_mutex_unlock(&progress->lock);
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
