/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/signals.h"

#include "gate/base/escape.h"
#include "gate/base/file.h"
#include "gate/base/process.h"
#include "gate/capture/manifest.h"
#include "gate/session/session.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* Counts the complete profiles in the folder, without manifest and lock. */
static unsigned runs_count(const char *folder) {
    unsigned count = 0;
    DIR *stream = opendir(folder);
    for (struct dirent *entry = stream == NULL ? NULL : readdir(stream); entry != NULL; entry = readdir(stream)) {
        struct gate_str name = gate_str_from(entry->d_name);
        bool is_whole = gate_str_find(name, GATE_STR(GATE_OUTFILE_UNFINISHED), 0) == SIZE_MAX;
        count += is_whole && (gate_str_find(name, GATE_STR("-baseline"), 0) != SIZE_MAX ||
                              gate_str_find(name, GATE_STR("-canary"), 0) != SIZE_MAX);
    }
    if (stream != NULL)
        (void)closedir(stream);
    return count;
}

static void parting_say(const struct gate_signals *signals) {
    struct gate_buf out = {0};
    unsigned count = runs_count(signals->folder);
    gate_buf_text(&out, "\npprofgate: interrupted; ");
    if (count == 0)
        gate_buf_text(&out, "no profile had come yet\n");
    else {
        gate_buf_printf(&out, "%u profile%s in ", count, count == 1 ? "" : "s");
        gate_escape_terminal(&out, gate_str_from(signals->folder));
        gate_buf_printf(&out, " stay%s: the same command resumes with %s\n", count == 1 ? "s" : "",
                        count == 1 ? "it" : "them");
    }
    bool written = gate_stream_write(signals->stream, gate_buf_view(&out));
    (void)written; /* there is nowhere left to report it */
    gate_buf_free(&out);
}

static void *parting_wait(void *context) {
    struct gate_signals *signals = context;
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    int caught = 0;
    sigset_t end;
    if (sigwait(&signals->held, &caught) != 0 || (caught == SIGUSR1 && signals->is_over))
        return NULL;
    parting_say(signals);
    /* The writing thread may have blocked signals; taking the lock waits until its file is in place. */
    (void)pthread_mutex_lock(&signals->writing);
    (void)sigaction(caught, &usual, NULL);
    (void)sigemptyset(&end);
    (void)sigaddset(&end, caught); /* only this signal, because gate_signals_end may have sent SIGUSR1 by now */
    (void)pthread_sigmask(SIG_UNBLOCK, &end, NULL);
    (void)kill(getpid(), caught);
    return NULL;
}

void gate_signals_begin(struct gate_signals *signals, const struct gate_session *session, const char *folder,
                        struct gate_manifest *manifest) {
    *signals = (struct gate_signals){
        .stream = session->err, .folder = folder, .manifest = manifest, .writing = PTHREAD_MUTEX_INITIALIZER};
    manifest->writing = &signals->writing;
    (void)sigemptyset(&signals->held);
    gate_signal_add(&signals->held, SIGINT);
    gate_signal_add(&signals->held, SIGTERM);
    gate_signal_add(&signals->held, SIGHUP);
    (void)sigaddset(&signals->held, SIGUSR1); /* ends the thread; from another process it ends this process as usual */
    /* The thread blocks all other signals, so they go to the thread that writes, which blocks them while it renames
     * a file. */
    sigset_t all;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &signals->before);
    signals->is_running = pthread_create(&signals->thread, NULL, parting_wait, signals) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
    if (signals->is_running)
        (void)pthread_sigmask(SIG_BLOCK, &signals->held, NULL);
}

void gate_signals_end(struct gate_signals *signals) {
    signals->manifest->writing = NULL;
    if (!signals->is_running)
        return;
    signals->is_over = true;
    (void)pthread_kill(signals->thread, SIGUSR1); /* pthread_cancel loads a library, and aborts if it cannot */
    (void)pthread_join(signals->thread, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
    signals->is_running = false;
}
