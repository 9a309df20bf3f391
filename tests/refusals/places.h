/* SPDX-License-Identifier: Apache-2.0 */
/* Which request of a run is refused: each place that asks is, once. A place is a call with all its callers, so that the
 * way back from it is another one than that of any other place; $REFUSALS_DEPTH says with how many of them, where a run
 * takes long. requests.c -> places.c -> refusals.c */
#ifndef TESTS_PLACES_H
#define TESTS_PLACES_H

#include <stdbool.h>
#include <stddef.h>

/** Whether some requests are done without, and reports may say less then. */
extern const bool places_may_differ;

/** From here on one request is refused, the first from a place that was not refused before. Of the descriptor `spared`,
 * to which causes are written, none is. */
void places_begin(int spared);

/** Whether a request of `descriptor` is never refused. */
bool places_spares(int descriptor);

/** Meanwhile nothing that this thread asks for is refused. */
void places_pause(bool is_on);

/** Nothing is refused any more. True: something was. */
bool places_end(void);

/** Places that were refused so far. */
size_t places_count(void);

/** Prints the callers of the last request that was refused. */
void places_show(void);

/** Whether the request that this function's caller was asked for is to be refused. `frame` is the caller's. */
bool places_refuse(void *const *frame);

#define PLACES_REFUSE() places_refuse(__builtin_frame_address(0))

#endif
