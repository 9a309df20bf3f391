/* SPDX-License-Identifier: Apache-2.0 */
/* Two halves at a time (see parallel.h). */
#include "gate/base/parallel.h"

#include <pthread.h>

struct parallel_half {
    gate_parallel_work *work;
    void *context;
    size_t from, to;
};

static void *parallel_run(void *context) {
    const struct parallel_half *half = context;
    half->work(half->context, half->from, half->to);
    return NULL;
}

void gate_parallel(gate_parallel_work *work, void *context, size_t count, size_t worth) {
    struct parallel_half second = {work, context, count / 2, count};
    pthread_t other;
    if (count < 2 || count < worth || pthread_create(&other, NULL, parallel_run, &second) != 0) {
        work(context, 0, count);
        return;
    }
    work(context, 0, count / 2);
    (void)pthread_join(other, NULL);
}
