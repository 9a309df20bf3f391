/* SPDX-License-Identifier: Apache-2.0 */
/* Runs work in two threads. No other module starts threads for work. */
#ifndef GATE_BASE_PARALLEL_H
#define GATE_BASE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

/** A task. It must not touch memory that a concurrent task writes, nor share an arena with it (see gate_arena_fork). */
typedef void gate_parallel_task(void *context);

/**
 * Run task(first) in this thread and task(second) in a new thread, or afterwards here if no thread can be started.
 * Returns when both are done. A task stores its result and its error in its context.
 */
void gate_parallel_both(gate_parallel_task *task, void *first, void *second);

/**
 * Like gate_parallel_both if `is_worth` is set; otherwise run both in this thread. Starting a thread costs as much as
 * 0.2 ms of work.
 */
void gate_parallel_both_if(bool is_worth, gate_parallel_task *task, void *first, void *second);

/** One task of a list. */
struct gate_parallel_item {
    gate_parallel_task *task;
    void *context;
    size_t after; /* number of items at the start of the list that must be finished before this one; at most its own
                     index */
};

/**
 * Run every item once, at most two at a time: in this thread and in a second one, if it can be started. A free thread
 * takes the first item that may start. Returns when all are done.
 *
 * count     at most 64
 * is_worth  if false, run all items in order in this thread
 */
void gate_parallel_list(const struct gate_parallel_item *items, size_t count, bool is_worth);

/** Process items [from, to). It must not touch memory that another item writes, nor an arena. */
typedef void gate_parallel_work(void *context, size_t from, size_t to);

/**
 * Process every item of [0, count) once. Uses two threads if `count` is at least `worth` and a thread can be started.
 */
void gate_parallel(gate_parallel_work *work, void *context, size_t count, size_t worth);

#endif
