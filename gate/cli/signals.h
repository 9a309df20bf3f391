/* SPDX-License-Identifier: Apache-2.0 */
/* Handles SIGINT, SIGTERM and SIGHUP while a command captures profiles. */
#ifndef GATE_CLI_SIGNALS_H
#define GATE_CLI_SIGNALS_H

#include "gate/capture/manifest.h"
#include "gate/session/session.h"

#include <pthread.h>
#include <signal.h>

/** Signal handling while it is active; begin with gate_signals_begin. */
struct gate_signals {
    FILE *stream;
    const char *folder;
    struct gate_manifest *manifest;
    pthread_mutex_t writing; /* locked while a file of the manifest is written */
    sigset_t held, before;
    pthread_t thread;
    bool is_running;
    _Atomic bool is_over;
};

/** Handle SIGINT, SIGTERM and SIGHUP: print that the runs in `folder` are kept, then end the process. A write to the
 * manifest is completed first. */
void gate_signals_begin(struct gate_signals *signals, const struct gate_session *session, const char *folder,
                        struct gate_manifest *manifest);

/** Restore the previous handling: a signal now ends the process without a message. */
void gate_signals_end(struct gate_signals *signals);

#endif
