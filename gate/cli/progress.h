/* SPDX-License-Identifier: Apache-2.0 */
/* A word on standard error for whoever waits longer than a second, and only on a terminal. */
#ifndef GATE_CLI_PROGRESS_H
#define GATE_CLI_PROGRESS_H

#include "gate/cli/cli.h"

#include <pthread.h>

/** One wait; holds a thread of its own while it lasts. */
struct gate_progress {
    FILE *stream;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const char *stage; /* static text; NULL: over */
    bool is_running;
};

/** Begin to wait in `stage`. Silent, and without a thread, where standard error is not a terminal or TERM is dumb. */
void gate_progress_begin(struct gate_progress *progress, struct gate_cli *cli, const char *stage);

/** What is waited for now. */
void gate_progress_stage(struct gate_progress *progress, const char *stage);

/** Over: the line is wiped, so that what follows stands alone. */
void gate_progress_end(struct gate_progress *progress);

#endif
