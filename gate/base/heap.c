/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of glibc's malloc. Chosen by the page faults of small checks and the peak memory of large ones. */
#define _DEFAULT_SOURCE /* for sbrk, madvise, sysinfo */
#include "gate/base/heap.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#include <stdbool.h>
#include <sys/sysinfo.h>

/* free memory that is kept at the end of the heap, and the step by which the heap grows */
enum { KEPT_BYTES = 16 << 20, STEP_BYTES = 1 << 20 };

#ifdef MADV_HUGEPAGE

/* A small check needs 2 to 4 MiB. A command without profiles needs only the 256 KiB before the large pages. */
enum { PAGE_BYTES = 2 << 20, PAGES = 2, BEFORE_BYTES = 256 << 10 };

/* Return whether a quarter of the memory is free. If memory is short, providing a large page takes longer than
 * providing its small pages. */
static bool has_large_pages(void) {
    struct sysinfo system;
    return sysinfo(&system) == 0 && system.freeram > system.totalram / 4;
}

/* Use large pages for the first megabytes of the heap. Each is cleared at once, instead of hundreds of page faults
 * for small pages. The heap starts BEFORE_BYTES below the first large page, which is still unused. */
static void heap_enlarge_pages(void) {
    const uintptr_t end = (uintptr_t)sbrk(0);
    const uintptr_t large = (end + BEFORE_BYTES + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    if (!has_large_pages() || sbrk((intptr_t)(large - BEFORE_BYTES - end)) == (void *)-1)
        return;
    (void)mallopt(M_TOP_PAD, BEFORE_BYTES + PAGES * PAGE_BYTES);
    void *volatile first = malloc(BEFORE_BYTES / 2); /* makes the heap grow */
    free(first);
    (void)madvise((void *)large, PAGES * PAGE_BYTES, MADV_HUGEPAGE); /* may fail; then the pages stay small */
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
