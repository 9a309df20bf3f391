/* SPDX-License-Identifier: Apache-2.0 */
/* Fork and join: each task runs exactly once, in two threads or, if no thread can be created, in one. */
#include "gate/base/parallel.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { ITEMS = 1001, STATUS_ONE_THREAD = 40, STATUS_TWO_THREADS = 41 };

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SPACE_IS_OURS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SPACE_IS_OURS 0
#endif
#endif
#ifndef ADDRESS_SPACE_IS_OURS
#define ADDRESS_SPACE_IS_OURS 1
#endif

struct task {
    pthread_t thread;
    int done;
};

static void task_run(void *context) {
    struct task *task = context;
    task->thread = pthread_self();
    task->done++;
}

/* In a child process whose address space has no room for a thread's stack. This test must be first: glibc keeps the
 * stacks of threads that ended, and would reuse them. */
TEST(both_tasks_run_without_a_second_thread) {
    int status = 0;
    if (!ADDRESS_SPACE_IS_OURS) /* the limit would break the sanitizer's own mappings */
        skip();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct task first = {0}, second = {0};
        const struct rlimit none = {0, 0};
        (void)setrlimit(RLIMIT_AS, &none);
        gate_parallel_both(task_run, &first, &second);
        if (first.done != 1 || second.done != 1)
            _exit(1);
        _exit(pthread_equal(second.thread, pthread_self()) ? STATUS_ONE_THREAD : STATUS_TWO_THREADS);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), STATUS_ONE_THREAD);
}

TEST(both_tasks_run_in_two_threads) {
    struct task first = {0}, second = {0};
    gate_parallel_both(task_run, &first, &second);
    assert_int_equal(first.done, 1);
    assert_int_equal(second.done, 1);
    assert_true(pthread_equal(first.thread, pthread_self()));
    assert_false(pthread_equal(second.thread, pthread_self()));
}

static void items_count(void *context, size_t from, size_t to) {
    uint8_t *done = context;
    for (size_t i = from; i < to; i++)
        done[i]++;
}

TEST(every_item_is_done_once) {
    for (size_t count = 0; count < ITEMS; count += 77) {
        uint8_t done[ITEMS] = {0};
        gate_parallel(items_count, done, count, 100);
        for (size_t i = 0; i < ITEMS; i++)
            assert_int_equal(done[i], i < count);
    }
}

enum { LISTED = 9 };

/* An item that may begin when the first `after` items of `all` are done. `is_late`: they were done when it began. */
struct listed {
    struct listed *all;
    size_t after;
    _Atomic int done;
    bool is_late;
};

static void listed_run(void *context) {
    struct listed *item = context;
    item->is_late = true;
    for (size_t i = 0; i < item->after; i++)
        item->is_late = item->is_late && item->all[i].done == 1;
    item->done++;
}

TEST(each_task_of_a_list_runs_once_and_in_order) {
    for (int round = 0; round < 200; round++) {
        struct listed listed[LISTED] = {{.done = 0}};
        struct gate_parallel_item items[LISTED];
        size_t count = (size_t)round % (LISTED + 1);
        for (size_t i = 0; i < LISTED; i++) {
            listed[i].all = listed;
            listed[i].after = i < 2 ? 0 : i == LISTED - 1 ? i : 2;
            items[i] = (struct gate_parallel_item){listed_run, &listed[i], listed[i].after};
        }
        gate_parallel_list(items, count, round % 4 != 0);
        for (size_t i = 0; i < LISTED; i++) {
            assert_int_equal(listed[i].done, i < count);
            assert_int_equal(listed[i].is_late, i < count);
        }
    }
}

struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int there, wanted;
};

static void meeting_wait(void *context) {
    struct meeting *meeting = context;
    (void)pthread_mutex_lock(&meeting->lock);
    meeting->there++;
    (void)pthread_cond_broadcast(&meeting->changed);
    while (meeting->there < meeting->wanted)
        (void)pthread_cond_wait(&meeting->changed, &meeting->lock);
    (void)pthread_mutex_unlock(&meeting->lock);
}

/* Each item waits until the other one has begun, so this ends only if both run at the same time. */
TEST(two_tasks_of_a_list_run_at_the_same_time) {
    struct meeting work = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 2};
    const struct gate_parallel_item pair[] = {{meeting_wait, &work, 0}, {meeting_wait, &work, 0}};
    gate_parallel_list(pair, 2, true);
    assert_int_equal(work.there, 2);
}
