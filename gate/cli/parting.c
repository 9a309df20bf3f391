/* SPDX-License-Identifier: Apache-2.0 */
/* The last words of a command that is interrupted (see parting.h). */
#include "gate/cli/parting.h"

#include "gate/base/escape.h"
#include "gate/base/outfile.h"

#include <dirent.h>
#include <unistd.h>

/* How many profiles are in the folder: files that are whole and not the manifest or the lock. */
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

static void parting_say(const struct gate_parting *parting) {
    struct gate_buf out = {0};
    unsigned count = runs_count(parting->folder);
    gate_buf_text(&out, "\npprofgate: interrupted; ");
    if (count == 0)
        gate_buf_text(&out, "no profile had come yet\n");
    else {
        gate_buf_printf(&out, "%u profile%s in ", count, count == 1 ? "" : "s");
        gate_escape_terminal(&out, gate_str_from(parting->folder));
        gate_buf_printf(&out, " stay%s: the same command goes on with %s\n", count == 1 ? "s" : "",
                        count == 1 ? "it" : "them");
    }
    bool written = gate_cli_write(parting->stream, gate_buf_view(&out));
    (void)written; /* nowhere is left to say so */
    gate_buf_free(&out);
}

static void *parting_wait(void *context) {
    struct gate_parting *parting = context;
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    int caught = 0;
    sigset_t end;
    if (sigwait(&parting->held, &caught) != 0 || (caught == SIGUSR1 && parting->is_over))
        return NULL;
    parting_say(parting);
    /* This end comes whatever the thread that writes has blocked: it waits until that one has its file in its place. */
    (void)pthread_mutex_lock(&parting->writing);
    (void)sigaction(caught, &usual, NULL);
    (void)sigemptyset(&end);
    (void)sigaddset(&end, caught); /* alone: by now gate_parting_end may have sent its own */
    (void)pthread_sigmask(SIG_UNBLOCK, &end, NULL);
    (void)kill(getpid(), caught);
    return NULL;
}

void gate_parting_begin(struct gate_parting *parting, const struct gate_cli *cli, const char *folder,
                        struct gate_manifest *manifest) {
    *parting = (struct gate_parting){
        .stream = cli->err, .folder = folder, .manifest = manifest, .writing = PTHREAD_MUTEX_INITIALIZER};
    manifest->writing = &parting->writing;
    (void)sigemptyset(&parting->held);
    (void)sigaddset(&parting->held, SIGINT);
    (void)sigaddset(&parting->held, SIGTERM);
    (void)sigaddset(&parting->held, SIGHUP);
    (void)sigaddset(&parting->held, SIGUSR1); /* ends the thread; sent by another it ends the process, as it does */
    /* The thread takes no other signal either: what ends the process comes to the one that writes, which holds it back
     * while a file is between its two names. */
    sigset_t all;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &parting->before);
    parting->is_running = pthread_create(&parting->thread, NULL, parting_wait, parting) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &parting->before, NULL);
    if (parting->is_running)
        (void)pthread_sigmask(SIG_BLOCK, &parting->held, NULL);
}

void gate_parting_end(struct gate_parting *parting) {
    parting->manifest->writing = NULL;
    if (!parting->is_running)
        return;
    parting->is_over = true;
    (void)pthread_kill(parting->thread, SIGUSR1); /* pthread_cancel loads a library, and aborts where it cannot */
    (void)pthread_join(parting->thread, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &parting->before, NULL);
    parting->is_running = false;
}
