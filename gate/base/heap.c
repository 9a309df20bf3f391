/* SPDX-License-Identifier: Apache-2.0 */
/* What glibc's malloc is told (see heap.h). Measured by page faults of small checks, and the peak of large ones. */
#define _DEFAULT_SOURCE /* madvise */
#include "gate/base/heap.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>

/* Free memory at the end of the heap that is kept, and what is asked of the system at a time. */
enum { KEPT_BYTES = 16 << 20, STEP_BYTES = 1 << 20 };

void gate_heap_keep(void) {
    (void)mallopt(M_ARENA_MAX, 1);
    (void)mallopt(M_MMAP_THRESHOLD, GATE_HEAP_LARGE_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
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
