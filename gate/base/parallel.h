/* SPDX-License-Identifier: Apache-2.0 */
/* The two halves of a loop at the same time: for items that do not know of each other. */
#ifndef GATE_BASE_PARALLEL_H
#define GATE_BASE_PARALLEL_H

#include <stddef.h>

/** Do items [from, to). Must not touch what another item writes, nor an arena. */
typedef void gate_parallel_work(void *context, size_t from, size_t to);

/** Every item of [0, count) once, in two threads where there are at least `worth` of them and a thread is to be had. */
void gate_parallel(gate_parallel_work *work, void *context, size_t count, size_t worth);

#endif
