/* SPDX-License-Identifier: Apache-2.0 */
/* Two things at a time (see parallel.h). */
#include "gate/base/parallel.h"

#include <pthread.h>

struct parallel_task {
    gate_parallel_task *task;
    void *context;
};

static void *parallel_thread(void *context) {
    const struct parallel_task *second = context;
    second->task(second->context);
    return NULL;
}

void gate_parallel_both(gate_parallel_task *task, void *first, void *second) {
    struct parallel_task forked = {task, second};
    pthread_t thread;
    bool is_forked = pthread_create(&thread, NULL, parallel_thread, &forked) == 0;
    task(first);
    if (is_forked)
        (void)pthread_join(thread, NULL);
    else
        task(second);
}

void gate_parallel_both_if(bool is_worth, gate_parallel_task *task, void *first, void *second) {
    if (is_worth) {
        gate_parallel_both(task, first, second);
        return;
    }
    task(first);
    task(second);
}

struct parallel_half {
    gate_parallel_work *work;
    void *context;
    size_t from, to;
};

static void parallel_half_run(void *context) {
    const struct parallel_half *half = context;
    half->work(half->context, half->from, half->to);
}

void gate_parallel(gate_parallel_work *work, void *context, size_t count, size_t worth) {
    struct parallel_half first = {work, context, 0, count / 2}, second = {work, context, count / 2, count};
    if (count < 2 || count < worth)
        work(context, 0, count);
    else
        gate_parallel_both(parallel_half_run, &first, &second);
}
