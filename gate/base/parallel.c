/* SPDX-License-Identifier: Apache-2.0 */
/* Runs work in two threads. */
#include "gate/base/parallel.h"

#include "gate/base/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GATE_PARALLEL_ITEMS_MAX = 64 };

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

/* A list from which two threads take items. Bit i of `taken` and `done` is item i. */
struct parallel_list {
    const struct gate_parallel_item *items;
    size_t count;
    uint64_t taken, done;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static uint64_t bits_below(size_t count) {
    return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

/* Return the first item that may start now, or `count` if there is none. */
static size_t parallel_next(const struct parallel_list *list) {
    size_t item = 0;
    while (item < list->count &&
           ((list->taken >> item & 1) != 0 || (bits_below(list->items[item].after) & ~list->done) != 0))
        item++;
    return item;
}

/* Run one item. The caller holds the lock, which is released while the item runs. */
static void parallel_do(struct parallel_list *list, size_t item) {
    const struct gate_parallel_item *at = &list->items[item];
    list->taken |= (uint64_t)1 << item;
    (void)pthread_mutex_unlock(&list->lock);
    at->task(at->context);
    (void)pthread_mutex_lock(&list->lock);
    list->done |= (uint64_t)1 << item;
    (void)pthread_cond_signal(&list->changed);
}

/* Take items until none is left. A thread that finds no item that may start waits for the other thread. */
static void parallel_list_run(void *context) {
    struct parallel_list *list = context;
    (void)pthread_mutex_lock(&list->lock);
    while (list->taken != bits_below(list->count)) {
        size_t item = parallel_next(list);
        if (item < list->count)
            parallel_do(list, item);
        else
            (void)pthread_cond_wait(&list->changed, &list->lock);
    }
    (void)pthread_mutex_unlock(&list->lock);
}

void gate_parallel_list(const struct gate_parallel_item *items, size_t count, bool is_worth) {
    struct parallel_list list = {.items = items, .count = count};
    GATE_ASSERT(count <= GATE_PARALLEL_ITEMS_MAX);
    for (size_t i = 0; i < count; i++)
        GATE_ASSERT(items[i].after <= i);
    (void)pthread_mutex_init(&list.lock, NULL);
    (void)pthread_cond_init(&list.changed, NULL);
    gate_parallel_both_if(is_worth && count > 1, parallel_list_run, &list, &list);
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
