/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses threads in front of the program's calls, so that it does all work in one: to start a thread under ASan takes
 * longer than most executions, and what two threads do first is not the same each time. */
#include <errno.h>
#include <pthread.h>

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *context);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *context) {
    (void)thread;
    (void)how;
    (void)start;
    (void)context;
    return EAGAIN;
}
