/* SPDX-License-Identifier: Apache-2.0 */
/* What glibc's malloc is told (see heap.h). Measured by page faults of small checks, and the peak of large ones. */
#define _DEFAULT_SOURCE /* sbrk, madvise, sysinfo */
#include "gate/base/heap.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#include <stdbool.h>
#include <sys/sysinfo.h>

/* Free memory at the end of the heap that is kept, and what is asked of the system at a time. */
enum { KEPT_BYTES = 16 << 20, STEP_BYTES = 1 << 20 };

#ifdef MADV_HUGEPAGE

/* A small check needs 2 to 4 MiB. What comes before is what a command without profiles needs. */
enum { PAGE_BYTES = 2 << 20, PAGES = 2, BEFORE_BYTES = 256 << 10 };

/* Where memory is short the system makes room for a large page, which takes longer than the small ones in it. */
static bool has_large_pages(void) {
    struct sysinfo system;
    return sysinfo(&system) == 0 && system.freeram > system.totalram / 4;
}

/* The first megabytes in large pages: each is cleared at once, where hundreds of small ones come by a fault each. The
 * heap begins so far below the first one that nothing is in it yet. */
static void heap_enlarge_pages(void) {
    const uintptr_t end = (uintptr_t)sbrk(0);
    const uintptr_t large = (end + BEFORE_BYTES + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    if (!has_large_pages() || sbrk((intptr_t)(large - BEFORE_BYTES - end)) == (void *)-1)
        return;
    (void)mallopt(M_TOP_PAD, BEFORE_BYTES + PAGES * PAGE_BYTES);
    void *volatile first = malloc(BEFORE_BYTES / 2); /* the heap grows for it */
    free(first);
    (void)madvise((void *)large, PAGES * PAGE_BYTES, MADV_HUGEPAGE); /* or not: then it is as it was */
}

#else

static void heap_enlarge_pages(void) {
}

#endif

void gate_heap_keep(void) {
    (void)mallopt(M_ARENA_MAX, 1);
    (void)mallopt(M_MMAP_THRESHOLD, GATE_HEAP_LARGE_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    heap_enlarge_pages();
    (void)mallopt(M_TOP_PAD, STEP_BYTES);
}

#else

void gate_heap_keep(void) {
}

#endif

void gate_heap_forget(void *bytes, size_t len) {
#ifdef MADV_DONTNEED
    size_t page = (size_t)sysconf(_SC_PAGESIZE), skip = (page - (uintptr_t)bytes % page) % page;
    if (len >= skip + page)
        (void)madvise((uint8_t *)bytes + skip, (len - skip) / page * page, MADV_DONTNEED);
#else
    (void)bytes;
    (void)len;
#endif
}
