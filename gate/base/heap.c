/* SPDX-License-Identifier: Apache-2.0 */
/* What glibc's malloc is told (see heap.h). Measured by page faults of small checks, and the peak of large ones. */
#define _DEFAULT_SOURCE /* madvise, sbrk */
#include "gate/base/heap.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Free memory at the end of the heap that is kept, and what is asked of the system at a time. */
enum { KEPT_BYTES = 16 << 20, STEP_BYTES = 1 << 20 };

#ifdef MADV_HUGEPAGE
/* malloc writes the head of its first block into the page ahead of the large ones, which have to be untouched. */
enum { LARGE_PAGE_BYTES = 2 << 20, HEAD_BYTES = 4096, FIRST_BYTES = 2 * LARGE_PAGE_BYTES };

/* A small check asks for some megabytes page by page, which is a tenth of its time: the first of them are two large
 * pages where the system lends any. It does so when they are first written to: who needs none gets none. */
static void heap_begin(void) {
    const uintptr_t end = (uintptr_t)sbrk(0);
    const uintptr_t head = end + (0 - end - HEAD_BYTES) % LARGE_PAGE_BYTES, first = head + HEAD_BYTES;
    bool is_placed = sbrk((intptr_t)(head - end)) != (void *)-1;
    void *room = malloc(HEAD_BYTES + FIRST_BYTES);
    if (is_placed && (uintptr_t)room >= head && (uintptr_t)room < first)
        (void)madvise((void *)first, FIRST_BYTES, MADV_HUGEPAGE); // NOLINT(performance-no-int-to-ptr)
    free(room);
}
#else
static void heap_begin(void) {
}
#endif

void gate_heap_keep(void) {
    (void)mallopt(M_ARENA_MAX, 1);
    (void)mallopt(M_MMAP_THRESHOLD, GATE_HEAP_LARGE_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    (void)mallopt(M_TOP_PAD, STEP_BYTES);
    heap_begin();
}

#else

void gate_heap_keep(void) {
}

#endif
