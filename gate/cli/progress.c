/* SPDX-License-Identifier: Apache-2.0 */
/* A word for whoever waits (see progress.h). */
#include "gate/cli/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 1 };

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

/* Sleeps a second, then shows each stage as it comes, until the end. */
static void *progress_run(void *context) {
    struct gate_progress *progress = context;
    struct timespec until;
    bool shown = false;
    int waited = 0;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_SECONDS;
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

void gate_progress_begin(struct gate_progress *progress, struct gate_cli *cli, const char *stage) {
    *progress = (struct gate_progress){.stream = cli->err, .stage = stage};
    if (!progress_is_wanted(cli->err))
        return;
    (void)pthread_mutex_init(&progress->lock, NULL);
    (void)pthread_cond_init(&progress->changed, NULL);
    progress->is_running = pthread_create(&progress->thread, NULL, progress_run, progress) == 0;
}

static void progress_set(struct gate_progress *progress, const char *stage) {
    (void)pthread_mutex_lock(&progress->lock);
    progress->stage = stage;
    (void)pthread_cond_signal(&progress->changed);
    (void)pthread_mutex_unlock(&progress->lock);
}

void gate_progress_stage(struct gate_progress *progress, const char *stage) {
    if (progress->is_running)
        progress_set(progress, stage);
}

void gate_progress_end(struct gate_progress *progress) {
    if (!progress->is_running)
        return;
    progress_set(progress, NULL);
    (void)pthread_join(progress->thread, NULL);
    (void)pthread_cond_destroy(&progress->changed);
    (void)pthread_mutex_destroy(&progress->lock);
    progress->is_running = false;
}
