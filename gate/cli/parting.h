/* SPDX-License-Identifier: Apache-2.0 */
/* The last words of a command that takes profiles and is interrupted: what stays, and how to go on. The signal then
 * ends the process as it would have. No handler and no global: a thread waits for the signals, which all others block.
 * Pipeline: cmd_capture, cmd_gate -> cli/parting.h -> standard error */
#ifndef GATE_CLI_PARTING_H
#define GATE_CLI_PARTING_H

#include "gate/capture/manifest.h"
#include "gate/cli/cli.h"

#include <pthread.h>
#include <signal.h>

struct gate_parting {
    FILE *stream;
    const char *folder;
    struct gate_manifest *manifest;
    pthread_mutex_t writing; /* held by who writes a file of the manifest's */
    sigset_t held, before;
    pthread_t thread;
    bool is_running;
    _Atomic bool is_over;
};

/** From here on SIGINT, SIGTERM and SIGHUP say that the runs in `folder` stay, before they end the process; a file that
 * is being written to its manifest comes to its place first. */
void gate_parting_begin(struct gate_parting *parting, const struct gate_cli *cli, const char *folder,
                        struct gate_manifest *manifest);

/** As before; one that comes now ends the process without a word. */
void gate_parting_end(struct gate_parting *parting);

#endif
