/* SPDX-License-Identifier: Apache-2.0 */
/* A library to preload: the system's clock is set by $CLOCK_STEP seconds when it is read for the $CLOCK_CALL-th time.
 * CLOCK_MONOTONIC goes on, as it does on a real system. */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    static atomic_long calls;
    const char *call = getenv("CLOCK_CALL"), *step = getenv("CLOCK_STEP");
    int status = (int)syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME && status == 0 && call != NULL && step != NULL &&
        atomic_fetch_add(&calls, 1) + 1 >= strtol(call, NULL, 10))
        now->tv_sec += strtol(step, NULL, 10);
    return status;
}
