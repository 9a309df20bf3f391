/* SPDX-License-Identifier: Apache-2.0 */
/* malloc settings for this short-lived process: large pages, and no trimming of freed memory. */
#ifndef GATE_BASE_HEAP_H
#define GATE_BASE_HEAP_H

#include <stddef.h>

/**
 * malloc takes a block of at least this size from the system separately if its heap has no room. realloc can then move
 * the block's pages instead of copying.
 */
#define GATE_HEAP_LARGE_BYTES (512 << 10)

/**
 * Set up glibc's malloc: keep freed memory, and share one heap between all threads.
 *
 * Without this, each list of some hundred kilobytes would come from the system again, which clears every page. If a
 * quarter of the machine's memory is free, the first megabytes of the heap use huge pages. Call it before any thread
 * starts and before the first malloc. Does nothing if the C library is not glibc.
 */
void gate_heap_keep(void);

/**
 * Return the whole pages within `len` bytes of a malloc'ed block to the system. They read as zeros until they are
 * written again, and the block stays allocated. Does nothing on systems without MADV_DONTNEED.
 */
void gate_heap_forget(void *bytes, size_t len);

#endif
