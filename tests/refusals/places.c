/* SPDX-License-Identifier: Apache-2.0 */
/* Places are identified by the return addresses of the callers, found by frame pointers (see places.h). */
#include "tests/refusals/places.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

enum { SLOTS = 1 << 18, CALLERS_MAX = 40 };

/* Shared with the program's children: a place that is refused in one of them is refused only once, too. */
static struct {
    pthread_mutex_t lock;
    uint64_t slots[SLOTS]; /* 0: free */
    size_t count;
    bool is_refused; /* a request was refused in this run */
    int spared;
    void *callers[CALLERS_MAX + 1]; /* callers of the last refused request; ends with NULL */
} * seen;

static _Atomic bool is_begun;
static int depth = CALLERS_MAX;          /* number of callers that identify a place */
static uintptr_t within_from, within_to; /* code that a caller has to be in; `within_to` 0: any */

struct stack {
    uintptr_t from, to; /* `to` 0: not known yet */
    bool is_asked;      /* being found, which itself requests memory */
};

static _Thread_local struct stack stack;
static _Thread_local bool is_paused;

/* Read $REFUSALS_WITHIN, the addresses of a function in the program's file: "FROM-TO", hexadecimal. */
static void within_read(void) {
    const char *range = getenv("REFUSALS_WITHIN");
    Dl_info program;
    char *end;
    if (range == NULL)
        return;
    if (dladdr((void *)&seen, &program) == 0)
        abort();
    within_from = (uintptr_t)program.dli_fbase + strtoull(range, &end, 16);
    within_to = (uintptr_t)program.dli_fbase + strtoull(end + 1, NULL, 16);
}

static void seen_make(void) {
    pthread_mutexattr_t how;
    within_read();
    const char *told = getenv("REFUSALS_DEPTH");
    if (told != NULL && atoi(told) > 0 && atoi(told) < CALLERS_MAX)
        depth = atoi(told);
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED || pthread_mutexattr_init(&how) != 0 ||
        pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED) != 0 || pthread_mutex_init(&seen->lock, &how) != 0)
        abort();
    (void)pthread_mutexattr_destroy(&how);
}

void places_begin(int spared) {
    if (seen == NULL)
        seen_make();
    seen->is_refused = false;
    seen->spared = spared;
    is_begun = true;
}

void places_pause(bool is_on) {
    is_paused = is_on;
}

bool places_end(void) {
    is_begun = false;
    return seen != NULL && seen->is_refused;
}

bool places_spares(int descriptor) {
    return is_begun && descriptor == seen->spared;
}

size_t places_count(void) {
    return seen == NULL ? 0 : seen->count;
}

static void stack_find(void) {
    pthread_attr_t attributes;
    void *from = NULL;
    size_t size = 0;
    stack.is_asked = true;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0 || pthread_attr_getstack(&attributes, &from, &size) != 0)
        abort();
    (void)pthread_attr_destroy(&attributes);
    stack.from = (uintptr_t)from;
    stack.to = stack.from + size;
    stack.is_asked = false;
}

static bool is_frame(void *const *frame, void *const *below) {
    uintptr_t at = (uintptr_t)frame;
    return frame > below && at % sizeof(void *) == 0 && at >= stack.from && at + 2 * sizeof(void *) <= stack.to;
}

/* Return a hash of the callers, or 0 if none of them is in the code of $REFUSALS_WITHIN; a recursive caller counts
 * once. Code without frame pointers ends the walk or leads it astray within the stack. That only makes another
 * place. */
static uint64_t place_of(void *const *frame) {
    uint64_t place = 0x9e3779b97f4a7c15U;
    void *before = NULL;
    bool is_within = within_to == 0;
    for (int i = 0; i < depth; i++) {
        void *caller = frame[1];
        is_within |= (uintptr_t)caller >= within_from && (uintptr_t)caller < within_to;
        if (caller != before)
            place = (place ^ (uintptr_t)caller) * 0xff51afd7ed558ccdU, place ^= place >> 29;
        before = caller;
        if (!is_frame(frame[0], frame))
            break;
        frame = frame[0];
    }
    return is_within ? place | 1 : 0;
}

/* Keep the callers, found by the same walk. */
static void callers_keep(void *const *frame) {
    size_t count = 0;
    for (; count < CALLERS_MAX; frame = frame[0]) {
        seen->callers[count++] = frame[1];
        if (!is_frame(frame[0], frame))
            break;
    }
    seen->callers[count] = NULL;
}

void places_show(void) {
    int count = 0;
    while (seen != NULL && seen->callers[count] != NULL)
        count++;
    (void)fflush(stdout);
    if (count > 0)
        backtrace_symbols_fd(seen->callers, count, STDOUT_FILENO);
}

bool places_passed(const char *name) {
    for (size_t i = 0; seen != NULL && seen->callers[i] != NULL; i++) {
        Dl_info info;
        if (dladdr(seen->callers[i], &info) != 0 && info.dli_sname != NULL &&
            strncmp(info.dli_sname, name, strlen(name)) == 0)
            return true;
    }
    return false;
}

bool places_passed_through(const void *start) {
    for (size_t i = 0; seen != NULL && seen->callers[i] != NULL; i++)
        if (_Unwind_FindEnclosingFunction((char *)seen->callers[i] - 1) ==
            start) /* a return address is after its call */
            return true;
    return false;
}

/* Add a place. Returns false if it was known. */
static bool add(uint64_t place) {
    size_t at = (place >> 20) % SLOTS;
    while (seen->slots[at] != 0 && seen->slots[at] != place)
        at = (at + 1) % SLOTS;
    if (seen->slots[at] == place)
        return false;
    if (++seen->count >= SLOTS / 2)
        abort();
    seen->slots[at] = place;
    return true;
}

bool places_refuse(void *const *frame) {
    if (!is_begun || is_paused || stack.is_asked)
        return false;
    if (stack.to == 0)
        stack_find();
    uint64_t place = place_of(frame);
    (void)pthread_mutex_lock(&seen->lock);
    bool refused = place != 0 && !seen->is_refused && add(place);
    if (refused)
        callers_keep(frame);
    seen->is_refused |= refused;
    (void)pthread_mutex_unlock(&seen->lock);
    return refused;
}
