/* SPDX-License-Identifier: Apache-2.0 */
/* A word on standard error for whoever waits longer than half a second, and only on a terminal.
 * Every command has one (cli/command.c); what writes to a terminal ends it before, through cli/cli.h. */
#ifndef GATE_CLI_PROGRESS_H
#define GATE_CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

/** One wait; holds a thread of its own while it lasts. */
struct gate_progress {
    FILE *stream;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const char *stage; /* static text, or `told`; NULL: over */
    char told[96];
    int patience_ms;
    bool is_running;
    bool is_log;   /* a line a stage, when it is over, with the time that it took */
    bool is_timed; /* every one of them, with processor time and memory */
    struct timespec since, cpu_since;
};

/** How long nobody minds waiting. */
enum { GATE_PROGRESS_PATIENCE_MS = 500 };

/** Begin to wait in `stage`; nothing is said before `patience_ms`. Silent, and without a thread, where `stream` is not
 * a terminal or TERM is dumb. */
void gate_progress_begin(struct gate_progress *progress, FILE *stream, const char *stage, int patience_ms);

/** The same for whoever wants to know what takes how long: a line for each stage, whatever `stream` is. The stage NULL
 * ends it. Stages too short to look for are left out, unless it `is_timed`: then each has its processor time and the
 * largest resident set of the program so far beside it. */
void gate_progress_log(struct gate_progress *progress, FILE *stream, const char *stage, bool is_timed);

/** What is waited for now. `progress` may be NULL, or over. */
void gate_progress_stage(struct gate_progress *progress, const char *stage);

/** The same with a text that is copied, such as one with the time that is left. */
void gate_progress_tell(struct gate_progress *progress, const char *text);

/** Over: the line is wiped, so that what follows stands alone. `progress` may be NULL, over, or a log, which goes on.
 */
void gate_progress_end(struct gate_progress *progress);

#endif
