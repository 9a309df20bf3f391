/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the system: the calls of tests/faults/calls.c, which query these functions whether to fail (see
 * places.h). */
#include "tests/faults/faults.h"
#include "tests/refusals/places.h"

#include <errno.h>

const bool places_may_differ = true;

enum faults_manner faults_meet(enum faults_call call, int descriptor) {
    (void)call;
    return !places_spares(descriptor) && PLACES_REFUSE() ? FAULTS_ONCE : FAULTS_NEVER;
}

bool faults_fail(enum faults_call call, int descriptor, int reason) {
    (void)call;
    if (places_spares(descriptor) || !PLACES_REFUSE())
        return false;
    errno = reason;
    return true;
}

bool faults_fail_bytes(enum faults_call call, int descriptor, int reason, size_t *len) {
    (void)call, (void)len;
    if (places_spares(descriptor) || !PLACES_REFUSE())
        return false;
    errno = reason;
    return true;
}

#ifdef COUNTED
/* Writing the counters of a coverage build is no request of the program. Half-written counters would spoil those of all
 * tests. */
void __real___gcov_dump(void);
void __wrap___gcov_dump(void);

void __wrap___gcov_dump(void) {
    places_pause(true);
    __real___gcov_dump();
    places_pause(false);
}
#endif
