/* SPDX-License-Identifier: Apache-2.0 */
/* Makes pthread_create fail, so that the program does all work in one thread. Starting a thread under ASan takes longer
 * than most executions, and two threads do not run in the same order each time. */
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
