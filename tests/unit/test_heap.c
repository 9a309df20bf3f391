/* SPDX-License-Identifier: Apache-2.0 */
/* base/heap.h: blocks of a few hundred kilobytes come from one heap, in every thread, and freed memory is kept for
 * later blocks. */
#define _DEFAULT_SOURCE /* sbrk */
#include "gate/base/heap.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#ifdef __linux__
#include <sys/sysinfo.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_OTHER_MALLOC
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define HAS_OTHER_MALLOC
#endif

/* Return whether `block` is in malloc's heap: between the program's data and its break. */
static bool is_in_heap(const char *block) {
    static char of_the_program = 'x';
    return (uintptr_t)block > (uintptr_t)&of_the_program && (uintptr_t)block < (uintptr_t)sbrk(0);
}

static void *make_list(void *size) {
    char *list = malloc(*(const size_t *)size);
    assert_non_null(list);
    list[0] = 'x';
    return list;
}

/* Return whether huge pages are requested for the heap: "VmFlags: … hg" in smaps. */
static bool is_advised(void) {
    char line[512];
    bool is_heap = false, is_asked = false;
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        if (strchr(line, '-') != NULL && strstr(line, " rw-p ") != NULL)
            is_heap = strstr(line, "[heap]") != NULL;
        is_asked = is_asked || (is_heap && strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg") != NULL);
    }
    if (maps != NULL)
        (void)fclose(maps);
    return is_asked;
}

static bool is_memory_free(void) {
#ifdef __linux__
    struct sysinfo system;
    return sysinfo(&system) == 0 && system.freeram > system.totalram / 4;
#else
    return false;
#endif
}

/* This test runs first, while the heap is small. */
TEST(the_heap_begins_in_large_pages) {
#ifdef HAS_OTHER_MALLOC
    skip();
#endif
    if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0)
        skip();
    bool is_free = is_memory_free();
    assert_false(is_advised());
    gate_heap_keep();
    bool is_asked = is_advised();
    if (is_memory_free() != is_free)
        skip(); /* other processes took or released memory meanwhile */
    assert_int_equal(is_asked, is_free);
}

TEST(lists_come_from_one_heap) {
#ifdef HAS_OTHER_MALLOC
    skip();
#endif
    size_t size = GATE_HEAP_LARGE_BYTES / 2, large = 32 << 20; /* larger than any block that is kept */
    gate_heap_keep();
    for (int round = 0; round < 2; round++) { /* glibc adapts its mmap threshold to the first round */
        pthread_t thread;
        void *theirs = NULL;
        char *mine = make_list(&size), *alone = make_list(&large);
        assert_int_equal(pthread_create(&thread, NULL, make_list, &size), 0);
        assert_int_equal(pthread_join(thread, &theirs), 0);
        assert_true(is_in_heap(mine));
        assert_true(is_in_heap(theirs));
        assert_false(is_in_heap(alone)); /* mmap, so that realloc can move its pages */
        free(theirs);
        free(alone);
        free(mine);
    }
}

TEST(freed_memory_is_reused) {
#ifdef HAS_OTHER_MALLOC
    skip();
#endif
    size_t size = GATE_HEAP_LARGE_BYTES - 4096;
    gate_heap_keep();
    free(make_list(&size));
    const void *end = sbrk(0);
    free(make_list(&size));
    assert_ptr_equal(sbrk(0), end);
}

/* The forgotten range neither starts nor ends at a page boundary. */
TEST(released_memory_reads_as_zeros) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 10 * page;
    char *block = malloc(size);
    assert_non_null(block);
    memset(block, 'x', size);
    char *from = block + 100, *end = block + size - 100;
    gate_heap_forget(from, (size_t)(end - from));
    size_t kept = 0;
    for (size_t i = 0; i < size; i++)
        kept += block[i] == 'x';
    assert_in_range(kept, page, 3 * page); /* up to a page at each end, and 200 bytes outside of the range */
    assert_int_equal(from[-1], 'x');
    assert_int_equal(*end, 'x');
    memset(block, 'y', size);
    gate_heap_forget(block, 0);
    gate_heap_forget(block + 1, page - 1);
    assert_int_equal(block[page - 1], 'y');
    free(block);
}
