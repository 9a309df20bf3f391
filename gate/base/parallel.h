/* SPDX-License-Identifier: Apache-2.0 */
/* Fork and join: the one place that starts threads for work. Two things at the same time, the two halves of a loop, or
 * a list of things. */
#ifndef GATE_BASE_PARALLEL_H
#define GATE_BASE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

/** Must not touch what the other one writes, nor an arena of both (see gate_arena_fork). */
typedef void gate_parallel_task(void *context);

/**
 * task(first) here and task(second) in a thread of its own, or behind it where no thread is to be had. Both are done
 * when it returns, whichever failed: a task leaves what came of it in its context.
 */
void gate_parallel_both(gate_parallel_task *task, void *first, void *second);

/** The same where `is_worth` it; else one after the other, here. A thread costs as much as 0.2 ms of work. */
void gate_parallel_both_if(bool is_worth, gate_parallel_task *task, void *first, void *second);

/** A thing to do of a list. */
struct gate_parallel_item {
    gate_parallel_task *task;
    void *context;
    size_t after; /* how many from the beginning of the list must be done before; those stand before */
};

enum { GATE_PARALLEL_ITEMS_MAX = 64 };

/**
 * Do every item once. Two of them are done at a time, here and in a thread, as far as one is to be had: whoever is free
 * takes the first that may begin. All are done when it returns.
 *
 * is_worth   else one after the other, here
 */
void gate_parallel_list(const struct gate_parallel_item *items, size_t count, bool is_worth);

/** Do items [from, to). Must not touch what another item writes, nor an arena. */
typedef void gate_parallel_work(void *context, size_t from, size_t to);

/** Every item of [0, count) once, in two threads where there are at least `worth` of them and a thread is to be had. */
void gate_parallel(gate_parallel_work *work, void *context, size_t count, size_t worth);

#endif
