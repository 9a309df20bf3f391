/* SPDX-License-Identifier: Apache-2.0 */
/* Several things at a time (see parallel.h). */
#include "gate/base/parallel.h"

#include "gate/base/error.h"

#include <pthread.h>
#include <stdint.h>

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

/* A list that threads take from. Bits of `done` are items. */
struct parallel_list {
    const struct gate_parallel_item *items;
    size_t count, taken;
    uint64_t done;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static bool parallel_may_begin(const struct parallel_list *list, size_t item) {
    uint64_t before = ((uint64_t)1 << list->items[item].after) - 1;
    return (list->done & before) == before;
}

/* What an item waits for was taken before it: somebody is at it. */
static void *parallel_list_run(void *context) {
    struct parallel_list *list = context;
    (void)pthread_mutex_lock(&list->lock);
    while (list->taken < list->count) {
        size_t item = list->taken++;
        while (!parallel_may_begin(list, item))
            (void)pthread_cond_wait(&list->changed, &list->lock);
        (void)pthread_mutex_unlock(&list->lock);
        list->items[item].task(list->items[item].context);
        (void)pthread_mutex_lock(&list->lock);
        list->done |= (uint64_t)1 << item;
        (void)pthread_cond_broadcast(&list->changed);
    }
    (void)pthread_mutex_unlock(&list->lock);
    return NULL;
}

void gate_parallel_list(const struct gate_parallel_item *items, size_t count, size_t threads) {
    struct parallel_list list = {.items = items, .count = count};
    pthread_t forked[GATE_PARALLEL_ITEMS_MAX];
    size_t started = 0;
    GATE_ASSERT(count <= GATE_PARALLEL_ITEMS_MAX);
    for (size_t i = 0; i < count; i++)
        GATE_ASSERT(items[i].after <= i);
    (void)pthread_mutex_init(&list.lock, NULL);
    (void)pthread_cond_init(&list.changed, NULL);
    while (started + 1 < threads && started + 1 < count &&
           pthread_create(&forked[started], NULL, parallel_list_run, &list) == 0)
        started++;
    (void)parallel_list_run(&list);
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(forked[i], NULL);
    (void)pthread_cond_destroy(&list.changed);
    (void)pthread_mutex_destroy(&list.lock);
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
