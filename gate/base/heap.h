/* SPDX-License-Identifier: Apache-2.0 */
/* How the C library keeps this process's memory: for a run that is over soon, and makes lists again and again.
 * Called by cli/main.c alone: a library's host has a heap of its own making. */
#ifndef GATE_BASE_HEAP_H
#define GATE_BASE_HEAP_H

#include <stddef.h>

/** Above this malloc asks the system for each block alone, where its heap has no room for it, and can move its pages
 * where it grows. */
#define GATE_HEAP_LARGE_BYTES (512 << 10)

/**
 * Keep what is given back for whoever asks next, of whichever thread: else each list of some hundred kilobytes comes
 * anew from the system, which clears every page of it, and each thread has a heap of its own. Where a quarter of the
 * machine's memory is free, the heap's first megabytes are asked for in large pages. Before any thread begins, and
 * before malloc is first called. Nothing where the C library is not glibc.
 */
void gate_heap_keep(void);

/**
 * Nobody reads these `len` bytes of malloc's again: the whole pages among them are the system's, and read as zeros
 * until somebody writes there. The block stays as it is. Where there is no such call of the system nothing happens.
 */
void gate_heap_forget(void *bytes, size_t len);

#endif
